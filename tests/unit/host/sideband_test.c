// SPDX-License-Identifier: Apache-2.0
#include "host_fixture.h"

static struct op_view kernel_at(uint64_t address)
{
	const struct op_host_map *m = op_host_map_find(&host.maps.kernel,
						       address);

	return m ? host.maps.binaries.p[m->binary].name : op_view_z("");
}

static void kernel_map(uint64_t start, uint64_t len, const char *name)
{
	struct op_host_mmap m = { .start = start,
				  .len = len,
				  .is_kernel = true,
				  .name = op_view_z(name) };

	op_host_mmap(&host, &m);
}

/* The kernel reaches up to its first module. */
TEST(kernel)
{
	struct op_host_ksymbol k = { .start = 0x90000000,
				     .len = 100,
				     .name = op_view_z("bpf_prog_x") };

	host_begin(false);
	kernel_map(0xc0000000, 0x1000, "[module]");
	kernel_map(0x80000000, 0x1000, "[kernel.kallsyms]_text");
	CHECK(op_view_is(kernel_at(0x80000000), "[kernel.kallsyms]"));
	CHECK(op_view_is(kernel_at(0xbfffffff), "[kernel.kallsyms]"));
	CHECK(op_view_is(kernel_at(0xc0000000), "[module]"));
	op_host_ksymbol(&host, &k);
	CHECK(op_view_is(kernel_at(0x90000063), "bpf_prog_x"));
	CHECK(op_view_is(kernel_at(0x90000064), "[kernel.kallsyms]"));
	k.is_gone = true;
	op_host_ksymbol(&host, &k);
	CHECK(op_view_is(kernel_at(0x90000063), ""));
	host_end();
}

/* Code without a file is named by the file that JITs write. */
TEST(code)
{
	struct op_host_mmap data = { .pid = 5,
				     .start = 0x100000,
				     .len = 1,
				     .prot = PROT_READ,
				     .name = op_view_z("/data") };

	host_begin(false);
	host_map(5, 0x1000, 0x1000, "//anon");
	host_map(5, 0x2000, 0x1000, "");
	host_map(5, 0x3000, 0x1000, "[heap]");
	host_map(5, 0x4000, 0x1000, "[vdso]");
	op_host_mmap(&host, &data);
	CHECK(op_view_is(host_at(5, 0x1000), "/tmp/perf-5.map"));
	CHECK(op_view_is(host_at(5, 0x2000), "/tmp/perf-5.map"));
	CHECK(op_view_is(host_at(5, 0x3000), "[heap]"));
	CHECK(op_view_is(host_at(5, 0x4000), "[vdso]"));
	CHECK(op_view_is(host_at(5, 0x100000), ""));
	CHECK_EQ(host.maps.binaries.p[0].kind, OP_BINARY_CODE);
	CHECK_EQ(host.maps.binaries.p[1].kind, OP_BINARY_CODE);
	CHECK_EQ(host.maps.binaries.p[2].kind, OP_BINARY_FILE);
	CHECK_EQ(host_program(5).n, 0);
	host_end();
}

/* Any bytes: whatever a record says, nothing breaks. Each is a copy of its
 * size, so that reading past it is seen. */
TEST(any_bytes)
{
	static const uint8_t types[] = { 1, 3, 4, 7, 10, 17, 19, 9, 2, 77 };
	uint64_t random = 1, applied = 0;

	host_begin(true);
	for (int i = 0; i < 20000; i++) {
		struct op_arena mem = { .err = &err };
		uint16_t size;
		uint8_t *p;

		random = random * 6364136223846793005u + 1442695040888963407u;
		size = (uint16_t)(8 + (random >> 40) % 100);
		p = op_arena_alloc(&mem, size);
		for (uint16_t k = 0; k < size; k++) {
			random = random * 6364136223846793005u + 99;
			/* Small numbers, so that rows meet. */
			p[k] = random >> 40 & 7 ? 0 :
						  (uint8_t)(random >> 50 & 15);
		}
		struct op_record r = { p, types[(random >> 33) % sizeof(types)],
				       (uint16_t)(random >> 13 & 0x7007), size,
				       random >> 12 & 1 };
		applied += op_host_apply(&host, &r);
		op_arena_free(&mem);
		if (i % 1000 == 0)
			op_host_sweep(&host, NULL, NULL);
	}
	CHECK(applied > 5000 && applied < 16000);
	CHECK_EQ(err.code, 0);
	host_end();
}

TEST_MAIN(kernel, code, any_bytes)
