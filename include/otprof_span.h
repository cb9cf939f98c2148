// SPDX-License-Identifier: Apache-2.0
/* otprof_span.h: show profilers the trace and span that each thread works on.
 *
 *	static const char *const keys[] = { "http.route", NULL };
 *	struct otprof_process_context about = { "shop", NULL, keys, NULL };
 *
 *	otprof_context_publish(&about);
 *	...
 *	struct otprof_span span;
 *
 *	otprof_span_attach(&span, trace_id, span_id);
 *	otprof_span_attribute(&span, 0, "/cart", 5);
 *	handle(request);
 *	otprof_span_detach(&span);
 *
 * Every profiler that follows OpenTelemetry's OTEP 4719 (process context) and
 * OTEP 4947 (thread context) can then link its samples to spans; `otprof
 * record` does. The header is all there is: there is no library to link. It
 * needs 64-bit Linux, and C99 or C++11 with the extensions of gcc and clang.
 *
 * A profiler looks for the thread-local variable otel_thread_ctx_v1 in the
 * dynamic symbol tables of the process:
 *  - Shared libraries export it by themselves, unless a version script hides
 *    it.
 *  - Executables must be linked with
 *    `-Wl,--export-dynamic-symbol=otel_thread_ctx_v1` (binutils 2.35, lld 11)
 *    or `-rdynamic`, unless they are linked with a shared library that has the
 *    variable too, such as libotprof-agent.so: then the linker exports it. A
 *    library that `--as-needed` drops does not count.
 *  - Static executables have no such table. Link with `-static-pie` and the
 *    option above.
 *
 * otprof_span_is_exported() checks this when the program runs.
 *
 * All source files and shared libraries that include this header share one
 * variable, because it is a weak symbol: the one that the dynamic linker finds
 * first is used by all. Two cases have more than one, of which profilers find
 * one: an executable that does not export it, and libraries that dlopen() loads
 * without RTLD_GLOBAL, unless the executable or a library it is linked with has
 * the variable.
 *
 * Spans of a thread nest. A span belongs to the caller and must stay in memory
 * until it is detached, on the thread that attached it. What happens otherwise:
 *  - Detached out of order: a span that is not the innermost is taken out, and
 *    the innermost stays current. If an executable and a library do this with
 *    each other's spans, link the executable with `-rdynamic`.
 *  - Attached twice: not allowed. Detach it first.
 *  - A thread that ends with an attached span: nothing, if the span is still in
 *    memory then.
 *  - longjmp() past a span: detach it first. C++ exceptions detach an
 *    otprof::Span.
 *  - Signal handlers may attach and detach spans of their own. In a library
 *    that dlopen() loaded, the first use of the variable in a thread may
 *    allocate memory: attach a span once outside of handlers.
 *  - After fork(), the spans of the calling thread stay attached in the child.
 *    The process context is not inherited: profilers ignore spans of the child
 *    until it calls otprof_context_publish(). Indexes of keys stay the same.
 *    Do not call anything here between vfork() and exec().
 *  - Coroutines and fibers: detach the span before a switch, and call
 *    otprof_span_resume() afterwards, on whichever thread.
 *
 * Functions of spans use nothing but the calling thread's variables. Those of
 * the process context may be called by any thread at any time, but not by
 * signal handlers. A call that can fail returns 0 or more, or an error number
 * of errno.h as a negative value, and has then changed nothing unless it says
 * so. */
#ifndef OTPROF_SPAN_H
#define OTPROF_SPAN_H

#include "otprof_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- spans --- */

/* Bytes of attributes of a span, which is then a cache line. */
#define OTPROF_SPAN_ATTRIBUTE_BYTES 36

/* A longer list of spans is one that does not end. */
enum { OTPROF_MAX_SPANS_ = 1 << 20 };

/* What profilers read: the record of OTEP 4947. Both IDs are set, or none. Of
 * the attributes, each has the index of its key, the number of bytes of its
 * value, and the value. */
struct otprof_thread_context {
	unsigned char trace_id[16], span_id[8];
	unsigned char is_valid, trace_flags;
	uint16_t attribute_bytes;
	unsigned char attributes[OTPROF_SPAN_ATTRIBUTE_BYTES];
};

/* The members are for this header only. */
struct otprof_span {
	struct otprof_thread_context record;
	struct otprof_thread_context *previous;
	struct otprof_span *outer;
};

/* Strict C does not declare the function, and some programs do not have it. */
static void *otprof_dlsym_(void *handle, const char *name)
	__attribute__((weakref("dlsym")));

/* The record of the calling thread, or NULL. */
extern OTPROF_SHARED_ __thread struct otprof_thread_context
	*volatile otel_thread_ctx_v1;
OTPROF_SHARED_ __thread struct otprof_thread_context
	*volatile otel_thread_ctx_v1;

