// SPDX-License-Identifier: Apache-2.0
/* The oracle: elfutils, given the same registers, memory and files. */
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "snap.h"

static Dwfl *dwfl;
static unsigned int dwfl_maps_id;
static const struct snap *now;

struct frames {
	uint64_t *pcs;
	size_t n;
};

static pid_t next_thread(Dwfl *d, void *arg, void **thread)
{
	(void)d, (void)arg;
	if (*thread)
		return 0;
	*thread = (void *)1;
	return 1;
}

static bool get_thread(Dwfl *d, pid_t tid, void *arg, void **thread)
{
	(void)d, (void)tid, (void)arg;
	*thread = (void *)1;
	return true;
}

static bool memory_read(Dwfl *d, Dwarf_Addr at, Dwarf_Word *out, void *arg)
{
	(void)d, (void)arg;
	return snap_read(now, at, out, sizeof(*out));
}

static bool initial_registers(Dwfl_Thread *thread, void *arg)
{
	Dwarf_Word regs[NR_REGS];

	(void)arg;
	for (int i = 0; i < NR_REGS; i++)
		regs[i] = now->regs[i];
	dwfl_thread_state_register_pc(thread, regs[16]);
	return dwfl_thread_state_registers(thread, 0, NR_REGS, regs);
}

static const Dwfl_Thread_Callbacks threads = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = initial_registers,
};

/* The vDSO as a file, which is what dwfl reads. */
static int vdso_file(const struct snap *s)
{
	char path[] = "/tmp/vdsoXXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		return -1;
	unlink(path);
	if (write(fd, s->vdso, s->vdso_bytes) != (ssize_t)s->vdso_bytes) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Where a file's vaddr 0 is, by one of its mappings. */
static bool bias_of(int fd, const struct snap_map *m, GElf_Addr *out)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool found = false;
	GElf_Phdr ph;
	size_t nr = 0;

	if (elf)
		elf_getphdrnum(elf, &nr);
	for (size_t i = 0; i < nr && !found; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		if (m->offset < (ph.p_offset & -4096ull) ||
		    m->offset >= ph.p_offset + ph.p_filesz)
			continue;
		*out = m->start - m->offset + ph.p_offset - ph.p_vaddr;
		found = true;
	}
	elf_end(elf);
	return found;
}

static void report(const struct snap *s, const struct snap_map *m)
{
	bool is_vdso = !strcmp(m->path, "[vdso]");
	int fd = is_vdso ? vdso_file(s) : open(m->path, O_RDONLY | O_CLOEXEC);
	GElf_Addr bias;

	if (fd < 0)
		return;
	if (!bias_of(fd, m, &bias) ||
	    !dwfl_report_elf(dwfl, m->path, m->path, fd, bias, true))
		close(fd);
}

/* A file may be mapped again elsewhere, as node does with a part of its own
 * code; the lowest place is the one it was loaded at. */
static bool is_lowest(const struct snap *s, const struct snap_map *m)
{
	for (size_t i = 0; i < s->nr_maps; i++)
		if (s->maps[i].is_code && s->maps[i].start < m->start &&
		    !strcmp(s->maps[i].path, m->path))
			return false;
	return true;
}

static bool open_dwfl(const struct snap *s)
{
	static char *nowhere = "";
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &nowhere,
	};
	if (dwfl && dwfl_maps_id == s->maps_id)
		return true;
	elf_version(EV_CURRENT);
	unsetenv("DEBUGINFOD_URLS");
	dwfl_end(dwfl);
	dwfl = dwfl_begin(&callbacks);
	dwfl_maps_id = s->maps_id;
	dwfl_report_begin(dwfl);
	for (size_t i = 0; i < s->nr_maps; i++) {
		const struct snap_map *m = &s->maps[i];

		if (!m->is_code ||
		    (m->path[0] != '/' && strcmp(m->path, "[vdso]")))
			continue;
		if (is_lowest(s, m))
			report(s, m);
	}
	dwfl_report_end(dwfl, NULL, NULL);
	return dwfl_attach_state(dwfl, NULL, 1, &threads, NULL);
}

static int frame(Dwfl_Frame *state, void *arg)
{
	struct frames *f = arg;
	Dwarf_Addr pc;

	if (f->n == MAX_FRAMES || !dwfl_frame_pc(state, &pc, NULL))
		return DWARF_CB_ABORT;
	f->pcs[f->n++] = pc;
	return DWARF_CB_OK;
}

size_t libdw_unwind(const struct snap *s, uint64_t *pcs, const char **why)
{
	struct frames f = { pcs, 0 };
	int rc;

	now = s;
	if (!open_dwfl(s)) {
		fprintf(stderr, "dwfl: %s\n", dwfl_errmsg(-1));
		exit(1);
	}
	rc = dwfl_getthread_frames(dwfl, 1, frame, &f);
	*why = rc < 0 ? dwfl_errmsg(-1) : "complete";
	return f.n;
}
