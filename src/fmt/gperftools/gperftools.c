// SPDX-License-Identifier: Apache-2.0
/* fmt/gperftools/gperftools.c: profiles of gperftools, and the others that
 * pprof reads from the time before its protobuf: of C++, Go and Java. */
#include "fmt/gperftools/gperftools_int.h"

static int gperftools_sniff(struct op_view in)
{
	return op_gperf_is_cpu(in) || op_gperf_is_text(in) ? 95 : 0;
}

const struct op_format op_format_gperftools = {
	.name = "gperftools",
	.summary = "gperftools' CPU and heap profiles, pprof's older formats",
	.copies = true,
	.sniff = gperftools_sniff,
	.read = op_gperf_read,
};
