// SPDX-License-Identifier: Apache-2.0
/* cli/screen.c: termios, a few sequences of ECMA-48 and xterm, and the signals
 * that a full-screen program must handle. */
#include "screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* The alternate screen, no cursor, and no line wrap at the right margin. */
static const char alternate_text[] = "\033[?1049h";
static const char modes_text[] = "\033[?25l\033[?7l\033[2J";
static const char leave_text[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

/* After an escape the rest of a sequence follows at once; otherwise it was the
 * Esc key. */
enum { ESCAPE_MS = 50 };

/* Signals that end the program: restores the terminal, then they take effect.
 */
static const int ends[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGABRT,
			    SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,	SIGXCPU,
			    SIGALRM, SIGUSR1, SIGUSR2 };
/* These are unblocked only while waiting for a key. */
static const int waits[] = { SIGWINCH, SIGTSTP, SIGCONT };

static struct sigaction end_before[op_countof(ends)];
static struct sigaction wait_before[op_countof(waits)];
static sigset_t mask_before;
static struct termios before, raw;
static volatile sig_atomic_t is_on, must_redraw;

static struct {
	uint8_t p[64];
	size_t at, n;
} input;

/* --- on and off; signal handlers call these --- */

static void put(const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(STDOUT_FILENO, p, n);

		if (done < 0 && errno != EINTR)
			return;
		p += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
}

/* In the background this waits until the user brings the program back. */
static void turn_on(void)
{
	while (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) && errno == EINTR)
		;
	if (!is_on)
		put(alternate_text, sizeof(alternate_text) - 1);
	put(modes_text, sizeof(modes_text) - 1);
	is_on = 1;
	must_redraw = 1;
}

static void turn_off(void)
{
	if (!is_on)
		return;
	is_on = 0;
	put(leave_text, sizeof(leave_text) - 1);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

static void on_end(int sig)
{
	int saved = errno;

	turn_off();
	for (size_t i = 0; i < op_countof(ends); i++)
		if (ends[i] == sig)
			sigaction(sig, &end_before[i], NULL);
	raise(sig);
	errno = saved;
}

/* Stops as the signal would without a handler. */
static void stop(void)
{
	struct sigaction act = { .sa_handler = SIG_DFL }, old;
	sigset_t set, mask;

	turn_off();
	sigaction(SIGTSTP, &act, &old);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, &mask);
	/* Continues here. */
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGTSTP, &old, NULL);
}

static void on_wait(int sig)
{
	int saved = errno;

	if (sig == SIGTSTP)
		stop();
	/* After SIGSTOP too, other programs have changed the terminal. */
	if (sig != SIGWINCH)
		turn_on();
	must_redraw = 1;
	errno = saved;
}

/* Ignored signals (nohup) stay ignored. */
static void handle(const int *sigs, struct sigaction *old, size_t n,
		   void (*fn)(int))
{
	struct sigaction act = { .sa_handler = fn };

	sigfillset(&act.sa_mask);
	sigdelset(&act.sa_mask, SIGTTOU); /* see turn_on() */
	for (size_t i = 0; i < n; i++)
		if (!sigaction(sigs[i], NULL, &old[i]) &&
		    old[i].sa_handler != SIG_IGN)
			sigaction(sigs[i], &act, NULL);
}

static void unhandle(const int *sigs, const struct sigaction *old, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sigaction(sigs[i], &old[i], NULL);
}

bool screen_can(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
	       strcmp(term, "dumb");
}

int screen_open(struct op_err *err)
{
	sigset_t set;

	if (tcgetattr(STDIN_FILENO, &before))
		return op_fail_sys(err, "cannot control the terminal");
	raw = before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_iflag &= ~(tcflag_t)IXON;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	sigemptyset(&set);
	for (size_t i = 0; i < op_countof(waits); i++)
		sigaddset(&set, waits[i]);
	sigprocmask(SIG_BLOCK, &set, &mask_before);
	handle(ends, end_before, op_countof(ends), on_end);
	handle(waits, wait_before, op_countof(waits), on_wait);
	turn_on();
	return OP_OK;
}

void screen_close(void)
{
	turn_off();
	unhandle(waits, wait_before, op_countof(waits));
	unhandle(ends, end_before, op_countof(ends));
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

/* --- what the terminal is --- */

void screen_size(uint32_t *rows, uint32_t *columns)
{
	struct winsize size;

	*rows = 24;
	*columns = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return;
	if (size.ws_row)
		*rows = size.ws_row;
	if (size.ws_col)
		*columns = size.ws_col;
}

enum screen_colours screen_colours(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if ((no && *no) || !term || !strncmp(term, "vt", 2))
		return SCREEN_PLAIN;
	return strstr(term, "256color") || strstr(term, "direct") ? SCREEN_256 :
								    SCREEN_8;
}

/* --- keys --- */

/* Waits for input; negative milliseconds: without a timeout. */
static bool wait_input(int ms)
{
	struct timespec limit = { ms / 1000, ms % 1000 * 1000000L };
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };

	return ppoll(&fd, 1, ms < 0 ? NULL : &limit, &mask_before) > 0;
}

/* The next byte; -1: none. */
static int next_byte(void)
{
	ssize_t n;

	if (input.at < input.n)
		return input.p[input.at++];
	n = read(STDIN_FILENO, input.p, sizeof(input.p));
	if (n <= 0)
		return -1;
	input.n = (size_t)n;
	input.at = 1;
	return input.p[0];
}

static int arrow(int c)
{
	switch (c) {
	case 'A':
		return SCREEN_UP;
	case 'B':
		return SCREEN_DOWN;
	case 'C':
		return SCREEN_RIGHT;
	case 'D':
		return SCREEN_LEFT;
	default:
		return SCREEN_OTHER;
	}
}

/* The rest of a sequence after an escape: ESC [ ... final, or ESC O final. */
static int escape(void)
{
	int c;

	if (input.at == input.n && !wait_input(ESCAPE_MS))
		return SCREEN_ESCAPE;
	c = next_byte();
	if (c != '[' && c != 'O') {
		input.at -= c >= 0;
		return SCREEN_ESCAPE;
	}
	do {
		if (input.at == input.n && !wait_input(ESCAPE_MS))
			return SCREEN_OTHER;
		c = next_byte();
	} while (c >= ' ' && c < '@');
	return arrow(c);
}

int screen_key(void)
{
	int c;

	while (input.at == input.n) {
		if (must_redraw) {
			must_redraw = 0;
			return SCREEN_REDRAW;
		}
		if (!wait_input(-1)) {
			if (errno != EINTR)
				return SCREEN_END;
			continue;
		}
		break;
	}
	c = next_byte();
	if (c < 0)
		return SCREEN_END;
	return c == '\033' ? escape() : c;
}

/* --- drawing --- */

void screen_at(struct op_buf *out, uint32_t row, uint32_t column)
{
	op_buf_printf(out, "\033[%u;%uH", row + 1, column + 1);
}

void screen_draw(struct op_buf *out)
{
	if (!out->err->code)
		put((const char *)out->p, out->n);
	out->n = 0;
}
