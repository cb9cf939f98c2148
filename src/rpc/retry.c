// SPDX-License-Identifier: Apache-2.0
#include "rpc/retry.h"

#include <time.h>

#include "pb/read.h"

#define SECOND 1000000000ull

enum op_verdict op_http_verdict(int status)
{
	switch (status) {
	case 0:
	case 429:
	case 502:
	case 503:
	case 504:
		return OP_VERDICT_RETRY;
	default:
		return status >= 200 && status < 300 ? OP_VERDICT_DONE :
						       OP_VERDICT_REFUSED;
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
		if (text.p[i] < '0' || text.p[i] > '9' || n > UINT32_MAX)
			return false;
		n = n * 10 + (text.p[i] - '0');
	}
	*out = n;
	return text.n != 0;
}

/* Names of months are English whatever the locale. */
static int month_of(const char *name)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int i = 0; i < 12; i++)
		if (!strncmp(names + 3 * i, name, 3))
			return i;
	return -1;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT", and what it was in older times: "Sunday,
 * 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994". */
static bool date_of(struct op_view text, int64_t *out)
{
	char s[64], month[4] = "";
	struct tm tm = { 0 };
	int n = 0;

	if (text.n >= sizeof(s))
		return false;
	memcpy(s, text.p, text.n);
	s[text.n] = 0;
	if (sscanf(s, "%*3[A-Za-z], %2d %3[A-Za-z] %4d %2d:%2d:%2d GMT%n",
		   &tm.tm_mday, month, &tm.tm_year, &tm.tm_hour, &tm.tm_min,
		   &tm.tm_sec, &n) == 6 &&
	    n)
		tm.tm_year -= 1900;
	else if (sscanf(s, "%*9[A-Za-z], %2d-%3[A-Za-z]-%2d %2d:%2d:%2d GMT%n",
			&tm.tm_mday, month, &tm.tm_year, &tm.tm_hour,
			&tm.tm_min, &tm.tm_sec, &n) == 6 &&
		 n)
		tm.tm_year += tm.tm_year < 70 ? 100 : 0;
	else if (sscanf(s, "%*3[A-Za-z] %3[A-Za-z] %2d %2d:%2d:%2d %4d%n",
			month, &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec,
			&tm.tm_year, &n) == 6 &&
		 n)
		tm.tm_year -= 1900;
	else
		return false;
	tm.tm_mon = month_of(month);
	*out = timegm(&tm);
	return tm.tm_mon >= 0;
}
