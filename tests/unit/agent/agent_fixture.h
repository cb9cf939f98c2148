// SPDX-License-Identifier: Apache-2.0
/* agent_fixture.h: this process as both the profiled program and its helper. */
#ifndef TESTS_AGENT_FIXTURE_H
#define TESTS_AGENT_FIXTURE_H

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/helper.h"
#include "agent/sampler.h"
#include "test.h"
#include "wait.h"

struct fixture {
	struct op_err err;
	int channel_fd, tables_fd, alive[2];
	struct op_channel *channel;
	const uint8_t *tables;
	struct op_agent_helper helper;
};

static inline uint32_t own_tid(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static inline void fixture_open(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->channel_fd = memfd_create("channel", MFD_CLOEXEC);
	f->tables_fd = memfd_create("tables", MFD_CLOEXEC);
	CHECK_EQ(ftruncate(f->channel_fd, sizeof(*f->channel)), 0);
	CHECK_EQ(ftruncate(f->tables_fd, OP_CHANNEL_TABLES), 0);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, f->alive),
		 0);
	f->channel = mmap(NULL, sizeof(*f->channel), PROT_READ | PROT_WRITE,
			  MAP_SHARED, f->channel_fd, 0);
	f->tables = mmap(NULL, OP_CHANNEL_TABLES, PROT_READ, MAP_SHARED,
			 f->tables_fd, 0);
	f->channel->version = OP_CHANNEL_VERSION;
	f->channel->bytes = sizeof(*f->channel);
}

static inline struct op_agent_helper_opts helper_opts(const struct fixture *f)
{
	return (struct op_agent_helper_opts){
		.pid = (uint32_t)getpid(),
		.sampler = own_tid(),
		.channel = f->channel_fd,
		.tables = f->tables_fd,
		.alive = f->alive[1],
		.interval_ns = 10000000,
		.wants = { true, true },
	};
}

static inline void fixture_helper(struct fixture *f)
{
	struct op_agent_helper_opts o = helper_opts(f);

	CHECK_EQ(op_agent_helper_init(&f->helper, &o, &f->err), 0);
	CHECK_EQ(f->channel->state, OP_CHANNEL_READY);
}

static inline void fixture_close(struct fixture *f)
{
	op_agent_helper_fini(&f->helper);
	munmap(f->channel, sizeof(*f->channel));
	munmap((void *)f->tables, OP_CHANNEL_TABLES);
	close(f->channel_fd);
	close(f->tables_fd);
	close(f->alive[0]);
	close(f->alive[1]);
}

/* --- threads --- */

/* One that runs, or waits, until it is to stop. */
struct worker {
	pthread_t id;
	_Atomic uint32_t tid;
	_Atomic int stop;
	bool blocks, waits;
	volatile uint64_t sink;
	int pipe[2];
};

static inline void worker_spin(struct worker *w)
{
	while (!w->stop)
		w->sink++;
	w->sink++;
}

static inline void worker_wait(struct worker *w)
{
	char byte;

	while (!w->stop && read(w->pipe[0], &byte, 1) < 0)
		;
	w->sink++;
}

static inline void *worker_run(void *arg)
{
	struct worker *w = arg;
	sigset_t all;

	sigfillset(&all);
	if (w->blocks)
		pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_setname_np(pthread_self(), "worker");
	w->tid = own_tid();
	if (w->waits)
		worker_wait(w);
	else
		worker_spin(w);
	return NULL;
}

static inline bool worker_is_there(void *arg)
{
	struct worker *w = arg;
	char path[64], text[128] = "";
	ssize_t n;
	int fd;

	if (!w->tid || !w->waits)
		return w->tid;
	snprintf(path, sizeof(path), "/proc/self/task/%u/syscall", w->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 && text[0] == '0'; /* in read() */
}

static inline void worker_start(struct worker *w)
{
	CHECK_EQ(pipe2(w->pipe, O_CLOEXEC), 0);
	CHECK_EQ(pthread_create(&w->id, NULL, worker_run, w), 0);
	CHECK(wait_until(worker_is_there, w));
}

static inline void worker_stop(struct worker *w)
{
	w->stop = 1;
	CHECK_EQ(write(w->pipe[1], "x", 1), 1);
	pthread_join(w->id, NULL);
	close(w->pipe[0]);
	close(w->pipe[1]);
}

#endif
