// SPDX-License-Identifier: Apache-2.0
/* sym/debugdata.c: .gnu_debugdata: symbols compressed with LZMA. */
#include "sym/debugdata.h"

#include <lzma.h>

enum { CHUNK = 64 * 1024, MAX_MEMORY = 128 << 20 };

/* Decompresses all of the stream and appends it to out. */
static bool unpack(lzma_stream *s, struct op_buf *out)
{
	lzma_ret r = LZMA_OK;

	while (r == LZMA_OK) {
		uint8_t *to;

		if (out->limit && out->limit - out->n < CHUNK)
			return false;
		to = op_buf_add(out, CHUNK);
		if (!to)
			return false;
		s->next_out = to;
		s->avail_out = CHUNK;
		r = lzma_code(s, LZMA_FINISH);
		out->n -= s->avail_out;
		if (s->avail_out == CHUNK && r == LZMA_OK)
			return false; /* truncated */
	}
	return r == LZMA_STREAM_END;
}

bool op_debugdata(const struct op_elf *e, struct op_buf *out)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct op_err err = { 0 };
	struct op_buf to = { .limit = out->limit, .err = &err };
	struct op_elf_section s;
	bool ok;

	if (!op_elf_section(e, ".gnu_debugdata", &s) || !s.bytes.n ||
	    lzma_stream_decoder(&stream, MAX_MEMORY, 0) != LZMA_OK)
		return false;
	stream.next_in = s.bytes.p;
	stream.avail_in = s.bytes.n;
	ok = unpack(&stream, &to);
	lzma_end(&stream);
	if (!ok) {
		op_buf_free(&to);
		return false;
	}
	to.err = out->err;
	op_buf_free(out);
	*out = to;
	return true;
}
