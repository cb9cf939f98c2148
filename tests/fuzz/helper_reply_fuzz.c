// SPDX-License-Identifier: Apache-2.0
/* Any bytes as what a helper for symbols answers: frames have names that lie
 * in the answer, and written again they are the same bytes. */
#include "fuzz/prop.h"
#include "sym/helper_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static struct op_sym_frame frames[OP_LINES_MAX];
	static uint8_t again[OP_HELPER_REPLY_MAX];
	size_t written = 0;
	int nr;

	if (!n || n > sizeof(again))
		return 0;
	nr = op_helper_reply_read(op_view(p + 1, n - 1), p[0], frames);
	for (int i = 0; i < nr; i++) {
		PROP(frames[i].name.n);
		PROP(op_helper_frame_put(again, &written, sizeof(again),
					 &frames[i]));
	}
	if (nr >= 0) {
		PROP(nr == p[0] && written == n - 1);
		PROP(!written || !memcmp(again, p + 1, written));
	}
	return 0;
}
