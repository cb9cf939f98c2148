// SPDX-License-Identifier: Apache-2.0
/* pb/read.c: reads fields of the protobuf wire format. */
#include "pb/read.h"

void op_pb_bad_tag(struct op_err *err, uint64_t at, uint64_t tag)
{
	if (tag > UINT32_MAX || tag < 8)
		op_fail_at(err, OP_EFORMAT, at, "invalid field number %llu",
			   (unsigned long long)(tag >> 3));
	else if ((tag & 7) == 3 || (tag & 7) == 4)
		op_fail_at(err, OP_EFORMAT, at,
			   "field %llu is a group, which is not supported",
			   (unsigned long long)(tag >> 3));
	else
		op_fail_at(err, OP_EFORMAT, at,
			   "field %llu has invalid wire type %llu",
			   (unsigned long long)(tag >> 3),
			   (unsigned long long)(tag & 7));
}

size_t op_pb_count(struct op_view run)
{
	size_t n = 0;

	for (size_t i = 0; i < run.n; i++)
		n += run.p[i] < 0x80;
	return n;
}
