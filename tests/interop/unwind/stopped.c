// SPDX-License-Identifier: Apache-2.0
/* A thread that is stopped: its registers, stack and maps. */
#include "stopped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

enum { BELOW = 512 };

static void regs_of(const struct user_regs_struct *u, uint64_t *r)
{
	const uint64_t all[NR_REGS] = {
		u->rax, u->rdx, u->rcx, u->rbx, u->rsi, u->rdi,
		u->rbp, u->rsp, u->r8,	u->r9,	u->r10, u->r11,
		u->r12, u->r13, u->r14, u->r15, u->rip,
	};

	memcpy(r, all, sizeof(all));
}

static size_t copy(pid_t pid, uint64_t at, void *to, size_t n)
{
	struct iovec local = { to, n }, remote = { (void *)at, n };
	ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return got < 0 ? 0 : (size_t)got;
}

static void take_vdso(struct stopped *s)
{
	struct snap *to = &s->snap;

	for (size_t i = 0; i < to->nr_maps && !to->vdso; i++) {
		const struct snap_map *m = &to->maps[i];
		size_t n = (size_t)(m->end - m->start);
		uint8_t *p;

		if (strcmp(m->path, "[vdso]"))
			continue;
		p = malloc(n);
		to->vdso_bytes = p ? copy(s->pid, m->start, p, n) : 0;
		to->vdso = p;
	}
}

static bool take_maps(struct stopped *s)
{
	char path[64];
	char *text;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/maps", s->pid);
	text = file_text(path, &n);
	if (!text || !n)
		return false;
	if (s->maps_text && n == s->maps_bytes &&
	    !memcmp(text, s->maps_text, n)) {
		free(text);
		return true;
	}
	free(s->maps_text);
	free(s->snap.maps);
	s->maps_text = text;
	s->maps_bytes = n;
	s->snap.maps = maps_parse(text, &s->snap.nr_maps);
	s->snap.maps_id++;
	take_vdso(s);
	return true;
}

bool stopped_take(struct stopped *s, pid_t tid)
{
	struct user_regs_struct regs;
	const struct snap_map *m;
	uint64_t from;
	size_t n;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) || !take_maps(s))
		return false;
	regs_of(&regs, s->snap.regs);
	m = snap_map_at(&s->snap, regs.rsp);
	if (!m)
		return false;
	from = regs.rsp - BELOW;
	if (from < m->start)
		from = m->start;
	n = (size_t)(m->end - from);
	s->part.at = from;
	s->part.p = s->stack;
	s->part.n = copy(s->pid, from, s->stack,
			 n < STOPPED_STACK ? n : STOPPED_STACK);
	s->snap.parts = &s->part;
	s->snap.nr_parts = 1;
	return s->part.n > 0;
}
