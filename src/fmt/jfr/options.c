// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/options.c: the options of the format, checked. */
#include "fmt/jfr/options.h"

#include <string.h>

#include "base/number.h"
#include "fmt/format.h"

/* A number of milliseconds, with a part behind the point if wanted. */
static int64_t latency_of(const char *s, struct op_err *err)
{
	double ms;

	if (!s)
		return 0;
	if (!op_number_parse(op_view_z(s), &ms) || ms >= 1e12) {
		op_fail(err, OP_EUSAGE,
			"--latency takes milliseconds, not '%s'", s);
		return 0;
	}
	return (int64_t)(ms * 1e6);
}

/* A part of the whole in percent. */
static double tail_of(const char *s, struct op_err *err)
{
	struct op_view number = op_view_z(s);
	double part;

	if (!s)
		return 0;
	number.n -= op_view_ends(number, "%");
	if (!op_number_parse(number, &part) || part > 100) {
		op_fail(err, OP_EUSAGE, "--tail takes a percentage, not '%s'",
			s);
		return 0;
	}
	return part / 100;
}

/* Whether a setting is the second of two words; without one it is not. */
static bool is_second(const char *const *set, const char *name,
		      const char *first, const char *second, struct op_err *err)
{
	const char *s = op_setting(set, name);

	if (s && strcmp(s, first) && strcmp(s, second))
		op_fail(err, OP_EUSAGE, "--%s takes %s or %s, not '%s'", name,
			first, second, s);
	return s && !strcmp(s, second);
}

void op_jfr_opts_read(struct op_jfr_opts *o, const char *const *set,
		      struct op_err *err)
{
	*o = (struct op_jfr_opts){
		.settings = set,
		.thread = op_setting(set, "thread"),
		.states = op_setting(set, "state"),
		.tag = op_setting(set, "tag"),
		.is_datadog = is_second(set, "preset", "otel", "datadog", err),
		.has_latency = op_setting(set, "latency"),
		.latency_ns = latency_of(op_setting(set, "latency"), err),
		.tail = tail_of(op_setting(set, "tail"), err),
		.properties = op_setting_is_on(set, "properties", err),
		.recover = op_setting_is_on(set, "recover", err),
		.sums_objects = is_second(set, "alloc-objects", "times", "sums",
					  err),
	};
}
