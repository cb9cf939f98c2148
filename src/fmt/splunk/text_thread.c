// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/text_thread.c: the two lines before the frames: the thread and its
 * state. */
#include "fmt/splunk/text_int.h"

#include "base/hex.h"

#define JAVA_STATE "java.lang.Thread.State: "

static struct op_view rest_of(struct op_view v, size_t from)
{
	return op_view(v.p + from, v.n - from);
}

static bool begins(struct op_view v, const char *with)
{
	size_t n = strlen(with);

	return v.n >= n && !memcmp(v.p, with, n);
}

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct op_view trimmed(struct op_view v)
{
	while (v.n && is_space(v.p[0]))
		v = rest_of(v, 1);
	while (v.n && is_space(v.p[v.n - 1]))
		v.n--;
	return v;
}

bool op_splunk_line_next(struct op_view *text, struct op_view *line)
{
	const uint8_t *end;

	if (!text->p)
		return false;
	end = text->n ? memchr(text->p, '\n', text->n) : NULL;
	if (!end) {
		*line = *text;
		*text = (struct op_view){ 0 };
	} else {
		*line = op_view(text->p, (size_t)(end - text->p));
		*text = rest_of(*text, line->n + 1);
	}
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

/* --- numbers --- */

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* Digits at the start of v, which are taken from it. */
static bool take_digits(struct op_view *v, uint64_t *out)
{
	uint64_t n = 0;
	size_t i = 0;

	for (; i < v->n && is_digit(v->p[i]); i++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(v->p[i] - '0'), &n))
			return false;
	*v = rest_of(*v, i);
	*out = n;
	return i;
}

static bool number(struct op_view v, int64_t *out)
{
	bool negative = v.n && v.p[0] == '-';
	uint64_t n;

	if (negative)
		v = rest_of(v, 1);
	if (!take_digits(&v, &n) || v.n || n > (uint64_t)INT64_MAX + negative)
		return false;
	*out = (int64_t)(negative ? -n : n);
	return true;
}

static bool hex_number(struct op_view v, uint64_t *out)
{
	uint64_t n = 0;

	if (begins(v, "0x"))
		v = rest_of(v, 2);
	else if (!op_view_is(v, "0"))
		return false;
	if (!v.n || v.n > 16 || !op_is_hex(v))
		return false;
	for (size_t i = 0; i < v.n; i++)
		n = n << 4 | (uint64_t)op_hex_digit(v.p[i]);
	*out = n;
	return true;
}

static bool unit_ns(struct op_view v, uint64_t *out)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "\xc2\xb5s", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", UINT64_C(60000000000) },
		{ "min", UINT64_C(60000000000) },
		{ "h", UINT64_C(3600000000000) },
		{ "d", UINT64_C(86400000000000) },
	};

	for (size_t i = 0; i < op_countof(units); i++) {
		if (op_view_is(v, units[i].name)) {
			*out = units[i].ns;
			return true;
		}
	}
	return false;
}

/* "0.12ms"; digits beyond nanoseconds do not count. */
static bool duration(struct op_view v, uint64_t *out)
{
	struct op_view fraction = { 0 };
	uint64_t n, ns, unit;

	if (!take_digits(&v, &n))
		return false;
	if (v.n && v.p[0] == '.') {
		fraction = v = rest_of(v, 1);
		while (v.n && is_digit(v.p[0]))
			v = rest_of(v, 1);
		fraction.n -= v.n;
	}
	if (!n && !v.n) {
		*out = 0;
		return true;
	}
	if (!unit_ns(v, &unit) || __builtin_mul_overflow(n, unit, &ns))
		return false;
	for (size_t i = 0; i < fraction.n && unit >= 10; i++) {
		/* Of minutes and more a digit is no whole number of ns. */
		uint64_t digit = (uint64_t)(fraction.p[i] - '0');

		unit /= 10;
		if (__builtin_add_overflow(ns, digit * unit, &ns))
			return false;
	}
	*out = ns;
	return true;
}

/* --- the thread --- */

/* Where the name ends: at the last quote before " #" and a number, else at the
 * last of the line. 0: there is none. */
static size_t name_end(struct op_view line)
{
	size_t end = 0;

	for (size_t i = line.n; i-- > 1;) {
		if (line.p[i] != '"')
			continue;
		if (!end)
			end = i;
		if (line.n - i > 3 && line.p[i + 1] == ' ' &&
		    line.p[i + 2] == '#' &&
		    (is_digit(line.p[i + 3]) || line.p[i + 3] == '-'))
			return i;
	}
	return end;
}

/* Takes a word if it is a field of the line. */
static bool field(struct op_splunk_thread *t, struct op_view word)
{
	if (begins(word, "#"))
		return number(rest_of(word, 1), &t->id);
	if (begins(word, "prio="))
		return number(rest_of(word, 5), &t->prio);
	if (begins(word, "os_prio="))
		return number(rest_of(word, 8), &t->os_prio);
	if (begins(word, "cpu="))
		return duration(rest_of(word, 4), &t->cpu_ns);
	if (begins(word, "elapsed="))
		return duration(rest_of(word, 8), &t->elapsed_ns);
	if (begins(word, "tid="))
		return hex_number(rest_of(word, 4), &t->tid);
	if (begins(word, "nid="))
		return hex_number(rest_of(word, 4), &t->nid);
	if (!op_view_is(word, "daemon"))
		return false;
	t->is_daemon = true;
	return true;
}

