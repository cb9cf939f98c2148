// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "snap.h"
#include "sym/unwind.h"
#include "sym/unwind_build.h"
#include "sym/unwind_elf.h"

/* A file and its table, made when it is first met, a page at a time. */
struct module {
	struct module *next;
	char path[512];
	bool is_good;
	struct op_elf elf;
	struct op_arena mem;
	struct op_err err;
	struct op_cfi cfi;
	struct op_unwind_build build;
	struct op_unwind_table table;
};

static struct module *modules;

static struct op_view map_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd,
			 0);
	if (fd >= 0)
		close(fd);
	if (p == MAP_FAILED)
		return (struct op_view){ 0 };
	return op_view(p, (size_t)st.st_size);
}

static bool module_open(struct module *m, struct op_view file)
{
	return file.n && !op_elf_open(&m->elf, file, &m->err) &&
	       !op_unwind_elf(&m->elf, &m->mem, &m->cfi, &m->err) &&
	       !op_unwind_build_init(&m->build, &m->cfi, &m->mem, &m->err) &&
	       !op_unwind_build_table(&m->build, &m->table);
}

static struct module *module_of(const struct snap *s, const char *path)
{
	struct module *m;
	struct op_view file;

	for (m = modules; m; m = m->next)
		if (!strcmp(m->path, path))
			return m;
	m = calloc(1, sizeof(*m));
	if (!m)
		abort();
	snprintf(m->path, sizeof(m->path), "%s", path);
	file = strcmp(path, "[vdso]") ? map_file(path) :
					op_view(s->vdso, s->vdso_bytes);
	m->is_good = module_open(m, file);
	m->next = modules;
	modules = m;
	return m;
}

/* The newest module of the last code(), for build_page(). */
static struct module *last_module;

static enum op_code_kind code(void *arg, uint64_t pc,
			      struct op_unwind_code *out)
{
	const struct snap *s = arg;
	const struct snap_map *map = snap_map_at(s, pc);
	struct module *m;
	uint64_t vaddr;

	if (!map || !map->is_code)
		return OP_CODE_NONE;
	if (!map->path[0] || (map->path[0] == '[' && map->path[1] != 'v'))
		return OP_CODE_BARE;
	m = module_of(s, map->path);
	if (!m->is_good || !op_elf_memory_to_vaddr(&m->elf, map->start,
						   map->offset, pc, &vaddr))
		return OP_CODE_BARE;
	last_module = m;
	out->table = m->table;
	out->bias = pc - vaddr;
	return OP_CODE_TABLE;
}

static bool read_word(void *arg, uint64_t at, unsigned int n, uint64_t *out)
{
	*out = 0;
	return snap_read(arg, at, out, n);
}

/* Builds the page that the frame asked for; the old block stays good. */
static bool build_page(struct op_unwind *u)
{
	struct module *m = last_module;
	uint64_t vaddr = u->regs.r[OP_RIP] - !u->is_exact - u->code.bias;
	uint32_t page;

	if (!op_unwind_build_page_of(&m->build, vaddr, &page) ||
	    op_unwind_build_pages(&m->build, page, 1) ||
	    op_unwind_build_table(&m->build, &m->table))
		return false;
	u->code.table = m->table;
	return true;
}

size_t ours_unwind(const struct snap *s, uint64_t *pcs, const char **why)
{
	const struct op_unwind_env env = { read_word, code, (void *)s };
	struct op_unwind_regs regs = { .known = OP_ALL_REGS };
	struct op_unwind u;
	size_t n = 0;

	memcpy(regs.r, s->regs, sizeof(regs.r));
	op_unwind_begin(&u, &env, &regs);
	for (;;) {
		pcs[n++] = u.regs.r[OP_RIP];
		if (n == MAX_FRAMES)
			break;
		if (op_unwind_next(&u))
			continue;
		if (u.end != OP_UNWIND_UNBUILT || !build_page(&u) ||
		    !op_unwind_next(&u))
			break;
	}
	*why = op_unwind_end_text(u.end);
	return n;
}

const char *ours_excuse(const struct snap *s, uint64_t pc)
{
	struct op_unwind_code c;
	const struct op_rule *r;

	if (code((void *)s, pc - 1, &c) != OP_CODE_TABLE ||
	    op_unwind_find(&c.table, pc - 1 - c.bias, &r) != OP_FOUND)
		return NULL;
	if (r->cfa == OP_CFA_REG && r->cfa_reg == OP_RBX)
		return "elfutils loses rbx";
	if (r->cfa == OP_CFA_SIGNAL)
		return "elfutils wants an FDE for rt_sigreturn";
	return NULL;
}
