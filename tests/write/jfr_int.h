// SPDX-License-Identifier: Apache-2.0
/* tests/write/jfr_int.h: what the parts of the JFR writer share. */
#ifndef OP_TESTS_WRITE_JFR_INT_H
#define OP_TESTS_WRITE_JFR_INT_H

#include <stdarg.h>

#include "write/jfr.h"

/* A type as it was declared: texts, read again whenever they are needed. */
struct jfr_type {
	struct jfr_type *next;
	uint64_t id;
	char *name;
	char *head; /* words behind the name */
	char *fields;
};

struct jfr_field {
	char name[64], type[80];
	char notes[120]; /* annotations, each with its @ */
	bool is_pool, is_array;
};

/* A pool of the next checkpoint. */
struct jfr_pool {
	struct jfr_pool *next;
	uint64_t type_id, nr;
	struct jfr_bytes b;
	bool is_closed; /* what comes for this type goes into another */
};

/* What was put into a pool because a text asked for it. */
struct jfr_name {
	struct jfr_name *next;
	uint64_t id;
	char *type, *text;
};

/* What jfr_table.c knows: { head, fields }, up to a NULL. */
extern const char *const jfr_table[][2];

/* Names of enums by id, up to a NULL. */
struct jfr_enum {
	uint64_t id;
	const char *name;
};
const struct jfr_enum *jfr_enum_rows(enum jfr_flavour flavour,
				     const char *type);

_Noreturn void jfr_refuse(const char *s, const char *why);
void *jfr_alloc(size_t n);
char *jfr_text(const char *s, size_t n);
char *jfr_format(const char *fmt, va_list ap) op_printf(1, 0);

/* Bytes. A long is 8 wide, an int 4; pad is the length of a padded varint. */
void jfr_byte(struct jfr_bytes *b, unsigned int v);
void jfr_put(struct jfr_bytes *b, const void *p, size_t n);
void jfr_fixed(struct jfr_bytes *b, uint64_t v, int width);
void jfr_varint(struct jfr_bytes *b, uint64_t v, int pad);
void jfr_int(const struct jfr *j, struct jfr_bytes *b, uint64_t v, int width,
	     int pad);
void jfr_string(const struct jfr *j, struct jfr_bytes *b, int encoding,
		struct op_view utf8);

/* Writes an event around its body, which is freed. */
void jfr_event_put(struct jfr *j, uint64_t type_id, struct jfr_bytes *body,
		   int size_bytes);

/* The next field of a type for the flavour; false behind the last. */
bool jfr_field_next(const struct jfr *j, const char **s, struct jfr_field *f);

/* A type by its name or the end of it, declared if the table has it. NULL if
 * nobody knows it or it is a #number. */
struct jfr_type *jfr_type_find(struct jfr *j, const char *name);

/* Also of a #number; stops if there is no such type. */
uint64_t jfr_type_id(struct jfr *j, const char *name);

/* Declares what the fields of declared types are of, if the table has it. */
void jfr_types_close(struct jfr *j);

bool jfr_has_word(const struct jfr_type *t, const char *word);

/* Values of a type (NULL: bare ones), up to the end of the text. */
void jfr_values(struct jfr *j, struct jfr_bytes *b, const struct jfr_type *t,
		const char *text);

/* Writes the pools of enums that are declared and not there yet. */
void jfr_enums(struct jfr *j);

/* Ends of a chunk. */
void jfr_pools_finish(struct jfr *j);
void jfr_pools_free(struct jfr *j);
void jfr_types_free(struct jfr *j);

#endif
