// SPDX-License-Identifier: Apache-2.0
/* store/store.h: where profiles are kept that questions are asked about.
 *
 *	struct op_store *s = op_memory_store(err);
 *	op_store_put(s, "app.jfr", &m, err);
 *	op_store_scan(s, &scan, &answer, err);
 *	... query(answer.m) ...
 *	op_scanned_free(&answer);
 *	op_store_free(s);
 *
 * Each store implements struct op_store_ops; callers use the functions below.
 * A store is used by one thread.
 */
#ifndef OP_STORE_STORE_H
#define OP_STORE_STORE_H

#include "model/filter.h"

#define OP_ALL_SOURCES UINT32_MAX

/* Which samples are meant, as the options of the commands say it. Texts are
 * NULL if nothing is asked for. */
struct op_selector {
	uint32_t source; /* by the order of put(); OP_ALL_SOURCES */
	const char *types;
	const char *where; /* conditions (model/where.h) */
	const char *focus, *ignore;
	struct op_frame_edit edit;
};

enum op_scan_as {
	OP_SCAN_RAW,	/* observations with their times */
	OP_SCAN_SUMMED, /* one value per sample */
};

struct op_scan {
	struct op_selector select;
	struct op_range range; /* to 0: all times */
	enum op_scan_as as;
};

/* What a scan found. The model must not be changed, and is valid until
 * op_scanned_free(), whatever is put into the store meanwhile. */
struct op_scanned {
	const struct op_model *m;
	void *owner; /* of the store */
	void (*release)(void *owner);
};

struct op_store {
	const struct op_store_ops *ops;
};

struct op_store_ops {
	int (*put)(struct op_store *s, const char *source, struct op_model *m,
		   struct op_err *err);
	int (*scan)(struct op_store *s, const struct op_scan *scan,
		    struct op_scanned *out, struct op_err *err);
	bool (*span)(const struct op_store *s, struct op_range *out);
	void (*free)(struct op_store *s);
};

/* A store in memory (memory.c); NULL: out of memory. */
struct op_store *op_memory_store(struct op_err *err);

/* Adds profiles to those of a source, which is new if it was not put before.
 * Takes the model over, which is all zero afterwards, also on failure. */
op_inline int op_store_put(struct op_store *s, const char *source,
			   struct op_model *m, struct op_err *err)
{
	return s->ops->put(s, source, m, err);
}

/* OP_EUSAGE: a pattern or condition is not valid, or there is no such source or
 * type. No sample may be left: that is no error. */
op_inline int op_store_scan(struct op_store *s, const struct op_scan *scan,
			    struct op_scanned *out, struct op_err *err)
{
	return s->ops->scan(s, scan, out, err);
}

/* From the start of the earliest profile to the end of the last; false: it is
 * not known. */
op_inline bool op_store_span(const struct op_store *s, struct op_range *out)
{
	return s->ops->span(s, out);
}

op_inline void op_scanned_free(struct op_scanned *a)
{
	if (a->release)
		a->release(a->owner);
	*a = (struct op_scanned){ 0 };
}

op_inline void op_store_free(struct op_store *s)
{
	if (s)
		s->ops->free(s);
}

#endif