extern OTPROF_SHARED_ __thread struct otprof_span *otprof_span_innermost_v1;
OTPROF_SHARED_ __thread struct otprof_span *otprof_span_innermost_v1;

static inline void otprof_span_push_(struct otprof_span *span)
{
	span->previous = otel_thread_ctx_v1;
	span->outer = otprof_span_innermost_v1;
	otprof_fence_();
	otprof_span_innermost_v1 = span;
	otel_thread_ctx_v1 = &span->record;
	otprof_fence_();
}

/* Makes a span current in the calling thread. The IDs have 16 and 8 bytes, in
 * the order of the W3C's traceparent; NULL or all zero: the thread is in no
 * span, whatever was attached before. -EINVAL: only one of the IDs is zero; the
 * span is attached without either, and is to be detached all the same. */
static inline int otprof_span_attach(struct otprof_span *span,
				     const void *trace_id, const void *span_id)
{
	uint64_t trace[2] = { 0, 0 }, id = 0;
	int has_trace, has_id;

	if (trace_id)
		memcpy(trace, trace_id, sizeof(trace));
	if (span_id)
		memcpy(&id, span_id, sizeof(id));
	has_trace = (trace[0] | trace[1]) != 0;
	has_id = id != 0;
	if (has_trace != has_id)
		trace[0] = trace[1] = id = 0;
	memcpy(span->record.trace_id, trace, sizeof(trace));
	memcpy(span->record.span_id, &id, sizeof(id));
	span->record.is_valid = 1;
	span->record.trace_flags = 0;
	span->record.attribute_bytes = 0;
	otprof_span_push_(span);
	return has_trace == has_id ? 0 : -EINVAL;
}

/* Attaches a span again that was detached, with its attributes: in any
 * thread. */
static inline void otprof_span_resume(struct otprof_span *span)
{
	otprof_span_push_(span);
}

/* Takes a span out from below others. */
static inline int otprof_span_unlink_(struct otprof_span *span)
{
	struct otprof_span *inner = otprof_span_innermost_v1;
	unsigned int left = OTPROF_MAX_SPANS_;

	while (inner && inner->outer != span && left--)
		inner = inner->outer;
	if (!inner || inner->outer != span)
		return -EINVAL;
	if (inner->previous == &span->record)
		inner->previous = span->previous;
	inner->outer = span->outer;
	otprof_fence_();
	return 0;
}

/* Makes the span current again that was so before. -EINVAL: the span is not
 * attached to the calling thread. */
static inline int otprof_span_detach(struct otprof_span *span)
{
	if (__builtin_expect(otprof_span_innermost_v1 != span, 0))
		return otprof_span_unlink_(span);
	/* Others may have attached a context that is no span of ours. */
	if (__builtin_expect(otel_thread_ctx_v1 == &span->record, 1))
		otel_thread_ctx_v1 = span->previous;
	otprof_span_innermost_v1 = span->outer;
	otprof_fence_();
	return 0;
}

/* Sets the trace flags of a span, such as 1: sampled. They are ignored if the
 * span has no IDs. */
static inline void otprof_span_flags(struct otprof_span *span,
				     unsigned char flags)
{
	int has_id = 0;

	for (size_t i = 0; i < sizeof(span->record.span_id); i++)
		has_id |= span->record.span_id[i];
	span->record.trace_flags = has_id ? flags : 0;
	otprof_fence_();
}

static inline size_t otprof_attribute_find_(const struct otprof_span *span,
					    unsigned int key)
{
	const unsigned char *p = span->record.attributes;
	size_t at = 0, end = span->record.attribute_bytes;

	while (at < end && p[at] != key)
		at += 2u + p[at + 1];
	return at;
}

/* Readers look at no more than attribute_bytes: the rest may change. */
static inline void otprof_attributes_end_(struct otprof_span *span, size_t end)
{
	volatile uint16_t *bytes = &span->record.attribute_bytes;

	otprof_fence_();
	*bytes = (uint16_t)end;
	otprof_fence_();
}

/* Sets an attribute of a span, attached or not, to n bytes of UTF-8. The key is
 * an index that otprof_context_key() returned. The value of a key is replaced.
 * -ENOSPC: there is no room; all attributes of a span, each with two bytes
 * more, have OTPROF_SPAN_ATTRIBUTE_BYTES. Inner spans do not inherit them. */
static inline int otprof_span_attribute(struct otprof_span *span,
					unsigned int key, const char *value,
					size_t n)
{
	unsigned char *p = span->record.attributes;
	size_t end = span->record.attribute_bytes;
	size_t at = otprof_attribute_find_(span, key);
	size_t old = at < end ? 2u + p[at + 1] : 0;

	if (key > 255)
		return -EINVAL;
	if (n > OTPROF_SPAN_ATTRIBUTE_BYTES - 2 ||
	    end - old + 2 + n > OTPROF_SPAN_ATTRIBUTE_BYTES)
		return -ENOSPC;
	if (old) {
		otprof_attributes_end_(span, at);
		memmove(p + at, p + at + old, end - at - old);
		end -= old;
	}
	p[end] = (unsigned char)key;
	p[end + 1] = (unsigned char)n;
	if (n)
		memcpy(p + end + 2, value, n);
	otprof_attributes_end_(span, end + 2 + n);
	return 0;
}

