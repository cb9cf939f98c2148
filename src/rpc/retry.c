// SPDX-License-Identifier: Apache-2.0
/* rpc/retry.c: when to retry. */
#include "rpc/retry.h"

#include <stdio.h>
#include <time.h>

#include "pb/read.h"

static const uint64_t second = 1000000000;

enum op_verdict op_http_verdict(int status)
{
	/* An interim response does not count. */
	if (status < 200)
		return OP_VERDICT_RETRY;
	switch (status) {
	case 429:
	case 502:
	case 503:
	case 504:
		return OP_VERDICT_RETRY;
	default:
		return status < 300 ? OP_VERDICT_DONE : OP_VERDICT_REFUSED;
	}
}

static const struct {
	const char *name;
	enum op_verdict verdict;
} codes[] = {
	{ "OK", OP_VERDICT_DONE },
	{ "CANCELLED", OP_VERDICT_RETRY },
	{ "UNKNOWN", OP_VERDICT_REFUSED },
	{ "INVALID_ARGUMENT", OP_VERDICT_REFUSED },
	{ "DEADLINE_EXCEEDED", OP_VERDICT_RETRY },
	{ "NOT_FOUND", OP_VERDICT_REFUSED },
	{ "ALREADY_EXISTS", OP_VERDICT_REFUSED },
	{ "PERMISSION_DENIED", OP_VERDICT_REFUSED },
	{ "RESOURCE_EXHAUSTED", OP_VERDICT_REFUSED },
	{ "FAILED_PRECONDITION", OP_VERDICT_REFUSED },
	{ "ABORTED", OP_VERDICT_RETRY },
	{ "OUT_OF_RANGE", OP_VERDICT_RETRY },
	{ "UNIMPLEMENTED", OP_VERDICT_REFUSED },
	{ "INTERNAL", OP_VERDICT_REFUSED },
	{ "UNAVAILABLE", OP_VERDICT_RETRY },
	{ "DATA_LOSS", OP_VERDICT_RETRY },
	{ "UNAUTHENTICATED", OP_VERDICT_REFUSED },
};

enum { RESOURCE_EXHAUSTED = 8 };

enum op_verdict op_grpc_verdict(int code, bool has_delay)
{
	if (code < 0 || (size_t)code >= op_countof(codes))
		return OP_VERDICT_REFUSED;
	if (code == RESOURCE_EXHAUSTED && has_delay)
		return OP_VERDICT_RETRY;
	return codes[code].verdict;
}

const char *op_grpc_name(int code)
{
	if (code < 0 || (size_t)code >= op_countof(codes))
		return NULL;
	return codes[code].name;
}

/* --- when --- */

static bool seconds_of(struct op_view text, uint64_t *out)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(text.p[i] - '0');
		if (n > UINT32_MAX)
			n = UINT32_MAX;
	}
	*out = n;
	return text.n != 0;
}

/* The English name of a month, whatever the locale; -1: unknown. */
static int month_of(const char *name)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int i = 0; i < 12; i++)
		if (!strncmp(names + 3 * i, name, 3))
			return i;
	return -1;
}

struct date {
	char month[4];
	int year, day, hour, minute, second;
	int end; /* number of characters parsed; 0: not such a date */
};

/* Sun, 06 Nov 1994 08:49:37 GMT */
static bool date_today(const char *s, struct date *d)
{
	sscanf(s, "%*3[A-Za-z], %2d %3[A-Za-z] %4d %2d:%2d:%2d GMT%n", &d->day,
	       d->month, &d->year, &d->hour, &d->minute, &d->second, &d->end);
	return d->end;
}

/* Sunday, 06-Nov-94 08:49:37 GMT */
static bool date_rfc850(const char *s, struct date *d)
{
	sscanf(s, "%*9[A-Za-z], %2d-%3[A-Za-z]-%2d %2d:%2d:%2d GMT%n", &d->day,
	       d->month, &d->year, &d->hour, &d->minute, &d->second, &d->end);
	d->year += d->year < 70 ? 2000 : 1900;
	return d->end;
}

/* Sun Nov  6 08:49:37 1994 */
static bool date_asctime(const char *s, struct date *d)
{
	sscanf(s, "%*3[A-Za-z] %3[A-Za-z] %2d %2d:%2d:%2d %4d%n", d->month,
	       &d->day, &d->hour, &d->minute, &d->second, &d->year, &d->end);
	return d->end;
}

