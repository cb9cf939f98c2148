// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a stream of messages. Each is a part of the stream where it is
 * said to be, behind the one before, and what lies between them is what their
 * framing puts there. It does not matter how the bytes arrive. */
#include "fmt/message_reader.h"

#include <sys/socket.h>
#include <unistd.h>

#include "fuzz/prop.h"

/* A socket that gives away one packet at a time. */
static int socket_of(struct op_view in, size_t packet)
{
	int fds[2];

	PROP(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds));
	for (size_t at = 0; at < in.n; at += packet) {
		size_t n = in.n - at < packet ? in.n - at : packet;

		PROP(send(fds[1], in.p + at, n, 0) == (ssize_t)n);
	}
	close(fds[1]);
	return fds[0];
}

static void gap_check(const struct op_message_reader *r, struct op_view gap,
		      size_t n)
{
	const uint8_t *p = gap.p;

	if (r->framing == OP_FRAMING_LENGTH) {
		PROP(gap.n == 4);
		PROP(n == ((size_t)p[0] << 24 | (size_t)p[1] << 16 |
			   (size_t)p[2] << 8 | p[3]));
	}
	if (r->framing == OP_FRAMING_NONE)
		PROP(!gap.n || (gap.n == 3 && p[0] == 0xef));
}

/* Where messages begin and end, as one number. */
static uint64_t read_all(struct op_view in, size_t packet)
{
	struct op_message_reader r = { .fd = socket_of(in, packet),
				       .max_bytes = 1 << 16 };
	struct op_err err = { 0 };
	struct op_buf message = { 0 };
	uint64_t at, end = 0, sum = 0;
	int got;

	while ((got = op_message_next(&r, &message, &at, &err)) > 0) {
		PROP(at >= end && at + message.n <= in.n);
		PROP(!message.n || !memcmp(in.p + at, message.p, message.n));
		gap_check(&r, op_view(in.p + end, at - end), message.n);
		end = at + message.n;
		sum = sum * 31 + at * 7 + end;
		op_buf_free(&message);
	}
	PROP(got == err.code);
	if (got)
		prop_error(&err, in.n);
	op_message_reader_free(&r);
	close(r.fd);
	return sum * 31 + (uint64_t)(got != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	enum { MAX = 4096, SMALL = 37, LARGE = 1500 };
	struct op_view in = op_view(p, n < MAX ? n : MAX);

	PROP(read_all(in, SMALL) == read_all(in, LARGE));
	return 0;
}
