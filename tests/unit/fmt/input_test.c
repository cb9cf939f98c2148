// SPDX-License-Identifier: Apache-2.0
#include "fmt/input.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

#define A "1{ 1{ 1{ 1'k' 2{ 1'a' } } } 2{ 2{ 2{ 4[5] } } } } "
#define MESSAGE A "2{ " WIRE_ZERO_ROWS "} "
#define A_TEXT "resource k=a\nscope \nprofile /\n\t- 5\n"

static struct wire w;

/* A file that is gone again at file_end(). */
struct file {
	char path[64];
};

static void file_put(struct file *f, struct op_view v)
{
	int fd;

	snprintf(f->path, sizeof(f->path), "/tmp/otprof-input-XXXXXX");
	fd = mkstemp(f->path);
	CHECK(fd >= 0);
	CHECK_EQ(write(fd, v.p, v.n), v.n);
	close(fd);
}

static void file_end(struct file *f)
{
	unlink(f->path);
}

static bool is_closed(const struct op_input *in)
{
	return !in->bytes.p && !in->bytes.n && !in->heap && !in->format &&
	       !in->is_open;
}

static struct op_view message(const char *text)
{
	wire_set(&w, text);
	return wire_view(&w);
}

/* v behind n layers of gzip, in a buffer to be freed. */
static struct op_buf gzipped(struct op_view v, int n, struct op_err *err)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(1);
	struct op_buf from = { .err = err }, to = { .err = err };

	op_buf_view(&from, v);
	while (n--) {
		size_t most = libdeflate_gzip_compress_bound(c, from.n);
		uint8_t *p = op_buf_add(&to, most);

		to.n = libdeflate_gzip_compress(c, from.p, from.n, p, most);
		op_buf_free(&from);
		from = to;
		to = (struct op_buf){ .err = err };
	}
	libdeflate_free_compressor(c);
	return from;
}

TEST(reads_a_file)
{
	struct op_err err = { 0 };
	struct op_input in;
	struct op_model m;
	struct file f;

	file_put(&f, message(MESSAGE));
	CHECK_EQ(op_input_open(&in, f.path, NULL, &err), OP_OK);
	CHECK(op_view_eq(in.bytes, wire_view(&w)));
	CHECK_EQ(in.file_bytes, w.n);
	CHECK_STR(in.packing, NULL);
	CHECK(in.format == &op_format_otlp);
	/* The model has views of the input, which is now its own. */
	CHECK_EQ(op_input_read(&in, NULL, &m, &err), OP_OK);
	CHECK(is_closed(&in));
	CHECK_STR(sketch_text(&m), A_TEXT);
	op_model_free(&m);
	file_end(&f);
}

/* What is broken is told as of a file in memory. */
TEST(reads_a_file_in_parts)
{
	static const char broken[68] = "FLR\0\0\2\0\1";
	struct op_view v = op_view((const uint8_t *)broken, sizeof(broken));
	struct op_err err = { 0 }, same = { 0 };
	struct op_input in;
	struct op_model m;
	struct file f;

	file_put(&f, v);
	CHECK_EQ(op_input_open(&in, f.path, NULL, &err), OP_OK);
	CHECK(in.format == &op_format_jfr);
	CHECK(!in.bytes.p);
	CHECK_EQ(in.bytes.n, v.n);
	CHECK_EQ(in.file_bytes, v.n);
	CHECK_EQ(op_input_read(&in, NULL, &m, &err), OP_EFORMAT);
	CHECK(is_closed(&in));
	CHECK_EQ(op_input_memory(&in, v, NULL, &same), OP_OK);
	CHECK_EQ(op_input_read(&in, NULL, &m, &same), OP_EFORMAT);
	CHECK_STR(err.text, same.text);
	CHECK_EQ(err.at, same.at);

	err = (struct op_err){ 0 };
	CHECK_EQ(op_input_open(&in, f.path, NULL, &err), OP_OK);
	CHECK_EQ(op_input_load(&in, &err), OP_OK);
	CHECK(op_view_eq(in.bytes, v));
	CHECK_EQ(op_input_load(&in, &err), OP_OK);
	op_input_close(&in);
	file_end(&f);
}

