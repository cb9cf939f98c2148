// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/options.h: what the options ask for. */
#ifndef OP_FMT_JFR_OPTIONS_H
#define OP_FMT_JFR_OPTIONS_H

#include "base/err.h"
#include "base/view.h"

struct op_jfr_opts {
	const char *const *settings;
	const char *thread; /* part of a thread's name */
	const char *states;
	const char *tag; /* of intervals */
	int64_t latency_ns;
	bool has_latency;
	double tail; /* of the time: what is taken in it is no leak */
	bool is_datadog;
	bool properties;
	bool recover;
	bool sums;   /* observations are added up while they are read */
	bool counts; /* and counted */
	bool sums_objects;
};

void op_jfr_opts_read(struct op_jfr_opts *o, const char *const *set,
		      struct op_err *err);

#endif
