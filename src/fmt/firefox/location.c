// SPDX-License-Identifier: Apache-2.0
/* fmt/firefox/location.c: takes apart what Gecko calls a frame. */
#include "fmt/firefox/location.h"

#include "base/hex.h"
#include "pb/json_extract.h"

bool op_gecko_is_address(struct op_view text, uint64_t *out)
{
	uint64_t v = 0;

	if (text.n < 3 || text.n > 18 || memcmp(text.p, "0x", 2))
		return false;
	for (size_t i = 2; i < text.n; i++) {
		int digit = op_hex_digit(text.p[i]);

		if (digit < 0)
			return false;
		v = v << 4 | (uint64_t)digit;
	}
	*out = v;
	return true;
}

bool op_gecko_take_number(struct op_view *text, int64_t *out)
{
	size_t n = text->n;

	while (n && text->p[n - 1] >= '0' && text->p[n - 1] <= '9')
		n--;
	if (n < 2 || text->p[n - 1] != ':' ||
	    !op_text_number(op_view(text->p + n, text->n - n), out))
		return false;
	text->n = n - 1;
	return true;
}

/* Takes the end off behind the last such text; false if there is none. */
static bool cut_last(struct op_view *text, const char *mark,
		     struct op_view *behind)
{
	size_t n = strlen(mark);

	for (size_t i = text->n >= n ? text->n - n + 1 : 0; i--;) {
		if (memcmp(text->p + i, mark, n))
			continue;
		*behind = op_view(text->p + i + n, text->n - i - n);
		text->n = i;
		return true;
	}
	return false;
}

/* "[5]" at the end, the number of the script in another table. */
static void drop_source(struct op_view *text)
{
	struct op_view rest = *text, number;
	int64_t ignored;

	if (!op_view_ends(rest, "]"))
		return;
	rest.n--;
	if (cut_last(&rest, "[", &number) && op_text_number(number, &ignored))
		*text = rest;
}

/* Of a script that another one loaded: "loader.js -> script.js". */
static struct op_view real_script(struct op_view uri)
{
	struct op_view last;

	return cut_last(&uri, " -> ", &last) ? last : uri;
}

/* "script:line" or "script:line:column". */
static bool take_place(struct op_view text, struct op_gecko_location *out)
{
	int64_t last, line;

	if (!op_gecko_take_number(&text, &last))
		return false;
	if (op_gecko_take_number(&text, &line)) {
		out->line = line;
		out->column = last;
	} else {
		out->line = last;
	}
	out->file = real_script(text);
	return true;
}

struct op_gecko_location op_gecko_script(struct op_view text)
{
	struct op_gecko_location out = { 0 };
	struct op_view rest = text, place;

	drop_source(&rest);
	if (op_view_ends(rest, ")")) {
		rest.n--;
		if (cut_last(&rest, " (", &place) && take_place(place, &out)) {
			out.name = rest;
			return out;
		}
	} else if (take_place(rest, &out)) {
		return out;
	}
	return (struct op_gecko_location){ .name = text };
}

/* "symbol (in library)", which " + 12" or " (file.c:12)" may follow. */
static bool take_symbol(struct op_view text, struct op_gecko_location *out)
{
	struct op_view behind;
	const uint8_t *end;

	if (!cut_last(&text, " (in ", &behind))
		return false;
	end = memchr(behind.p, ')', behind.n);
	if (!end || !text.n)
		return false;
	out->name = text;
	out->library = op_view(behind.p, (size_t)(end - behind.p));
	return true;
}

struct op_gecko_location op_gecko_location(struct op_view text)
{
	struct op_gecko_location out = { 0 };

	if (op_gecko_is_address(text, &out.address)) {
		out.has_address = true;
		return out;
	}
	if (take_symbol(text, &out))
		return out;
	return op_gecko_script(text);
}