TEST(cannot_open)
{
	struct op_err err = { 0 };
	struct op_input in;

	memset(&in, 1, sizeof(in));
	CHECK_EQ(op_input_open(&in, "/nonexistent/file", NULL, &err), OP_EIO);
	CHECK_EQ(err.sys, ENOENT);
	CHECK(is_closed(&in));

	err = (struct op_err){ 0 };
	CHECK_EQ(op_input_open(&in, "/tmp", NULL, &err), OP_EIO);
	CHECK_EQ(err.sys, EISDIR);
	CHECK(is_closed(&in));
}

TEST(empty)
{
	struct op_err err = { 0 };
	struct op_input in;
	struct file f;

	file_put(&f, message(""));
	CHECK_EQ(op_input_open(&in, f.path, NULL, &err), OP_EFORMAT);
	CHECK(strstr(err.text, "empty"));
	CHECK(is_closed(&in));
	file_end(&f);
}

/* Also what unpacks to nothing. */
TEST(empty_inside)
{
	struct op_err err = { 0 };
	struct op_buf b = gzipped(message(""), 1, &err);
	struct op_input in;

	CHECK_EQ(op_input_memory(&in, op_view(b.p, b.n), NULL, &err),
		 OP_EFORMAT);
	CHECK(strstr(err.text, "empty"));
	CHECK(is_closed(&in));
	op_buf_free(&b);
}

TEST(limit)
{
	struct file f;

	file_put(&f, message(MESSAGE));
	for (size_t max = w.n - 2; max <= w.n + 2; max++) {
		struct op_input_opts opts = { .max_bytes = max };
		struct op_err err = { 0 };
		struct op_input in;

		CHECK_EQ(op_input_open(&in, f.path, &opts, &err),
			 max < w.n ? OP_ELIMIT : OP_OK);
		CHECK_EQ(is_closed(&in), max < w.n);
		op_input_close(&in);
	}
	file_end(&f);
}

/* What comes through a pipe has no size beforehand. */
static int open_pipe(struct op_view v, size_t max)
{
	struct op_input_opts opts = { .max_bytes = max };
	struct op_err err = { 0 };
	int was = dup(STDIN_FILENO);
	struct op_input in;
	int fds[2];

	CHECK_EQ(pipe(fds), 0);
	CHECK_EQ(write(fds[1], v.p, v.n), v.n);
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	if (!op_input_open(&in, "-", &opts, &err))
		CHECK(op_view_eq(in.bytes, v));
	op_input_close(&in);
	if (was >= 0)
		dup2(was, STDIN_FILENO);
	close(was);
	return err.code;
}

TEST(standard_input)
{
	struct op_view v = message(MESSAGE);

	CHECK_EQ(open_pipe(v, 0), OP_OK);
	CHECK_EQ(open_pipe(v, v.n + 1), OP_OK);
	CHECK_EQ(open_pipe(v, v.n), OP_OK);
	CHECK_EQ(open_pipe(v, v.n - 1), OP_ELIMIT);
	CHECK_EQ(open_pipe(v, 1), OP_ELIMIT);
}

TEST(packed)
{
	for (int layers = 1; layers <= 5; layers++) {
		struct op_err err = { 0 };
		struct op_buf b = gzipped(message(MESSAGE), layers, &err);
		struct op_input in;
		struct op_model m;
		struct file f;

		file_put(&f, op_view(b.p, b.n));
		CHECK_EQ(op_input_open(&in, f.path, NULL, &err),
			 layers <= 4 ? OP_OK : OP_ELIMIT);
		if (!err.code) {
			CHECK_STR(in.packing, "gzip");
			CHECK_EQ(in.file_bytes, b.n);
			CHECK(op_view_eq(in.bytes, wire_view(&w)));
			CHECK_EQ(op_input_read(&in, NULL, &m, &err), OP_OK);
			CHECK_STR(sketch_text(&m), A_TEXT);
			op_model_free(&m);
		}
		CHECK(is_closed(&in));
		op_buf_free(&b);
		file_end(&f);
	}
}

