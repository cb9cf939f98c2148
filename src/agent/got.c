// SPDX-License-Identifier: Apache-2.0
/* agent/got.c: has calls of functions of other libraries lead elsewhere. */
#include "agent/got.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/loads.h"

struct object {
	const struct dl_phdr_info *info;
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Rela) * rela, *plt;
	size_t nr_rela, nr_plt;
	/* Read-only after relocation. */
	uintptr_t relro, relro_end;
};

struct job {
	const struct op_got_hook *hooks;
	size_t nr;
	uint32_t nr_changed;
};

/* glibc makes them addresses when it loads an object; others do not. */
static const void *pointer(const struct object *o, uint64_t v)
{
	return (const void *)(v < o->info->dlpi_addr ? v + o->info->dlpi_addr :
						       v);
}

static void take_dynamic(struct object *o, const ElfW(Dyn) * d)
{
	for (; d->d_tag != DT_NULL; d++)
		switch (d->d_tag) {
		case DT_SYMTAB:
			o->symbols = pointer(o, d->d_un.d_ptr);
			break;
		case DT_STRTAB:
			o->names = pointer(o, d->d_un.d_ptr);
			break;
		case DT_RELA:
			o->rela = pointer(o, d->d_un.d_ptr);
			break;
		case DT_RELASZ:
			o->nr_rela = d->d_un.d_val / sizeof(*o->rela);
			break;
		case DT_JMPREL:
			o->plt = pointer(o, d->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			o->nr_plt = d->d_un.d_val / sizeof(*o->plt);
			break;
		default:
			break;
		}
}

static bool is_this(const struct dl_phdr_info *info)
{
	uintptr_t here = (uintptr_t)is_this;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && here >= start &&
		    here - start < p->p_memsz)
			return true;
	}
	return false;
}

static bool object_open(struct object *o, const struct dl_phdr_info *info)
{
	*o = (struct object){ .info = info };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_DYNAMIC)
			take_dynamic(o, (const void *)at);
		if (p->p_type == PT_GNU_RELRO) {
			o->relro = at;
			o->relro_end = at + p->p_memsz;
		}
	}
	return o->symbols && o->names;
}

static void slot_set(const struct object *o, void **slot, void *to,
		     struct job *j)
{
	uintptr_t at = (uintptr_t)slot;
	uintptr_t page = at & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	size_t bytes = at + sizeof(*slot) - page;
	bool is_sealed = at >= o->relro && at < o->relro_end;

	if (*slot == to)
		return;
	if (is_sealed && mprotect((void *)page, bytes, PROT_READ | PROT_WRITE))
		return;
	__atomic_store_n(slot, to, __ATOMIC_RELEASE);
	if (is_sealed)
		mprotect((void *)page, bytes, PROT_READ);
	j->nr_changed++;
}

static void relocations(const struct object *o, const ElfW(Rela) * r, size_t nr,
			struct job *j)
{
	for (size_t i = 0; r && i < nr; i++) {
		unsigned long type = ELF64_R_TYPE(r[i].r_info);
		const ElfW(Sym) *sym = &o->symbols[ELF64_R_SYM(r[i].r_info)];
		const char *name = o->names + sym->st_name;

		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
			continue;
		for (size_t k = 0; k < j->nr; k++)
			if (!strcmp(name, j->hooks[k].name))
				slot_set(o,
					 (void **)(o->info->dlpi_addr +
						   r[i].r_offset),
					 j->hooks[k].to, j);
	}
}

static int visit(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct job *j = arg;
	struct object o;

	(void)bytes;
	if (is_this(info) || !object_open(&o, info))
		return 0;
	relocations(&o, o.plt, o.nr_plt, j);
	relocations(&o, o.rela, o.nr_rela, j);
	return 0;
}

uint32_t op_got_patch(const struct op_got_hook *hooks, size_t nr)
{
	struct job j = { .hooks = hooks, .nr = nr };

	op_loads_each(visit, &j);
	return j.nr_changed;
}
