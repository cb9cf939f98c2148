// SPDX-License-Identifier: Apache-2.0
/* A process that publishes a process context, as OTEP 4719 says. It is a child
 * of the test, which tells it step by step what to do. */
#ifndef OP_TESTS_UNIT_HOST_CONTEXT_FIXTURE_H
#define OP_TESTS_UNIT_HOST_CONTEXT_FIXTURE_H

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "write/wire.h"

struct context_header {
	char signature[8];
	uint32_t version, payload_bytes;
	volatile uint64_t published_ns;
	uint64_t payload;
};

enum { CONTEXT_BYTES = 4096 };
static struct context_header *context_here;
static struct wire context_payloads[2];

static inline void context_name(void)
{
	enum { SET_VMA = 0x53564d41 };

	(void)prctl(SET_VMA, 0, context_here, CONTEXT_BYTES, "OTEL_CTX");
}

/* Maps it; the header is still zero. */
static inline void context_map(void)
{
	int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, CONTEXT_BYTES))
		_exit(3);
	context_here = mmap(NULL, CONTEXT_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE, fd, 0);
	close(fd);
	if (context_here == MAP_FAILED ||
	    madvise(context_here, CONTEXT_BYTES, MADV_DONTFORK))
		_exit(3);
}

/* Publishes one of the two payloads, or an update. */
static inline void context_put(int which, uint64_t at_ns)
{
	context_here->published_ns = 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	memcpy(context_here->signature, "OTEL_CTX", 8);
	context_here->version = 2;
	context_here->payload_bytes = (uint32_t)context_payloads[which].n;
	context_here->payload = (uintptr_t)context_payloads[which].p;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	context_here->published_ns = at_ns;
}

static inline void context_publish(const char *text)
{
	wire_set(&context_payloads[0], text);
	context_map();
	context_put(0, 1);
	context_name();
}

struct child {
	pid_t pid;
	int socket;
};

/* Runs fn(step, what it answers) for each step in a child. */
typedef uint64_t child_fn(int step);

static inline struct child child_begin(child_fn *fn)
{
	struct child c = { .pid = -1, .socket = -1 };
	uint64_t answer;
	int ends[2];
	uint8_t step;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return c;
	c.pid = fork();
	if (!c.pid) {
		close(ends[0]);
		while (read(ends[1], &step, 1) == 1) {
			answer = fn(step);
			if (write(ends[1], &answer, sizeof(answer)) < 0)
				break;
		}
		_exit(0);
	}
	close(ends[1]);
	c.socket = ends[0];
	return c;
}

/* Without waiting for the answer. */
static inline void child_tell(const struct child *c, int step)
{
	uint8_t byte = (uint8_t)step;

	CHECK_EQ(write(c->socket, &byte, 1), 1);
}

static inline uint64_t child_do(const struct child *c, int step)
{
	uint64_t answer = 0;

	child_tell(c, step);
	CHECK_EQ(read(c->socket, &answer, sizeof(answer)), sizeof(answer));
	return answer;
}

static inline void child_end(struct child *c)
{
	int status;

	close(c->socket);
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		CHECK_EQ(waitpid(c->pid, &status, 0), c->pid);
	}
}

#endif