/* The limit is for what is unpacked as well. */
TEST(packed_limit)
{
	struct op_input_opts opts = { .max_bytes = 10000 };
	static const uint8_t zeros[20000];
	struct op_err err = { 0 };
	struct op_buf b = gzipped(op_view(zeros, sizeof(zeros)), 1, &err);
	struct op_input in;

	CHECK(b.n < 10000);
	CHECK_EQ(op_input_memory(&in, op_view(b.p, b.n), &opts, &err),
		 OP_ELIMIT);
	CHECK(is_closed(&in));
	op_buf_free(&b);
}

TEST(format)
{
	struct op_input_opts opts = { .format = &op_format_otlp };
	struct op_view text = op_view_z("this is text");
	struct op_err err = { 0 };
	struct op_input in;

	CHECK_EQ(op_input_memory(&in, text, &opts, &err), OP_OK);
	CHECK(in.format == &op_format_otlp);
	op_input_close(&in);
	CHECK_EQ(op_input_memory(&in, op_view_z("\xff\xff\xff"), NULL, &err),
		 OP_EFORMAT);
	CHECK(is_closed(&in));
}

/* From memory, which stays the caller's, also packed. */
TEST(memory)
{
	for (int layers = 0; layers < 2; layers++) {
		struct op_err err = { 0 };
		struct op_buf b = gzipped(message(MESSAGE), layers, &err);
		struct op_input in;
		struct op_model m;

		CHECK_EQ(op_input_memory(&in, op_view(b.p, b.n), NULL, &err),
			 OP_OK);
		CHECK_EQ(in.heap != NULL, layers);
		CHECK_EQ(op_input_read(&in, NULL, &m, &err), OP_OK);
		CHECK(is_closed(&in));
		if (layers)
			memset(b.p, 0xff, b.n);
		CHECK_STR(sketch_text(&m), A_TEXT);
		op_model_free(&m);
		op_buf_free(&b);
	}
}

/* Appends a message behind its length. */
static void put_message(struct op_buf *b, const char *text)
{
	struct op_view v = message(text);

	op_buf_view(b, op_view("\0\0", 2));
	op_buf_byte(b, (int)(v.n >> 8));
	op_buf_byte(b, (int)(v.n & 0xff));
	op_buf_view(b, v);
}

/* Messages behind their lengths become one model, which needs the input no
 * more. */
TEST(several_messages)
{
	struct op_read_opts opts = { .mem_quota = 1 << 20 };
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };
	struct op_input in;
	struct op_model m;

	put_message(&b, MESSAGE);
	put_message(&b, "");
	put_message(&b, "1{ 2{ 2{ 2{ 1:1 4[6] } } } } 2{ 2{} 2{ 2:255 } 7{} "
			"7{ 1[1] } }");
	CHECK_EQ(op_input_memory(&in, op_view(b.p, b.n), NULL, &err), OP_OK);
	CHECK_EQ(op_input_read(&in, &opts, &m, &err), OP_OK);
	memset(b.p, 0xff, b.n);
	CHECK_STR(sketch_text(&m),
		  A_TEXT "resource\nscope \nprofile /\n\t0xff 6\n");
	CHECK_EQ(m.mem.quota, 1 << 20);
	op_model_free(&m);
	op_buf_free(&b);
}

/* References that point nowhere cannot be joined: one message at a time. */
TEST(several_messages_unchecked)
{
	struct op_read_opts opts = { .unchecked = true };
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };
	struct op_input in;
	struct op_model m = { 0 };

	put_message(&b, "1{ 2{ 2{ 2{ 1:1000000 4[6] } } } }");
	put_message(&b, "1{ 2{ 2{ 2{ 1:1000000 4[6] } } } }");
	CHECK_EQ(op_input_memory(&in, op_view(b.p, b.n), NULL, &err), OP_OK);
	CHECK(op_input_read(&in, &opts, &m, &err) != OP_OK);
	CHECK(is_closed(&in));
	op_model_free(&m);
	op_buf_free(&b);
}

/* A message that is broken ends it, and nothing stays open. */
TEST(broken_message)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };
	struct op_input in;
	struct op_model m = { 0 };

	put_message(&b, MESSAGE);
	put_message(&b, "1{ 2{ 2{ 2{ 1:9 4[6] } } } }");
	CHECK_EQ(op_input_memory(&in, op_view(b.p, b.n), NULL, &err), OP_OK);
	CHECK_EQ(op_input_read(&in, NULL, &m, &err), OP_EFORMAT);
	CHECK(is_closed(&in));
	op_model_free(&m);
	op_buf_free(&b);
}

