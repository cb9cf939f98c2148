// SPDX-License-Identifier: Apache-2.0
/* cli/record_page.c: the page of a recording, while it runs.
 *
 * The recorder writes messages into a socket, each behind four bytes with its
 * length, the highest first. A length of 0 says that the recording is over: the
 * page then ends with its last tab. The end of the socket ends it at once.
 * Before all that, the page says what its address is.
 */
#include "record_page.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/budget.h"
#include "cli.h"
#include "fmt/otlp/otlp.h"
#include "view.h"

enum {
	MAX_MESSAGE = 256 << 20,
	READ_BYTES = 1 << 16,
	WAIT_MS = 20000, /* for a page that does not read */
	NOBODY = 65534,
};

/* --- the process of the page --- */

struct page {
	struct view view;
	struct op_err err;
	struct op_buf in; /* received, not yet read */
	bool is_over;
};

/* SUDO_UID and the like: a number above 0. */
static bool number_of(const char *name, uint32_t *out)
{
	const char *text = getenv(name);
	char *end;
	unsigned long v;

	if (!text || !*text)
		return false;
	v = strtoul(text, &end, 10);
	if (*end || !v || v >= UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[2] = { 0 };

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return !syscall(SYS_capset, &head, none) &&
	       !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Who called sudo, else nobody. */
static bool drop_user(void)
{
	struct passwd *pw = getpwnam("nobody");
	uint32_t uid = pw ? pw->pw_uid : NOBODY;
	uint32_t gid = pw ? pw->pw_gid : NOBODY;
	uint32_t sudo_uid, sudo_gid;

	if (geteuid() && getuid())
		return true;
	if (number_of("SUDO_UID", &sudo_uid) &&
	    number_of("SUDO_GID", &sudo_gid)) {
		uid = sudo_uid;
		gid = sudo_gid;
	}
	return !syscall(SYS_setgroups, 0, NULL) && !setresgid(gid, gid, gid) &&
	       !setresuid(uid, uid, uid) && setuid(0) && getuid() == uid;
}

static int window_put(struct page *p, struct op_buf *message)
{
	static const struct op_read_opts read = { .threads = 1 };
	static const struct op_api_file file = { .name = "recording",
						 .format = "otlp" };
	struct op_input_opts as = { .format = op_formats[0] };
	struct op_err *err = &p->err;
	struct op_input in;
	struct op_model m = { 0 };

	if (op_input_buffer(&in, message, &as, err) ||
	    op_input_read(&in, &read, &m, err))
		return err->code;
	p->view.site.input_bytes += in.file_bytes;
	return p->view.files.n ? view_add(&p->view, 0, &m, err) :
				 view_put(&p->view, &file, &m, err);
}

static size_t length_of(const uint8_t *p)
{
	return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 |
	       p[3];
}

/* Takes whole messages off the front of what was received. */
static void messages_read(struct page *p)
{
	size_t at = 0;

	while (!p->err.code && p->in.n - at >= 4) {
		size_t n = length_of(p->in.p + at);
		struct op_buf one = { .err = &p->err };

		if (n > MAX_MESSAGE)
			op_fail(&p->err, OP_ELIMIT, "a window is too large");
		if (p->in.n - at - 4 < n)
			break;
		at += 4;
		if (n) {
			op_buf_view(&one, op_view(p->in.p + at, n));
			if (!p->err.code)
				window_put(p, &one);
			op_buf_free(&one);
		} else {
			p->is_over = true;
		}
		at += n;
	}
	if (at)
		memmove(p->in.p, p->in.p + at, p->in.n - at);
	p->in.n -= at;
	if (!at)
		return;
	p->view.api.is_live = !p->is_over;
	op_server_stays(p->view.server, !p->is_over);
	op_server_changed(p->view.server);
}

/* Without its recorder the page has no more to say. */
static bool on_window(void *ctx, int fd)
{
	struct page *p = ctx;
	uint8_t *to = op_buf_add(&p->in, READ_BYTES);
	ssize_t n;

	if (!to)
		_exit(1);
	p->in.n -= READ_BYTES;
	n = read(fd, to, READ_BYTES);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0)
		_exit(0);
	p->in.n += (size_t)n;
	messages_read(p);
	if (p->err.code) {
		cli_report("record", NULL, &p->err);
		_exit(1);
	}
	return true;
}

/* Terminal signals are the recorder's: the first one ends the recording, not
 * the page. */
static void page_run(int fd, const char *title, const sigset_t *mask)
{
	struct page p = { .view.title = title };
	struct op_err *err = &p.err;
	char url[VIEW_MAX_URL];

	setpgid(0, 0);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (fd != 3)
		dup2(fd, 3);
	close_range(4, ~0U, 0);
	op_budget_use(NULL);
	p.in.err = err;
	if (!drop_user() || !drop_capabilities() || chdir("/"))
		op_fail_sys(err, "cannot drop the privileges for the page");
	p.view.api.is_live = true;
	fcntl(3, F_SETFL, O_NONBLOCK);
	if (err->code || view_begin(&p.view, err) ||
	    view_listen(&p.view, 0, true, err) ||
	    op_server_watch(p.view.server, 3, on_window, &p, err)) {
		cli_report("record", NULL, err);
		_exit(1);
	}
	view_url(&p.view, url, sizeof(url));
	if (write(3, url, strlen(url)) < 0)
		_exit(1);
	op_server_run(p.view.server);
	_exit(0);
}

/* --- the recorder --- */

int record_page_open(struct record_page *p, const char *title,
		     const sigset_t *mask, struct op_err *err)
{
	char url[VIEW_MAX_URL];
	int ends[2];
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return op_fail_sys(err, "cannot make a socket");
	p->pid = fork();
	if (!p->pid)
		page_run(ends[1], title, mask);
	close(ends[1]);
	p->fd = ends[0];
	if (p->pid < 0) {
		p->pid = 0;
		close(p->fd);
		return op_fail_sys(err, "cannot start a process");
	}
	do
		n = read(p->fd, url, sizeof(url) - 1);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return op_fail(err, OP_EIO, "the page could not be served");
	url[n] = 0;
	cli_line("open %s in a browser; Ctrl-C ends the recording", url);
	return OP_OK;
}

/* Writes all of it, unless the page ends or stops to read. */
static bool send_all(struct record_page *p, struct op_view v)
{
	struct pollfd w = { .fd = p->fd, .events = POLLOUT };

	while (v.n) {
		ssize_t n = send(p->fd, v.p, v.n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0)
			v = op_view(v.p + n, v.n - (size_t)n);
		else if (n < 0 && errno == EAGAIN) {
			if (poll(&w, 1, WAIT_MS) != 1)
				return false;
		} else if (n < 0 && errno != EINTR) {
			return false;
		}
	}
	return true;
}

void record_page_put(struct record_page *p, const struct op_model *m)
{
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };
	uint8_t length[4];
	struct op_view v;

	if (!p->pid || p->is_gone)
		return;
	op_otlp_encode(m, &w);
	v = op_pbw_result(&w);
	for (int i = 0; i < 4; i++)
		length[i] = (uint8_t)(v.n >> (24 - 8 * i));
	if (err.code || v.n > MAX_MESSAGE)
		cli_warn("record", NULL, "a window is not shown on the page");
	else
		p->is_gone = !send_all(p, op_view(length, sizeof(length))) ||
			     !send_all(p, v);
	op_pbw_free(&w);
}

/* Signals are blocked, and read from the descriptor. */
static int signals_open(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, before);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void record_page_wait(struct record_page *p)
{
	static const uint8_t over[4];
	sigset_t before;
	struct pollfd w[] = { { .fd = p->fd, .events = POLLIN },
			      { .events = POLLIN } };

	if (!p->pid || p->is_gone || !send_all(p, op_view(over, sizeof(over))))
		return;
	w[1].fd = signals_open(&before);
	cli_line("otprof record: the page stays until it is closed; Ctrl-C "
		 "ends it");
	while (poll(w, 2, -1) < 0 && errno == EINTR)
		continue;
	/* What came was for the page. */
	if (w[1].fd >= 0) {
		struct signalfd_siginfo s;

		while (read(w[1].fd, &s, sizeof(s)) > 0)
			continue;
		close(w[1].fd);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void record_page_close(struct record_page *p)
{
	if (!p->pid)
		return;
	close(p->fd);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	p->pid = 0;
}