/* Whether profilers can find the variable that the calling code uses: 1 or 0,
 * and -1 if that is unknown, because the program has no dlsym(). Of static
 * executables it is not known. */
static inline int otprof_span_is_exported(void)
{
	struct otprof_thread_context *volatile *ours = &otel_thread_ctx_v1;

	if (!otprof_dlsym_)
		return -1;
	return otprof_dlsym_(NULL, "otel_thread_ctx_v1") == (void *)ours;
}

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
/* --- C++ --- */

namespace otprof
{

/* A span that is attached as long as the object lives, also if an exception
 * ends that. */
class Span
{
      public:
	Span(const void *trace_id, const void *span_id) noexcept
	{
		otprof_span_attach(&span_, trace_id, span_id);
	}

	~Span()
	{
		otprof_span_detach(&span_);
	}

	Span(const Span &) = delete;
	Span &operator=(const Span &) = delete;

	/* As otprof_span_attribute() and otprof_span_flags(). */
	int attribute(unsigned int key, const char *value, size_t n) noexcept
	{
		return otprof_span_attribute(&span_, key, value, n);
	}

	void flags(unsigned char flags) noexcept
	{
		otprof_span_flags(&span_, flags);
	}

      private:
	otprof_span span_;
};

} /* namespace otprof */

/* --- C++: opentelemetry-cpp --- */

/* Where its headers are, and C++14. */
#if defined(__has_include) && __cplusplus >= 201402L && \
	!defined(OTPROF_SPAN_NO_OPENTELEMETRY)
#if __has_include(<opentelemetry/context/runtime_context.h>) && \
	__has_include(<opentelemetry/trace/context.h>)
#include <new>
#include <opentelemetry/context/runtime_context.h>
#include <opentelemetry/trace/context.h>

namespace otprof
{

/* A context that is attached, and its span. */
struct ContextFrame {
	using Context = opentelemetry::context::Context;

	ContextFrame(const Context &c, ContextFrame *o) noexcept
	    : context(c), outer(o)
	{
		auto of = opentelemetry::trace::GetSpan(c)->GetContext();

		otprof_span_attach(&span, of.trace_id().Id().data(),
				   of.span_id().Id().data());
		otprof_span_flags(&span, of.trace_flags().flags());
	}

	~ContextFrame()
	{
		otprof_span_detach(&span);
	}

	const Context context;
	ContextFrame *const outer;
	otprof_span span;
};

} /* namespace otprof */

namespace otprof
{

/* Keeps contexts as another storage does, and attaches their spans. A context
 * without a span hides outer spans. */
class ContextStorage : public opentelemetry::context::RuntimeContextStorage
{
	using Context = opentelemetry::context::Context;
	using Storage = opentelemetry::context::RuntimeContextStorage;
	using Token = opentelemetry::context::Token;
	using Default = opentelemetry::context::ThreadLocalContextStorage;
	using Frame = ContextFrame;

      public:
	explicit ContextStorage(Storage *storage = new Default) noexcept
	    : storage_(storage)
	{
	}

	Context GetCurrent() noexcept override
	{
		return storage_->GetCurrent();
	}

	opentelemetry::nostd::unique_ptr<Token>
	Attach(const Context &context) noexcept override
	{
		Frame *frame = new (std::nothrow) Frame(context, innermost());

		if (frame)
			innermost() = frame;
		return storage_->Attach(context);
	}

	/* Detaches what was attached after it, too. */
	bool Detach(Token &token) noexcept override
	{
		Frame *last = innermost();

		if (!storage_->Detach(token))
			return false;
		while (last && !(token == last->context))
			last = last->outer;
		while (last && innermost() != last)
			pop();
		if (last)
			pop();
		return true;
	}

      private:
	static Frame *&innermost() noexcept
	{
		static thread_local Frame *frame;

		return frame;
	}

	static void pop() noexcept
	{
		Frame *frame = innermost();

		innermost() = frame->outer;
		delete frame;
	}

	opentelemetry::nostd::unique_ptr<Storage> storage_;
};

/* To be called before the program makes its first span. */
inline void context_storage_install()
{
	using Storage = opentelemetry::context::RuntimeContextStorage;

	opentelemetry::context::RuntimeContext::SetRuntimeContextStorage(
		opentelemetry::nostd::shared_ptr<Storage>(new ContextStorage));
}

} /* namespace otprof */
#endif
#endif
#endif
#endif
