// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include "record/recorder_int.h"
#include "unit/host/proc_tree.h"

static struct op_recorder r;
static struct op_err err;

static const struct op_host_mmap known = {
	.pid = 42,
	.tid = 42,
	.start = 0x1000,
	.len = 0x1000,
	.prot = PROT_READ | PROT_EXEC,
	.inode = 7,
};

/* A process 42 of which one mapping is known. */
static void begin(void)
{
	struct op_host_mmap m = known;

	folder_make(&tree);
	memset(&r, 0, sizeof(r));
	err = (struct op_err){ 0 };
	r.err = &err;
	r.host.is_live = true;
	op_host_init(&r.host, &err);
	r.proc.root = tree.path;
	m.name = op_view_z("/bin/prog");
	op_host_mmap(&r.host, &m);
}

static void end(void)
{
	op_host_fini(&r.host);
	op_proc_fini(&r.proc);
	tree_end();
}

static bool has(uint64_t address)
{
	struct op_host_space *s = op_rec_space(&r, 42);

	return s && op_host_map_find(s, address);
}

/* Mappings are replaced by what the process has now, once a second at most. */
TEST(reread)
{
	struct op_rec_process p = { .pid = 42 };

	begin();
	CHECK(has(0x1800) && !has(0x5800));
	tree_text("42/maps", "5000-6000 r-xp 0 08:01 9 /bin/prog\n");
	op_rec_reread(&r, &p, 1000000000);
	CHECK(!has(0x1800) && has(0x5800));
	tree_text("42/maps", "8000-9000 r-xp 0 08:01 9 /bin/prog\n");
	op_rec_reread(&r, &p, 1500000000);
	CHECK(has(0x5800));
	op_rec_reread(&r, &p, 2500000000);
	CHECK(!has(0x5800) && has(0x8800));
	end();
}

/* One that has ended has no mappings, but had some when it was sampled. */
TEST(ended)
{
	struct op_rec_process p = { .pid = 42 };

	begin();
	op_rec_reread(&r, &p, 1000000000);
	CHECK(has(0x1800));
	tree_text("42/maps", ""); /* a zombie */
	op_rec_reread(&r, &p, 3000000000);
	CHECK(has(0x1800));
	CHECK_EQ(err.code, OP_OK);
	end();
}

TEST_MAIN(reread, ended)
