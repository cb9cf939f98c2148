// SPDX-License-Identifier: Apache-2.0
/* otprof_context.h: tell profilers who this process is.
 *
 * The first part of otprof_span.h, which includes it and says what holds for
 * both. It publishes a process context, as OpenTelemetry's OTEP 4719 says: a
 * mapping with a name that profilers look for, which leads them to a message
 * with the attributes of the resource and the names of keys that attributes of
 * spans refer to.
 *
 * All source files that include this header share one context, because their
 * state is a weak symbol. Libraries share it with an executable only if that is
 * linked with `-rdynamic`, or exports otprof_context_state_v1 as otprof_span.h
 * describes for another variable. Otherwise the second who publishes is
 * refused. */
#ifndef OTPROF_CONTEXT_H
#define OTPROF_CONTEXT_H

#if !defined(__linux__) || !defined(__LP64__)
#error "otprof_context.h supports 64-bit Linux only"
#endif

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One for the process, however many files have it. */
#define OTPROF_SHARED_ __attribute__((weak, visibility("default")))

/* For what a profiler reads while the thread is interrupted: only the compiler
 * has to keep the order. */
static inline void otprof_fence_(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* --- process context --- */

/* Who the process is. What is NULL comes from the environment: the name of the
 * service from OTEL_SERVICE_NAME, attributes from OTEL_RESOURCE_ATTRIBUTES,
 * which is ignored if it is invalid or has 32 KiB. All texts are UTF-8. */
struct otprof_process_context {
	const char *service_name;
	/* Of the resource: key, value, key, value, ..., NULL. */
	const char *const *attributes;
	/* Names of attributes of spans, ended by NULL; see
	 * otprof_context_key(). May be NULL. */
	const char *const *keys;
	/* Of threads; NULL: "tlsdesc_v1_dev", which OTEP 4947 has today. */
	const char *schema_version;
};

enum {
	OTPROF_PAYLOAD_BYTES_ = 1 << 16, /* profilers read no more */
	OTPROF_PAGE_BYTES_ = 1 << 16,	 /* for pages of any size */
	OTPROF_MAP_BYTES_ = OTPROF_PAGE_BYTES_ + 3 * OTPROF_PAYLOAD_BYTES_,
	OTPROF_MAX_KEYS_ = 256,
	OTPROF_MAX_KEY_BYTES_ = 1 << 13,
	OTPROF_MAX_ATTRIBUTES_ = 1000
};

/* Numbers of Linux that strict C does not define. */
enum {
	OTPROF_AT_FDCWD_ = -100,
	OTPROF_O_CLOEXEC_ = 02000000,
	OTPROF_MFD_FLAGS_ = 3, /* CLOEXEC, ALLOW_SEALING */
	OTPROF_MFD_NOEXEC_SEAL_ = 8,
	OTPROF_PROT_ = 3, /* READ, WRITE */
	OTPROF_MAP_PRIVATE_ = 2,
	OTPROF_MAP_ANONYMOUS_ = 0x20,
	OTPROF_MADV_DONTFORK_ = 10,
	OTPROF_CLOCK_BOOTTIME_ = 7,
	OTPROF_PR_SET_VMA_ = 0x53564d41
};

/* A mapping begins with this. Then come, each OTPROF_PAYLOAD_BYTES_, the two
 * payloads, which take turns, and memory to work in. */
struct otprof_context_header_ {
	char signature[8];
	uint32_t version, payload_bytes;
	uint64_t published_ns; /* 0: being updated */
	uint64_t payload;
};

/* Shared, so that its layout belongs to its name. */
struct otprof_context_state_ {
	int lock; /* process ID of the owner; 0: none */
	int pid;  /* of the publisher: a child of it has no mapping */
	struct otprof_context_header_ *map;
	uint32_t which;	     /* of the payloads */
	uint32_t head_bytes; /* of the payload, before the keys */
	/* Names of keys, as in the payload. They outlive fork(). */
	uint32_t nr_keys, key_bytes;
	unsigned char keys[OTPROF_MAX_KEY_BYTES_];
};

extern OTPROF_SHARED_ struct otprof_context_state_ otprof_context_state_v1;
OTPROF_SHARED_ struct otprof_context_state_ otprof_context_state_v1;

/* A name of our own, because strict C does not declare the function. */
extern long otprof_syscall_(long number, ...) __asm__("syscall");

/* --- process context: messages --- */

/* Counts on where there is no more room. */
struct otprof_out_ {
	unsigned char *p;
	size_t n, max;
};

static inline void otprof_out_bytes_(struct otprof_out_ *o, const void *p,
				     size_t n)
{
	if (o->n < o->max && n && n <= o->max - o->n)
		memcpy(o->p + o->n, p, n);
	o->n += n;
}

/* The head of a field: its tag and length. */
static inline void otprof_out_head_(struct otprof_out_ *o, unsigned char tag,
				    size_t n)
{
	otprof_out_bytes_(o, &tag, 1);
	do {
		unsigned char byte = (unsigned char)((n & 127) |
						     (n > 127 ? 128 : 0));

		otprof_out_bytes_(o, &byte, 1);
		n >>= 7;
	} while (n);
}

static inline void otprof_out_text_(struct otprof_out_ *o, unsigned char tag,
				    const char *text, size_t n)
{
	otprof_out_head_(o, tag, n);
	otprof_out_bytes_(o, text, n);
}

static inline size_t otprof_field_bytes_(size_t n)
{
	struct otprof_out_ none = { NULL, 0, 0 };

	otprof_out_head_(&none, 0, n);
	return none.n + n;
}

/* KeyValue { 1 key, 2 AnyValue { 1 string } } */
static inline void otprof_out_pair_(struct otprof_out_ *o, unsigned char tag,
				    const char *key, const char *value)
{
	size_t key_bytes = strlen(key), n = strlen(value);
	size_t any_bytes = otprof_field_bytes_(n);

	otprof_out_head_(o, tag,
			 otprof_field_bytes_(key_bytes) +
				 otprof_field_bytes_(any_bytes));
	otprof_out_text_(o, 0x0a, key, key_bytes);
	otprof_out_head_(o, 0x12, any_bytes);
	otprof_out_text_(o, 0x0a, value, n);
}

/* KeyValue { 1 key, 2 AnyValue { 5 ArrayValue { keys } } } */
static inline void otprof_out_keys_(struct otprof_out_ *o,
				    const struct otprof_context_state_ *s)
{
	static const char key[] = "threadlocal.attribute_key_map";
	size_t n = s->key_bytes, any_bytes = otprof_field_bytes_(n);

	otprof_out_head_(o, 0x12,
			 otprof_field_bytes_(sizeof(key) - 1) +
				 otprof_field_bytes_(any_bytes));
	otprof_out_text_(o, 0x0a, key, sizeof(key) - 1);
	otprof_out_head_(o, 0x12, any_bytes);
	otprof_out_head_(o, 0x2a, n);
	otprof_out_bytes_(o, s->keys, n);
}

static inline int otprof_utf8_tail_(const unsigned char *p, unsigned int n)
{
	while (n--)
		if ((*p++ & 0xc0) != 0x80)
			return 0;
	return 1;
}

/* Whether a text that is not empty is UTF-8. */
static inline int otprof_is_text_(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	if (!*p)
		return 0;
	while (*p) {
		unsigned int n = *p < 0x80 ? 0 :
				 *p < 0xe0 ? 1 :
				 *p < 0xf0 ? 2 :
					     3;

		if ((*p >= 0x80 && *p < 0xc2) || *p > 0xf4 ||
		    !otprof_utf8_tail_(p + 1, n) ||
		    (*p == 0xe0 && p[1] < 0xa0) ||
		    (*p == 0xed && p[1] > 0x9f) ||
		    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
			return 0;
		p += n + 1;
	}
	return 1;
}

/* --- process context: resource --- */

static inline int otprof_hex_(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes text up to end, without spaces around it, and ends it with NUL.
 * Returns what is behind it, or NULL if it is invalid. */
static inline char *otprof_decode_(const char *p, const char *end, char *to)
{
	const char *start = to;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	for (; p < end; p++) {
		if (*p != '%') {
			*to++ = *p;
			continue;
		}
		if (end - p < 3 || otprof_hex_(p[1]) < 0 ||
		    otprof_hex_(p[2]) < 0)
			return NULL;
		*to++ = (char)(otprof_hex_(p[1]) * 16 + otprof_hex_(p[2]));
		if (!to[-1])
			return NULL;
		p += 2;
	}
	*to++ = 0;
	return !*start || otprof_is_text_(start) ? to : NULL;
}

/* Decodes "key=value,key=value" into texts that follow each other; an empty key
 * ends them. Empty elements are skipped. Returns 0 if the list is invalid. */
static inline int otprof_list_decode_(const char *p, char *to)
{
	unsigned int nr = 0;

	while (*p) {
		const char *end = p + strcspn(p, ",");
		const char *equals = (const char *)memchr(p, '=',
							  (size_t)(end - p));
		char *value = NULL;

		if (p + strspn(p, " \t") >= end) {
			p = *end ? end + 1 : end;
			continue;
		}
		if (equals)
			value = otprof_decode_(p, equals, to);
		if (!value || !*to || nr++ == OTPROF_MAX_ATTRIBUTES_)
			return 0;
		to = otprof_decode_(equals + 1, end, value);
		if (!to)
			return 0;
		p = *end ? end + 1 : end;
	}
	*to = 0;
	return 1;
}

static inline const char *otprof_text_next_(const char *p)
{
	return p + strlen(p) + 1;
}

/* The last of a key counts. */
static inline void otprof_out_list_(struct otprof_out_ *o, const char *p,
				    int has_service)
{
	while (*p) {
		const char *value = otprof_text_next_(p);
		const char *next = otprof_text_next_(value), *q = next;

		while (*q && strcmp(q, p))
			q = otprof_text_next_(otprof_text_next_(q));
		if (!*q && !(has_service && !strcmp(p, "service.name")))
			otprof_out_pair_(o, 0x0a, p, value);
		p = next;
	}
}

/* Whether pair i can be published: its key is not there before. */
static inline int otprof_is_pair_(const char *const *pairs, size_t i)
{
	if (!pairs[i + 1] || !otprof_is_text_(pairs[i]) ||
	    (*pairs[i + 1] && !otprof_is_text_(pairs[i + 1])) ||
	    i / 2 >= OTPROF_MAX_ATTRIBUTES_)
		return 0;
	for (size_t k = 0; k < i; k += 2)
		if (!strcmp(pairs[k], pairs[i]))
			return 0;
	return 1;
}

static inline int otprof_out_pairs_(struct otprof_out_ *o,
				    const char *const *pairs, int *has_service)
{
	int has_name = *has_service;

	for (size_t i = 0; pairs[i]; i += 2) {
		int is_name = !strcmp(pairs[i], "service.name");

		if (!otprof_is_pair_(pairs, i))
			return -EINVAL;
		*has_service |= is_name;
		if (!is_name || !has_name)
			otprof_out_pair_(o, 0x0a, pairs[i], pairs[i + 1]);
	}
	return 0;
}

static inline const char *otprof_variable_(const char *name)
{
	const char *text = getenv(name);

	return text && *text && strlen(text) < OTPROF_PAYLOAD_BYTES_ / 2 ?
		       text :
		       NULL;
}

/* Resource { 1 KeyValue }. What the caller gives counts most. */
static inline int otprof_out_resource_(struct otprof_out_ *o,
				       const struct otprof_process_context *c,
				       char *scratch)
{
	const char *variable = otprof_variable_("OTEL_RESOURCE_ATTRIBUTES");
	const char *name = c->service_name;
	int has_service = name != NULL, code;

	if (name && !otprof_is_text_(name))
		return -EINVAL;
	if (name)
		otprof_out_pair_(o, 0x0a, "service.name", name);
	if (c->attributes) {
		code = otprof_out_pairs_(o, c->attributes, &has_service);
		if (code)
			return code;
	}
	name = otprof_variable_("OTEL_SERVICE_NAME");
	if (!has_service && name && otprof_is_text_(name)) {
		otprof_out_pair_(o, 0x0a, "service.name", name);
		has_service = 1;
	}
	if (!c->attributes && variable &&
	    otprof_list_decode_(variable, scratch))
		otprof_out_list_(o, scratch, has_service);
	return 0;
}

/* All but the keys. The length of the resource is known when it is made. */
static inline int otprof_out_context_(struct otprof_out_ *o,
				      const struct otprof_process_context *c,
				      char *scratch)
{
	const char *version = c->schema_version ? c->schema_version :
						  "tlsdesc_v1_dev";
	struct otprof_out_ body = { o->p + 4, 0, o->max - 4 };
	int code = otprof_out_resource_(&body, c, scratch);

	if (code || !otprof_is_text_(version))
		return -EINVAL;
	if (body.n > body.max)
		return -E2BIG;
	otprof_out_head_(o, 0x0a, body.n);
	memmove(o->p + o->n, body.p, body.n);
	o->n += body.n;
	otprof_out_pair_(o, 0x12, "threadlocal.schema_version", version);
	return 0;
}

/* --- process context: mapping --- */

/* Another thread of this process has the lock, or one of the parent had it when
 * the process was forked: then nobody gives it back. */
static inline int otprof_context_lock_(struct otprof_context_state_ *s)
{
	int pid = (int)otprof_syscall_(SYS_getpid), owner = 0;

	while (!__atomic_compare_exchange_n(
		&s->lock, &owner, pid, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		if (owner != pid)
			continue;
		otprof_syscall_(SYS_sched_yield);
		owner = 0;
	}
	return pid;
}

static inline void otprof_context_unlock_(struct otprof_context_state_ *s)
{
	__atomic_store_n(&s->lock, 0, __ATOMIC_RELEASE);
}

/* 0, or what errno says. */
static inline int otprof_errno_(long result)
{
	return result < 0 ? -errno : 0;
}

static inline int otprof_map_keep_(struct otprof_context_header_ *map)
{
	return otprof_errno_(otprof_syscall_(SYS_madvise, map,
					     (size_t)OTPROF_MAP_BYTES_,
					     OTPROF_MADV_DONTFORK_));
}

/* Whether this very process has published. Process IDs are used again, but a
 * process that inherited the state has no mapping. */
static inline int otprof_context_is_ours_(struct otprof_context_state_ *s,
					  int pid)
{
	return s->map && s->pid == pid && !otprof_map_keep_(s->map);
}

/* Whether a line of /proc/self/maps ends in the name of a context. */
static inline int otprof_is_context_(const char *line)
{
	return strstr(line, " /memfd:OTEL_CTX") ||
	       strstr(line, "[anon:OTEL_CTX]") ||
	       strstr(line, "[anon_shmem:OTEL_CTX]");
}

/* Whether somebody else in this process has published: there must be but one
 * context. Names that are cut off are not ours. */
static inline int otprof_context_exists_(void)
{
	long fd = otprof_syscall_(SYS_openat, OTPROF_AT_FDCWD_,
				  "/proc/self/maps", OTPROF_O_CLOEXEC_);
	char text[1024];
	size_t kept = 0;
	int found = 0;
	long n;

	while (fd >= 0 && !found &&
	       (n = otprof_syscall_(SYS_read, (int)fd, text + kept,
				    sizeof(text) - 1 - kept)) > 0) {
		size_t all = kept + (size_t)n;

		text[all] = 0;
		found = otprof_is_context_(text);
		kept = all < 32 ? all : 32;
		memmove(text, text + all - kept, kept);
	}
	if (fd >= 0)
		otprof_syscall_(SYS_close, (int)fd);
	return found;
}

static inline long otprof_memfd_(void)
{
	long fd = otprof_syscall_(SYS_memfd_create, "OTEL_CTX",
				  OTPROF_MFD_FLAGS_ | OTPROF_MFD_NOEXEC_SEAL_);

	return fd >= 0 ? fd :
			 otprof_syscall_(SYS_memfd_create, "OTEL_CTX",
					 OTPROF_MFD_FLAGS_);
}

/* Maps memory; *is_named: the name shows without the next function. */
static inline int otprof_map_new_(struct otprof_context_header_ **out,
				  int *is_named)
{
	int flags = OTPROF_MAP_PRIVATE_;
	long fd = otprof_memfd_(), at = 0;
	int code = 0;

	*is_named = fd >= 0;
	if (fd < 0)
		flags |= OTPROF_MAP_ANONYMOUS_;
	else
		code = otprof_errno_(otprof_syscall_(SYS_ftruncate, (int)fd,
						     (long)OTPROF_MAP_BYTES_));
	if (!code) {
		at = otprof_syscall_(SYS_mmap, NULL, (size_t)OTPROF_MAP_BYTES_,
				     OTPROF_PROT_, flags, (int)fd, 0L);
		code = otprof_errno_(at);
	}
	if (fd >= 0)
		otprof_syscall_(SYS_close, (int)fd);
	if (code)
		return code;
	*out = (struct otprof_context_header_ *)at;
	code = otprof_map_keep_(*out);
	if (code)
		otprof_syscall_(SYS_munmap, *out, (size_t)OTPROF_MAP_BYTES_);
	return code;
}

/* Profilers may watch for this call, so that it is made though it may fail. */
static inline int otprof_map_name_(struct otprof_context_header_ *map)
{
	return otprof_errno_(
		otprof_syscall_(SYS_prctl, (long)OTPROF_PR_SET_VMA_, 0L, map,
				(size_t)OTPROF_MAP_BYTES_, "OTEL_CTX"));
}

static inline unsigned char *
otprof_context_slot_(struct otprof_context_header_ *map, uint32_t i)
{
	return (unsigned char *)map + OTPROF_PAGE_BYTES_ +
	       (size_t)i * OTPROF_PAYLOAD_BYTES_;
}

/* Later than before, even if the clock is coarse. */
static inline uint64_t otprof_context_now_(uint64_t before)
{
	int64_t now[2] = { 0, 0 };
	uint64_t ns;

	otprof_syscall_(SYS_clock_gettime, (long)OTPROF_CLOCK_BOOTTIME_, now);
	ns = (uint64_t)now[0] * 1000000000u + (uint64_t)now[1];
	return ns > before ? ns : before + 1;
}

/* Makes a payload visible. What readers see in between has no time. */
static inline void otprof_context_switch_(struct otprof_context_state_ *s,
					  uint32_t which, size_t n)
{
	struct otprof_context_header_ *h = s->map;
	uint64_t before = h->published_ns;

	__atomic_store_n(&h->published_ns, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	memcpy(h->signature, "OTEL_CTX", sizeof(h->signature));
	h->version = 2;
	h->payload_bytes = (uint32_t)n;
	h->payload = (uint64_t)(uintptr_t)otprof_context_slot_(h, which);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&h->published_ns, otprof_context_now_(before),
			 __ATOMIC_RELAXED);
	s->which = which;
}

/* --- process context: keys --- */

/* The index of a key; -1: there is none. An entry is AnyValue { 1 string }. */
static inline int otprof_key_find_(const struct otprof_context_state_ *s,
				   const char *name)
{
	unsigned char text[300];
	struct otprof_out_ o = { text, 0, sizeof(text) };
	size_t n = strlen(name), at = 0;

	if (n > 255)
		return -1;
	otprof_out_head_(&o, 0x0a, otprof_field_bytes_(n));
	otprof_out_text_(&o, 0x0a, name, n);
	for (uint32_t i = 0; i < s->nr_keys; i++) {
		const unsigned char *p = s->keys + at;
		size_t bytes = p[1] < 128 ? 2u + p[1] :
					    3u + (p[1] & 127u) + p[2] * 128u;

		if (bytes == o.n && !memcmp(p, text, o.n))
			return (int)i;
		at += bytes;
	}
	return -1;
}

static inline int otprof_key_add_(struct otprof_context_state_ *s,
				  const char *name)
{
	struct otprof_out_ o = { s->keys, s->key_bytes, sizeof(s->keys) };
	int i = otprof_key_find_(s, name);
	size_t n = strlen(name);

	if (i >= 0)
		return i;
	if (n > 255 || !otprof_is_text_(name))
		return -EINVAL;
	if (s->nr_keys == OTPROF_MAX_KEYS_ ||
	    otprof_field_bytes_(otprof_field_bytes_(n)) > o.max - o.n)
		return -ENOSPC;
	otprof_out_head_(&o, 0x0a, otprof_field_bytes_(n));
	otprof_out_text_(&o, 0x0a, name, n);
	otprof_fence_();
	s->key_bytes = (uint32_t)o.n;
	return (int)s->nr_keys++;
}

/* Publishes the payload that is made in o, with the keys behind it. */
static inline int otprof_context_finish_(struct otprof_context_state_ *s,
					 struct otprof_out_ *o)
{
	uint32_t head_bytes = (uint32_t)o->n;

	otprof_out_keys_(o, s);
	if (o->n > o->max)
		return -E2BIG;
	otprof_context_switch_(s, s->which ^ 1u, o->n);
	s->head_bytes = head_bytes;
	return 0;
}

static inline struct otprof_out_
otprof_context_begin_(const struct otprof_context_state_ *s)
{
	struct otprof_out_ o = { NULL, 0, OTPROF_PAYLOAD_BYTES_ };

	o.p = otprof_context_slot_(s->map, s->which ^ 1u);
	return o;
}

static inline void otprof_context_unmap_(struct otprof_context_state_ *s)
{
	__atomic_store_n(&s->map->published_ns, 0, __ATOMIC_SEQ_CST);
	otprof_syscall_(SYS_munmap, s->map, (size_t)OTPROF_MAP_BYTES_);
	s->map = NULL;
}

static inline int
otprof_context_update_(struct otprof_context_state_ *s,
		       const struct otprof_process_context *about)
{
	struct otprof_out_ o = otprof_context_begin_(s);
	char *scratch = (char *)otprof_context_slot_(s->map, 2);
	int code = otprof_out_context_(&o, about, scratch);

	for (size_t i = 0; !code && about->keys && about->keys[i]; i++) {
		int key = otprof_key_add_(s, about->keys[i]);

		code = key < 0 ? key : 0;
	}
	return code ? code : otprof_context_finish_(s, &o);
}

static inline int
otprof_context_create_(struct otprof_context_state_ *s, int pid,
		       const struct otprof_process_context *about)
{
	int is_named = 0, code;

	if (otprof_context_exists_())
		return -EEXIST;
	code = otprof_map_new_(&s->map, &is_named);
	if (code)
		return code;
	s->pid = pid;
	s->which = 0;
	code = otprof_context_update_(s, about);
	if (!code && otprof_map_name_(s->map) && !is_named)
		code = -ENOTSUP;
	if (code)
		otprof_context_unmap_(s);
	return code;
}

/* --- process context: functions --- */

/* Publishes who this process is, and that its threads have contexts; or
 * replaces what was published. about may be NULL: all from the environment. The
 * texts are copied. Names of keys that are not known yet get the next indexes,
 * the first 0.
 *
 * -EINVAL: a text is not UTF-8 or empty, a key is there twice or has no value;
 * -EEXIST: another library of this process has published a context, with which
 * this one is not to interfere; -E2BIG: the context has more than 64 KiB;
 * -ENOSPC: there are more keys than 256, or of more than 8 KiB; -ENOTSUP: the
 * kernel cannot name memory; or why memory cannot be mapped. Keys of a call
 * that fails may stay known. */
static inline int
otprof_context_publish(const struct otprof_process_context *about)
{
	static const struct otprof_process_context none = { NULL, NULL, NULL,
							    NULL };
	struct otprof_context_state_ *s = &otprof_context_state_v1;
	int pid = otprof_context_lock_(s), code;

	about = about ? about : &none;
	if (!otprof_context_is_ours_(s, pid)) {
		code = otprof_context_create_(s, pid, about);
	} else {
		code = otprof_context_update_(s, about);
		if (!code)
			(void)otprof_map_name_(s->map);
	}
	otprof_context_unlock_(s);
	return code;
}

/* The index of a key for otprof_span_attribute(). The first call with a name
 * publishes it, if a context is published, and takes a lock: keep the result.
 * Indexes hold for the life of the process and of its children. Errors as
 * above. */
static inline int otprof_context_key(const char *name)
{
	struct otprof_context_state_ *s = &otprof_context_state_v1;
	int pid = otprof_context_lock_(s);
	uint32_t nr = s->nr_keys, bytes = s->key_bytes;
	int key = otprof_key_add_(s, name), code = 0;

	if (s->nr_keys != nr && otprof_context_is_ours_(s, pid)) {
		struct otprof_out_ o = otprof_context_begin_(s);

		otprof_out_bytes_(&o, otprof_context_slot_(s->map, s->which),
				  s->head_bytes);
		code = otprof_context_finish_(s, &o);
		if (!code)
			(void)otprof_map_name_(s->map);
	}
	if (code) {
		s->nr_keys = nr;
		s->key_bytes = bytes;
	}
	otprof_context_unlock_(s);
	return code ? code : key;
}

/* Withdraws what was published, such as before the library that did so is
 * unloaded. Profilers ignore spans from now on. */
static inline void otprof_context_drop(void)
{
	struct otprof_context_state_ *s = &otprof_context_state_v1;
	int pid = otprof_context_lock_(s);

	if (otprof_context_is_ours_(s, pid))
		otprof_context_unmap_(s);
	otprof_context_unlock_(s);
}

#ifdef __cplusplus
}
#endif

#endif
