// SPDX-License-Identifier: Apache-2.0
/* examples/stream_backend.c: the core of a back end. Reads a stream of profiles
 * message by message and adds up the values of leaf functions by service.
 *
 *	stream_backend [FILE]
 *
 * FILE or standard input is what the Collector's file exporter writes, as
 * protobuf or JSON: only one message is in memory at a time. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <otprof.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ROWS = 4096, TOP = 10 };

struct row {
	char service[64], type[64], function[128];
	int64_t value;
};

static struct row rows[MAX_ROWS];
static size_t nr_rows;
static uint64_t nr_messages, nr_left_out;

static void copy(char *to, size_t size, struct otprof_str from)
{
	size_t n = from.n < size - 1 ? from.n : size - 1;

	if (n)
		memcpy(to, from.p, n);
	to[n] = 0;
}

static void row_add(const struct row *r)
{
	for (size_t i = 0; i < nr_rows; i++) {
		if (strcmp(rows[i].service, r->service) != 0 ||
		    strcmp(rows[i].type, r->type) != 0 ||
		    strcmp(rows[i].function, r->function) != 0)
			continue;
		rows[i].value += r->value;
		return;
	}
	if (nr_rows == MAX_ROWS)
		nr_left_out++;
	else
		rows[nr_rows++] = *r;
}

static void service_of(const struct otprof *p, uint32_t resource,
		       struct row *out)
{
	struct otprof_attrs walk = otprof_resource_attrs(p, resource);
	struct otprof_str key = otprof_str("service.name");
	struct otprof_attr a;

	copy(out->service, sizeof(out->service), otprof_str("(unknown)"));
	while (otprof_attr_next(&walk, &a))
		if (a.key.n == key.n && !memcmp(a.key.p, key.p, key.n))
			copy(out->service, sizeof(out->service), a.value.s);
}

/* The name of the leaf, or its address. */
static void function_of(const struct otprof *p, uint32_t stack, struct row *out)
{
	struct otprof_frames walk = otprof_frames(p, stack);
	struct otprof_frame f;

	OTPROF_INIT(&f);
	if (!otprof_frame_next(&walk, &f))
		copy(out->function, sizeof(out->function),
		     otprof_str("(no stack)"));
	else if (f.function.n)
		copy(out->function, sizeof(out->function), f.function);
	else
		snprintf(out->function, sizeof(out->function), "0x%llx",
			 (unsigned long long)f.address);
}

/* The columns are the profile's own memory: nothing is copied. */
static int64_t value_of(const struct otprof_columns *c, uint32_t i)
{
	int64_t sum = 0;

	if (!c->value_at)
		return c->time_at[i + 1] - c->time_at[i];
	for (uint32_t at = c->value_at[i]; at < c->value_at[i + 1]; at++)
		sum += c->values[at];
	return sum;
}

static void add_profile(const struct otprof *p, size_t i,
			struct otprof_err *err)
{
	struct otprof_profile head;
	struct otprof_columns c;
	struct row r;

	OTPROF_INIT(&head);
	OTPROF_INIT(&c);
	if (otprof_profile(p, i, &head, err) || otprof_columns(p, i, &c, err))
		return;
	service_of(p, head.resource, &r);
	copy(r.type, sizeof(r.type), head.type);
	for (uint32_t s = 0; s < c.nr; s++) {
		function_of(p, c.stacks[s], &r);
		r.value = value_of(&c, s);
		row_add(&r);
	}
}

static int read_stream(int fd, struct otprof_err *err)
{
	struct otprof_reader *r = NULL;
	struct otprof *p;

	if (otprof_reader_new(fd, NULL, &r, err))
		return err->code;
	while (otprof_reader_next(r, &p, err) > 0) {
		nr_messages++;
		for (size_t i = 0; i < otprof_nr_profiles(p); i++)
			add_profile(p, i, err);
		otprof_free(p);
	}
	otprof_reader_free(r);
	return err->code;
}

static int by_value(const void *a, const void *b)
{
	const struct row *x = (const struct row *)a;
	const struct row *y = (const struct row *)b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return strcmp(x->function, y->function);
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	struct otprof_err err = { 0 };

	if (fd < 0) {
		fprintf(stderr, "stream_backend: cannot open '%s': %s\n",
			argv[1], strerror(errno));
		return 1;
	}
	read_stream(fd, &err);
	qsort(rows, nr_rows, sizeof(rows[0]), by_value);
	for (size_t i = 0; i < nr_rows && i < TOP; i++)
		printf("%-16s %-12s %12lld %s\n", rows[i].service, rows[i].type,
		       (long long)rows[i].value, rows[i].function);
	printf("%llu messages, %zu rows, %llu left out\n",
	       (unsigned long long)nr_messages, nr_rows,
	       (unsigned long long)nr_left_out);
	if (err.code)
		fprintf(stderr, "stream_backend: %s\n", err.text);
	return err.code ? 1 : 0;
}