static bool is_date(const struct date *d)
{
	return d->day >= 1 && d->day <= 31 && d->year >= 1970 && d->hour >= 0 &&
	       d->hour <= 23 && d->minute >= 0 && d->minute <= 59 &&
	       d->second >= 0 && d->second <= 60 && month_of(d->month) >= 0;
}

static bool date_of(struct op_view text, int64_t *out)
{
	struct date d = { 0 };
	struct tm tm = { 0 };
	char s[40];

	if (text.n >= sizeof(s))
		return false;
	memcpy(s, text.p, text.n);
	s[text.n] = 0;
	if (!date_today(s, &d) && !date_rfc850(s, &d) && !date_asctime(s, &d))
		return false;
	if ((size_t)d.end != text.n || !is_date(&d))
		return false;
	tm.tm_year = d.year - 1900;
	tm.tm_mon = month_of(d.month);
	tm.tm_mday = d.day;
	tm.tm_hour = d.hour;
	tm.tm_min = d.minute;
	tm.tm_sec = d.second;
	*out = timegm(&tm);
	return true;
}

bool op_retry_after(struct op_view text, int64_t now_s, uint64_t *delay_ns)
{
	uint64_t seconds;
	int64_t at;

	if (!text.n)
		return false;
	if (!seconds_of(text, &seconds)) {
		if (!date_of(text, &at))
			return false;
		seconds = at > now_s ? (uint64_t)at - (uint64_t)now_s : 0;
		if (seconds > UINT32_MAX)
			seconds = UINT32_MAX;
	}
	*delay_ns = seconds * second;
	return true;
}

/* --- google.rpc.Status --- */

/* Duration { 1 seconds, 2 nanos }; ignored unless positive. */
static bool duration(struct op_cur c, uint64_t *out)
{
	int64_t seconds = 0, nanos = 0;
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(1, OP_PB_VARINT))
			seconds = (int64_t)f.v;
		else if (op_pb_key(&f) == OP_PB(2, OP_PB_VARINT))
			nanos = (int32_t)f.v;
	}
	if (c.err->code || seconds < 0 || nanos < 0 || nanos >= (int64_t)second)
		return false;
	if (seconds > UINT32_MAX)
		seconds = UINT32_MAX;
	*out = (uint64_t)seconds * second + (uint64_t)nanos;
	return true;
}

/* RetryInfo { 1 retry_delay } */
static bool retry_info(struct op_cur c, uint64_t *out)
{
	struct op_pb_field f;
	bool found = false;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(1, OP_PB_LEN))
			found = duration(op_pb_sub(&c, &f), out);
	return found;
}

/* Any { 1 type_url, 2 value } */
static bool any_retry_info(struct op_cur c, uint64_t *out)
{
	struct op_view type = { 0 }, value = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(1, OP_PB_LEN))
			type = f.bytes;
		else if (op_pb_key(&f) == OP_PB(2, OP_PB_LEN))
			value = f.bytes;
	}
	return !c.err->code && op_view_ends(type, "/google.rpc.RetryInfo") &&
	       retry_info(op_cur_sub(&c, value), out);
}

bool op_retry_info(struct op_view status, uint64_t *delay_ns)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(status, &err);
	struct op_pb_field f;
	uint64_t delay = 0;
	bool found = false;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(3, OP_PB_LEN))
			found |= any_retry_info(op_pb_sub(&c, &f), &delay);
	if (!found || err.code)
		return false;
	*delay_ns = delay;
	return true;
}

/* --- backoff --- */

static const uint64_t backoff_first = 1, backoff_most = 30, backoff_all = 300;

/* splitmix64: works with every seed, even 0. */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

bool op_backoff_next(struct op_backoff *b, uint64_t asked_ns, uint64_t *wait_ns)
{
	uint64_t all = b->most_ns ? b->most_ns : backoff_all * second;
	uint64_t base = b->next_ns ? b->next_ns : backoff_first * second;
	uint64_t wait = base / 2 + random_next(&b->random) % (base + 1);
	uint64_t least = b->next_ns / 100; /* the first delay is used as is */

	/* Otherwise one response could delay all messages for years, and many
	 * in a row could keep us busy all the time. */
	if (asked_ns > backoff_most * second)
		asked_ns = backoff_most * second;
	if (asked_ns)
		wait = asked_ns > least ? asked_ns : least;
	if (wait > all || b->spent_ns > all - wait)
		return false;
	b->spent_ns += wait;
	/* Delays continue to grow from the one that the server asked for. */
	if (asked_ns > base)
		base = asked_ns;
	b->next_ns = base + base / 2;
	if (b->next_ns > backoff_most * second)
		b->next_ns = backoff_most * second;
	*wait_ns = wait;
	return true;
}
