// SPDX-License-Identifier: Apache-2.0
/* tests/write/perf_int.h: what the parts of the perf.data writer share. */
#ifndef OP_TESTS_WRITE_PERF_INT_H
#define OP_TESTS_WRITE_PERF_INT_H

#include "write/perf.h"

/* What a sample has, by bit of sample_type. */
enum {
	IP,
	TID,
	TIME,
	ADDR,
	READ,
	CHAIN,
	ID,
	CPU,
	PERIOD,
	STREAM,
	RAW,
	BRANCH,
	REGS,
	STACK,
	WEIGHT,
	SOURCE,
	IDENTIFIER,
	TRANS,
	INTR,
	PHYS,
	AUX,
	CGROUP,
};

/* --- bytes (perf.c) --- */

/* Ends the program: the text cannot be written. */
void perf_stop(const char *what, const char *at);

void perf_put(struct perf_bytes *b, const void *p, size_t n);
/* The low n bytes of a number in the order of the file. */
void perf_num(const struct perf *p, struct perf_bytes *b, uint64_t v,
	      unsigned int n);
void perf_zeros(struct perf_bytes *b, size_t n);
void perf_hex(struct perf_bytes *b, const char *s);
void perf_text(struct perf_bytes *b, const char *s);

/* --- words of a line (perf.c) --- */

enum { PERF_MAX_WORDS = 40 };

struct perf_line {
	char *words[PERF_MAX_WORDS];
	int nr;
	const char *rest[PERF_MAX_WORDS]; /* the line from each word on */
	char *copy;
};

struct perf_pair {
	uint64_t a, b;
};

/* The value of a word "key=value"; NULL if there is none. */
const char *perf_value(const struct perf_line *l, const char *key);
bool perf_has_word(const struct perf_line *l, const char *word);
uint64_t perf_number(const struct perf_line *l, const char *key,
		     uint64_t other);
/* "@5", "#5" */
uint64_t perf_marked(const struct perf_line *l, char mark, uint64_t other);
const char *perf_word(const struct perf_line *l, int i);
/* "10/11", "0x10+0x20" */
struct perf_pair perf_pair(const struct perf_line *l, int i);

/* --- records (perf_record.c) --- */

void perf_record(struct perf *p, uint32_t type, uint64_t misc,
		 const struct perf_bytes *body);
/* What ends records other than samples. */
void perf_trailer(const struct perf *p, struct perf_bytes *b,
		  const struct perf_line *l, struct perf_pair ids);
/* Writes the record or sample of a line; false if it is none. */
bool perf_record_line(struct perf *p, const struct perf_line *l);

#endif
