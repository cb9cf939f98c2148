// SPDX-License-Identifier: Apache-2.0
/* agent/got.c: has calls of functions of other libraries lead elsewhere.
 *
 * Another thread may be in dlopen(): objects are in the list before they are
 * relocated, and no lock that we can take keeps the loader from writing to
 * them meanwhile. Such an object is left alone until it is done. */
#include "agent/got.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/loads.h"

struct object {
	const struct dl_phdr_info *info;
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Rela) * rela, *plt;
	size_t nr_rela, nr_plt;
	/* Whole pages that are read-only after relocation. */
	uintptr_t relro, relro_end;
};

enum { MAX_HOOKS = 16, MAX_OWN = 4 };

struct job {
	const struct op_got_hook *hooks;
	size_t nr;
	/* Where the slots of this object for these functions lead to. It has
	 * more than one if the program takes the address of a function: that of
	 * a stub in the program. */
	uintptr_t own[MAX_HOOKS][MAX_OWN];
	uint32_t nr_changed;
	bool is_learning, is_pending;
};

/* What is done with the slot of hook k. False: with no other one. */
typedef bool slot_fn(const struct object *o, const ElfW(Rela) * r, size_t k,
		     struct job *j);

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

static bool is_in(const struct dl_phdr_info *info, uintptr_t at)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && at >= start &&
		    at - start < p->p_memsz)
			return true;
	}
	return false;
}

static bool is_this(const struct dl_phdr_info *info)
{
	return is_in(info, (uintptr_t)is_this);
}

static uintptr_t page_of(uintptr_t at)
{
	return at & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
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
			o->relro = page_of(at);
			o->relro_end = page_of(at + p->p_memsz);
		}
	}
	return o->symbols && o->names;
}

/* The kernel adds 0 to a number there, at once, or says that it cannot. */
static bool is_writable(uintptr_t at)
{
	enum { ADD_0 = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0) };
	uint32_t nobody = 0;

	return syscall(SYS_futex, &nobody, FUTEX_WAKE_OP_PRIVATE, 0L, 0L, at,
		       ADD_0) >= 0 ||
	       errno != EFAULT;
}

/* The last thing that the loader does is to protect these pages. */
static bool is_being_loaded(const struct object *o)
{
	return o->relro < o->relro_end && is_writable(o->relro);
}

/* Without such pages: before it is relocated, a slot has no address. */
static bool is_relocated(const struct object *o, void *const *slot)
{
	uintptr_t now = (uintptr_t)__atomic_load_n(slot, __ATOMIC_RELAXED);

	return now && (o->relro < o->relro_end || now >= o->info->dlpi_addr);
}

static void **slot_at(const struct object *o, const ElfW(Rela) * r)
{
	return (void **)(o->info->dlpi_addr + r->r_offset);
}

static bool slot_set(const struct object *o, const ElfW(Rela) * r, size_t k,
		     struct job *j)
{
	void **slot = slot_at(o, r), *to = j->hooks[k].to;
	uintptr_t at = (uintptr_t)slot;
	uintptr_t page = page_of(at);
	size_t bytes = at + sizeof(*slot) - page;
	bool is_sealed = at >= o->relro && at < o->relro_end;

	if (*slot == to || !is_relocated(o, slot))
		return true;
	if (is_sealed && mprotect((void *)page, bytes, PROT_READ | PROT_WRITE))
		return true;
	__atomic_store_n(slot, to, __ATOMIC_RELEASE);
	if (is_sealed)
		mprotect((void *)page, bytes, PROT_READ);
	j->nr_changed++;
	return true;
}

static bool slot_learn(const struct object *o, const ElfW(Rela) * r, size_t k,
		       struct job *j)
{
	uintptr_t now = (uintptr_t)*slot_at(o, r), *own = j->own[k];
	size_t i = 0;

	while (i < MAX_OWN - 1 && own[i] && own[i] != now)
		i++;
	own[i] = now;
	return true;
}

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static bool is_hook(uintptr_t now)
{
	return now >= (uintptr_t)__ehdr_start && now < (uintptr_t)etext;
}

/* Whether it leads to the function that the agent calls, to a hook, or still to
 * the loader by way of a stub in the object. */
static bool slot_check(const struct object *o, const ElfW(Rela) * r, size_t k,
		       struct job *j)
{
	const ElfW(Sym) *sym = &o->symbols[ELF64_R_SYM(r->r_info)];
	uintptr_t now = (uintptr_t)__atomic_load_n(slot_at(o, r),
						   __ATOMIC_RELAXED);

	for (size_t i = 0; i < MAX_OWN; i++)
		if (now == j->own[k][i])
			return true;
	if (is_hook(now) || !is_relocated(o, slot_at(o, r)))
		return true;
	return is_in(o->info, now) &&
	       !(sym->st_shndx && now == o->info->dlpi_addr + sym->st_value);
}

static bool each_hook(const struct object *o, const ElfW(Rela) * r, slot_fn *fn,
		      struct job *j)
{
	const ElfW(Sym) *sym = &o->symbols[ELF64_R_SYM(r->r_info)];
	const char *name = o->names + sym->st_name;

	for (size_t k = 0; k < j->nr; k++)
		if (!strcmp(name, j->hooks[k].name) && !fn(o, r, k, j))
			return false;
	return true;
}

/* Words with an address are learnt from, but they are the program's. */
static bool is_of_slot(unsigned long type, const struct job *j)
{
	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
	       (type == R_X86_64_64 && j->is_learning);
}

/* False: fn has said so. */
static bool each_slot(const struct object *o, slot_fn *fn, struct job *j)
{
	const ElfW(Rela) *const tables[] = { o->plt, o->rela };
	const size_t nr[] = { o->nr_plt, o->nr_rela };

	for (size_t t = 0; t < op_countof(tables); t++)
		for (size_t i = 0; tables[t] && i < nr[t]; i++)
			if (is_of_slot(ELF64_R_TYPE(tables[t][i].r_info), j) &&
			    !each_hook(o, &tables[t][i], fn, j))
				return false;
	return true;
}

/* An object with another malloc() than the program, because it was loaded with
 * RTLD_DEEPBIND or has one for itself, is left alone: what one of them has
 * allocated the other one cannot free. */
static int visit(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct job *j = arg;
	struct object o;

	(void)bytes;
	if (is_this(info) || !object_open(&o, info))
		return 0;
	if (is_being_loaded(&o))
		j->is_pending = true;
	else if (each_slot(&o, slot_check, j))
		each_slot(&o, slot_set, j);
	return 0;
}

static int learn(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct object o;

	(void)bytes;
	if (!is_this(info))
		return 0;
	if (object_open(&o, info))
		each_slot(&o, slot_learn, arg);
	return 1;
}

uint32_t op_got_patch(const struct op_got_hook *hooks, size_t nr,
		      bool *is_pending)
{
	struct job j = { .hooks = hooks,
			 .nr = nr < MAX_HOOKS ? nr : MAX_HOOKS };

	j.is_learning = true;
	op_loads_each(learn, &j);
	j.is_learning = false;
	op_loads_each(visit, &j);
	*is_pending = j.is_pending;
	return j.nr_changed;
}
