// SPDX-License-Identifier: Apache-2.0
/* cli/progress.c: shows progress on the terminal while a file takes long to
 * read.
 *
 * Readers do not report their position, so a timer checks how much the process
 * has read. A signal handler formats the line, without stdio. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/printable.h"
#include "cli.h"

enum { MAX_NAME = 60, MAX_TEXT = 200 };

static struct {
	char name[MAX_NAME * 4 + 1];
	uint64_t bytes; /* of the file; 0: unknown */
	uint64_t read;	/* by the process before this file */
	struct timespec start;
} now;

struct text {
	char s[MAX_TEXT];
	size_t n;
};

static void put(struct text *t, const char *s)
{
	while (*s && t->n < sizeof(t->s))
		t->s[t->n++] = *s++;
}

static void put_number(struct text *t, uint64_t v)
{
	char digits[24];
	size_t i = sizeof(digits) - 1;

	digits[i] = 0;
	do
		digits[--i] = (char)('0' + v % 10);
	while (v /= 10);
	put(t, digits + i);
}

/* The number of bytes that this process has read by system calls; 0: unknown.
 */
static uint64_t bytes_read(void)
{
	static const char key[] = "rchar: ";
	int fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
	char text[64];
	uint64_t v = 0;
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text));
	close(fd);
	if (n < (ssize_t)sizeof(key) || memcmp(text, key, sizeof(key) - 1))
		return 0;
	for (ssize_t i = sizeof(key) - 1;
	     i < n && text[i] >= '0' && text[i] <= '9'; i++)
		v = v * 10 + (uint64_t)(text[i] - '0');
	return v;
}

static uint64_t elapsed_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)((t.tv_sec - now.start.tv_sec) * 1000 +
			  (t.tv_nsec - now.start.tv_nsec) / 1000000);
}

static void put_left(struct text *t, uint64_t done, uint64_t ms)
{
	uint64_t left = now.bytes > done ? now.bytes - done : 0;

	put(t, " of ");
	put_number(t, now.bytes >> 20);
	put(t, " MiB, ");
	if (left && done) {
		put_number(t, (uint64_t)((double)ms * (double)left /
					 (double)done / 1000) +
				      1);
		put(t, " s left");
	} else {
		put_number(t, ms / 1000);
		put(t, " s");
	}
}

static void on_alarm(int sig)
{
	int saved = errno;
	uint64_t all = bytes_read(), ms = elapsed_ms();
	uint64_t done = all > now.read ? all - now.read : 0;
	struct text t = { .n = 0 };

	(void)sig;
	if (now.bytes && done > now.bytes)
		done = now.bytes;
	put(&t, "\r\033[Kreading ");
	put(&t, now.name);
	put(&t, ": ");
	put_number(&t, done >> 20);
	if (now.bytes) {
		put_left(&t, done, ms);
	} else {
		put(&t, " MiB, ");
		put_number(&t, ms / 1000);
		put(&t, " s");
	}
	if (write(STDERR_FILENO, t.s, t.n) < 0)
		cli_reading_end();
	errno = saved;
}

static void timer(time_t first_s, suseconds_t then_us)
{
	struct itimerval it = { .it_value.tv_sec = first_s,
				.it_interval.tv_usec = then_us };

	setitimer(ITIMER_REAL, &it, NULL);
}

void cli_reading_begin(const char *path, uint64_t bytes)
{
	struct sigaction act = { .sa_handler = on_alarm,
				 .sa_flags = SA_RESTART };
	struct op_err ignored = { 0 };
	struct op_buf name = { .err = &ignored };

	if (!isatty(STDERR_FILENO))
		return;
	op_buf_printable(&name, op_view_first(op_view_z(path), MAX_NAME), "");
	if (!ignored.code && name.n < sizeof(now.name)) {
		memcpy(now.name, name.p, name.n);
		now.name[name.n] = 0;
	}
	op_buf_free(&name);
	now.bytes = bytes;
	now.read = bytes_read();
	clock_gettime(CLOCK_MONOTONIC, &now.start);
	sigaction(SIGALRM, &act, NULL);
	timer(1, 500000);
}

void cli_reading_end(void)
{
	if (!isatty(STDERR_FILENO))
		return;
	timer(0, 0);
	if (elapsed_ms() >= 1000)
		cli_status_clear();
}