/* --- a file that changes while it is read --- */

enum { ROWS = 100000 };

/* A dictionary of very many empty strings, or of one long string: the length
 * before them says which. */
static struct op_view strings(bool long_one)
{
	static uint8_t out[12 + 2 * ROWS];
	size_t n = 0, all = 6 + 2 * ROWS;

	out[n++] = 0x12;
	for (int i = 0; i < 5; i++, all >>= 7)
		out[n++] = (uint8_t)(all & 0x7f) | (i < 4 ? 0x80 : 0);
	all = long_one ? 2 * ROWS : 0;
	out[n++] = 0x2a;
	for (int i = 0; i < 5; i++, all >>= 7)
		out[n++] = (uint8_t)(all & 0x7f) | (i < 4 ? 0x80 : 0);
	for (int i = 0; i < ROWS; i++) {
		out[n++] = 0x2a;
		out[n++] = 0;
	}
	return op_view(out, n);
}

struct changing {
	int fd;
	bool ends;
};

/* Both forms in turn; now and then it is cut off. */
static void *change(void *ctx)
{
	struct changing *c = ctx;

	for (int i = 0; !__atomic_load_n(&c->ends, __ATOMIC_RELAXED); i++) {
		struct op_view v = strings(i % 2);

		CHECK_EQ(pwrite(c->fd, v.p, i % 8 ? 12 : v.n, 0),
			 i % 8 ? 12 : (long long)v.n);
		if (i % 8 == 7)
			CHECK_EQ(ftruncate(c->fd, 4096), 0);
	}
	return NULL;
}

/* Whatever it says at the time, the process stays whole. */
TEST(changes_while_it_is_read)
{
	enum { ROUNDS = 300 };
	struct changing c = { 0 };
	pthread_t thread;
	struct file f;

	file_put(&f, strings(false));
	c.fd = open(f.path, O_WRONLY | O_CLOEXEC);
	CHECK_EQ(pthread_create(&thread, NULL, change, &c), 0);
	for (int i = 0; i < ROUNDS; i++) {
		struct op_err err = { 0 };
		struct op_model m = { 0 };
		struct op_input in;

		if (!op_input_open(&in, f.path, NULL, &err) &&
		    !op_input_read(&in, NULL, &m, &err))
			op_model_free(&m);
		CHECK(is_closed(&in));
	}
	__atomic_store_n(&c.ends, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	close(c.fd);
	file_end(&f);
}

static void read_once(const struct op_buf *b, const char *path)
{
	struct op_err err = { 0 };
	struct op_input in;
	struct op_model m = { 0 };

	if (path)
		op_input_open(&in, path, NULL, &err);
	else
		op_input_memory(&in, op_view(b->p, b->n), NULL, &err);
	if (!err.code && !op_input_read(&in, NULL, &m, &err))
		op_model_free(&m);
	CHECK(is_closed(&in));
	CHECK(!err.code || (err.code == OP_ENOMEM && op_alloc_failed()));
}

TEST(each_allocation_fails)
{
	struct op_err err = { 0 };
	struct op_buf one = gzipped(message(MESSAGE), 2, &err);
	struct op_buf two = { .err = &err };
	struct file f;

	put_message(&two, MESSAGE);
	put_message(&two, MESSAGE);
	file_put(&f, message(MESSAGE));
	EACH_ALLOC_FAILS(k)
		read_once(&one, NULL);
	EACH_ALLOC_FAILS(k)
		read_once(&two, NULL);
	EACH_ALLOC_FAILS(k)
		read_once(NULL, f.path);
	file_end(&f);
	op_buf_free(&one);
	op_buf_free(&two);
}

TEST_MAIN(reads_a_file, reads_a_file_in_parts, cannot_open, empty, empty_inside,
	  limit, standard_input, packed, packed_limit, format, memory,
	  several_messages, several_messages_unchecked, broken_message,
	  changes_while_it_is_read, each_allocation_fails)
