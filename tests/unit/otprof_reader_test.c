// SPDX-License-Identifier: Apache-2.0
/* Streams of include/otprof.h: message by message. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "otprof.h"

/* A message with one profile that has nothing but this type. */
static void message_put(struct op_buf *out, const char *type,
			const char *format)
{
	struct otprof_write_opts opts;
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;
	struct otprof_identity id = { 0 };
	struct otprof_profile head;
	struct otprof *p = NULL;
	uint8_t *bytes = NULL;
	size_t n = 0;
	uint32_t scope;

	OTPROF_INIT(&opts);
	OTPROF_INIT(&head);
	opts.format = format;
	head.type = otprof_str(type);
	otprof_builder_new(0, &b, &err);
	scope = otprof_build_scope(b, otprof_build_resource(b, NULL, 0), "", "",
				   NULL, 0);
	otprof_build_add(b, otprof_build_profile(b, scope, &head), id, 1);
	CHECK_EQ(otprof_builder_take(b, &p, &err), OTPROF_OK);
	CHECK_EQ(otprof_write_memory(p, &opts, &bytes, &n, &err), OTPROF_OK);
	if (!strcmp(format, "otlp")) {
		op_buf_byte(out, (int)(n >> 24));
		op_buf_byte(out, (int)(n >> 16 & 255));
		op_buf_byte(out, (int)(n >> 8 & 255));
		op_buf_byte(out, (int)(n & 255));
	}
	op_buf_view(out, op_view(bytes, n));
	otprof_bytes_free(bytes);
	otprof_free(p);
	otprof_builder_free(b);
}

/* The types of the profiles in a stream, then how it ended. */
static const char *types_in(struct op_view stream,
			    const struct otprof_open_opts *opts)
{
	static char text[600];
	struct otprof_err err = { 0 };
	struct otprof_reader *r = NULL;
	struct otprof *p = NULL;
	FILE *f = tmpfile();
	size_t n = 0;
	int got = 0;

	CHECK_EQ(fwrite(stream.p, 1, stream.n, f), stream.n);
	rewind(f);
	CHECK_EQ(otprof_reader_new(fileno(f), opts, &r, &err), OTPROF_OK);
	text[0] = 0;
	while (r && (got = otprof_reader_next(r, &p, &err)) > 0) {
		struct otprof_profile head;

		OTPROF_INIT(&head);
		CHECK_EQ(otprof_profile(p, 0, &head, &err), OTPROF_OK);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%.*s ",
				      (int)head.type.n, head.type.p);
		otprof_free(p);
	}
	CHECK_EQ(got, err.code);
	snprintf(text + n, sizeof(text) - n, "%s", got ? err.text : ".");
	otprof_reader_free(r);
	fclose(f);
	return text;
}

TEST(messages_behind_their_lengths)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };
	char want[100];

	message_put(&b, "one", "otlp");
	message_put(&b, "two", "otlp");
	CHECK_STR(types_in(op_view(b.p, b.n), NULL), "one two .");
	snprintf(want, sizeof(want),
		 "one the stream ends inside a message (at byte %zu)", b.n - 1);
	CHECK_STR(types_in(op_view(b.p, b.n - 1), NULL), want);
	op_buf_free(&b);
}

TEST(objects)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };

	op_buf_z(&b, " \n");
	message_put(&b, "one}\\\"{", "otlp-json");
	op_buf_z(&b, "\r\n\n");
	message_put(&b, "two", "otlp-json");
	CHECK_STR(types_in(op_view(b.p, b.n), NULL), "one}\\\"{ two .");
	op_buf_free(&b);
}

TEST(one_message)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };

	message_put(&b, "one", "otlp");
	CHECK_STR(types_in(op_view(b.p + 4, b.n - 4), NULL), "one .");
	CHECK_STR(types_in(op_view_z("main;f 3\n"), NULL), "samples .");
	CHECK_STR(types_in(op_view_z(""), NULL), ".");
	op_buf_free(&b);
}

TEST(what_is_broken)
{
	CHECK_STR(types_in(op_view("\0\0\0\5abc", 7), NULL),
		  "the stream ends inside a message (at byte 7)");
	CHECK_STR(types_in(op_view("\0\0", 2), NULL),
		  "the stream ends inside a message (at byte 2)");
	CHECK_STR(types_in(op_view("\0\0\0\1\7", 5), NULL),
		  "not a profile in any known format (at byte 4)");
	CHECK_STR(types_in(op_view_z("{\"a\": [1, {}"), NULL),
		  "the stream ends inside a message (at byte 12)");
}

TEST(limits)
{
	struct otprof_open_opts opts;

	OTPROF_INIT(&opts);
	opts.max_bytes = 100;
	CHECK_STR(types_in(op_view("\0\1\0\0", 4), &opts),
		  "a message of more than 100 bytes (at byte 0)");
	opts.max_bytes = 4;
	CHECK_STR(types_in(op_view_z("main;f 3\n"), &opts),
		  "a message of more than 4 bytes (at byte 0)");
	CHECK_STR(types_in(op_view_z("{      "), &opts),
		  "a message of more than 4 bytes (at byte 0)");
}

TEST(cannot_read)
{
	struct otprof_err err = { 0 };
	struct otprof_reader *r = NULL;
	struct otprof *p = NULL;

	CHECK_EQ(otprof_reader_new(-1, NULL, &r, &err), OTPROF_OK);
	CHECK_EQ(otprof_reader_next(r, &p, &err), OTPROF_EIO);
	CHECK_STR(err.text, "cannot read: Bad file descriptor");
	CHECK_EQ(otprof_reader_next(r, &p, &err), OTPROF_EIO);
	otprof_reader_free(r);
	otprof_reader_free(NULL);
}

TEST_MAIN(messages_behind_their_lengths, objects, one_message, what_is_broken,
	  limits, cannot_read)