struct op_splunk_thread op_splunk_thread_parse(struct op_view line)
{
	struct op_splunk_thread t = { 0 };
	size_t end;

	line = trimmed(line);
	if (line.n && line.p[0] == '"') {
		end = name_end(line);
		if (end) {
			t.name = op_view(line.p + 1, end - 1);
			line = trimmed(rest_of(line, end + 1));
		}
	}
	while (line.n) {
		struct op_view word = line;
		const uint8_t *space = memchr(line.p, ' ', line.n);

		if (space)
			word.n = (size_t)(space - line.p);
		if (!field(&t, word))
			break;
		line = trimmed(rest_of(line, word.n));
	}
	t.status = line;
	return t;
}

/* v / 10^digits with at least two digits behind the point, and as many as
 * there are. */
static void decimal(struct op_buf *out, uint64_t v, unsigned int digits)
{
	uint64_t power = 1, rest;

	for (unsigned int i = 0; i < digits; i++)
		power *= 10;
	rest = v % power;
	op_buf_printf(out, "%llu.", (unsigned long long)(v / power));
	for (unsigned int i = 0; i < digits && (i < 2 || rest); i++) {
		power /= 10;
		op_buf_byte(out, '0' + (int)(rest / power));
		rest %= power;
	}
}

/* Text without what would end the line. */
static void plain(struct op_buf *out, struct op_view v)
{
	for (size_t i = 0; i < v.n; i++)
		op_buf_byte(out,
			    v.p[i] == '\n' || v.p[i] == '\r' ? ' ' : v.p[i]);
}

static void line_write(const struct op_splunk_thread *t, struct op_buf *out)
{
	op_buf_byte(out, '"');
	plain(out, t->name);
	op_buf_printf(out, "\" #%lld%s prio=%lld os_prio=%lld cpu=",
		      (long long)t->id, t->is_daemon ? " daemon" : "",
		      (long long)t->prio, (long long)t->os_prio);
	if (t->cpu_ns)
		decimal(out, t->cpu_ns, 6);
	op_buf_z(out, t->cpu_ns ? "ms elapsed=" : "0 elapsed=");
	if (t->elapsed_ns)
		decimal(out, t->elapsed_ns, 9);
	op_buf_printf(out, "%s tid=0x%llx nid=0x%llx",
		      t->elapsed_ns ? "s" : "0", (unsigned long long)t->tid,
		      (unsigned long long)t->nid);
	if (t->status.n) {
		op_buf_byte(out, ' ');
		plain(out, t->status);
	}
}

static bool same(const struct op_splunk_thread *a,
		 const struct op_splunk_thread *b)
{
	return op_view_eq(a->name, b->name) && a->id == b->id &&
	       a->prio == b->prio && a->os_prio == b->os_prio &&
	       a->cpu_ns == b->cpu_ns && a->elapsed_ns == b->elapsed_ns &&
	       a->tid == b->tid && a->nid == b->nid &&
	       a->is_daemon == b->is_daemon && op_view_eq(a->status, b->status);
}

/* Whether the line in out from begin on says what t says. */
static bool reads_back(const struct op_splunk_thread *t,
		       const struct op_buf *out, size_t begin)
{
	struct op_splunk_thread again;

	if (out->err->code)
		return false;
	again = op_splunk_thread_parse(op_view(out->p + begin, out->n - begin));
	return same(t, &again);
}

bool op_splunk_thread_write(const struct op_splunk_thread *t,
			    struct op_buf *out)
{
	struct op_splunk_thread less = *t;
	size_t begin = out->n;

	line_write(t, out);
	if (reads_back(t, out, begin))
		return true;
	if (out->err->code)
		return false;
	/* A status that looks like a field, or like the end of a name. */
	out->n = begin;
	less.status = (struct op_view){ 0 };
	line_write(&less, out);
	return false;
}

/* --- the state --- */

struct op_view op_splunk_state_parse(struct op_view line)
{
	line = trimmed(line);
	return begins(line, JAVA_STATE) ?
		       trimmed(rest_of(line, strlen(JAVA_STATE))) :
		       line;
}

/* "TIMED_WAITING (sleeping)": the first word is one of Java's. */
static bool is_java_state(struct op_view v)
{
	static const char *const states[] = { "NEW",	   "RUNNABLE",
					      "BLOCKED",   "WAITING",
					      "UNKNOWN",   "TIMED_WAITING",
					      "TERMINATED" };
	const uint8_t *space = v.n ? memchr(v.p, ' ', v.n) : NULL;

	if (space)
		v.n = (size_t)(space - v.p);
	for (size_t i = 0; i < op_countof(states); i++)
		if (op_view_is(v, states[i]))
			return true;
	return false;
}

bool op_splunk_state_write(struct op_view state, struct op_buf *out)
{
	size_t begin = out->n;
	struct op_view line;

	if (!state.n)
		return true;
	op_buf_z(out, "   ");
	if (is_java_state(state))
		op_buf_z(out, JAVA_STATE);
	plain(out, state);
	if (out->err->code)
		return false;
	line = op_view(out->p + begin, out->n - begin);
	if (op_view_eq(op_splunk_state_parse(line), state) &&
	    !op_splunk_is_frame(line))
		return true;
	out->n = begin;
	return false;
}
