// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "serve/serve_int.h"

static void broken(const char *word)
{
	fprintf(stderr, "serve: what is '%s'?\n", word);
	exit(2);
}

void serve_add(struct serve_text *t, const void *p, size_t n)
{
	t->p = realloc(t->p, t->n + n + 1);
	if (!t->p)
		abort();
	if (n)
		memcpy(t->p + t->n, p, n);
	t->n += n;
	t->p[t->n] = 0;
}

static void add_decoded(struct serve_text *t, const char *value)
{
	for (; *value; value++) {
		uint8_t c = (uint8_t)*value;

		if (c == '%' && op_unhex(op_view(value + 1, 2), &c, 1))
			value += 2;
		serve_add(t, &c, 1);
	}
}

static void add_hex(struct serve_text *t, const char *value)
{
	for (; value[0] && value[1]; value += 2) {
		uint8_t c;

		if (!op_unhex(op_view(value, 2), &c, 1))
			broken(value);
		serve_add(t, &c, 1);
	}
}

/* name:value as a line "name: value". */
static void add_line(struct serve_text *t, const char *value)
{
	size_t n = strcspn(value, ":");

	if (!value[n])
		broken(value);
	serve_add(t, value, n);
	serve_add(t, ": ", 2);
	add_decoded(t, value + n + 1);
	serve_add(t, "\n", 1);
}

static void add_fill(struct serve_text *t, size_t n)
{
	char *fill = malloc(n + 1);

	if (!fill)
		abort();
	memset(fill, 'x', n);
	serve_add(t, fill, n);
	free(fill);
}

static void add_grpc(struct serve_answer *a, const char *code)
{
	serve_add(&a->headers, "content-type: application/grpc\n", 31);
	serve_add(&a->trailers, "grpc-status: ", 13);
	serve_add(&a->trailers, code, strlen(code));
	serve_add(&a->trailers, "\n", 1);
	if (!strcmp(code, "0") && !a->body.n)
		serve_add(&a->body, "\0\0\0\0\0", 5);
}

static bool word_plain(struct serve_answer *a, const char *word)
{
	static const char *const hows[] = {
		[SERVE_CLOSE] = "close",     [SERVE_RESET] = "reset",
		[SERVE_GARBAGE] = "garbage", [SERVE_CUT] = "cut",
		[SERVE_HANG] = "hang",	     [SERVE_EARLY] = "early",
	};

	if (!strcmp(word, "length")) {
		a->has_length = true;
		return true;
	}
	for (size_t i = 1; i < sizeof(hows) / sizeof(*hows); i++)
		if (!strcmp(word, hows[i])) {
			a->how = (enum serve_how)i;
			return true;
		}
	return false;
}

/* Bytes that are written as they are. */
static bool word_raw(struct serve_answer *a, const char *name,
		     const char *value)
{
	bool is_again = !strcmp(name, "again");

	if (!is_again && strcmp(name, "raw"))
		return false;
	add_decoded(is_again ? &a->again : &a->raw, value);
	a->how = SERVE_RAW;
	return true;
}

static void word_value(struct serve_answer *a, const char *name,
		       const char *value)
{
	if (word_raw(a, name, value))
		return;
	if (!strcmp(name, "status"))
		a->status = (int)strtol(value, NULL, 10);
	else if (!strcmp(name, "header"))
		add_line(&a->headers, value);
	else if (!strcmp(name, "trailer"))
		add_line(&a->trailers, value);
	else if (!strcmp(name, "body"))
		add_decoded(&a->body, value);
	else if (!strcmp(name, "hex"))
		add_hex(&a->body, value);
	else if (!strcmp(name, "fill"))
		add_fill(&a->body, strtoul(value, NULL, 10));
	else if (!strcmp(name, "grpc"))
		add_grpc(a, value);
	else if (!strcmp(name, "delay"))
		a->delay_ms = (unsigned int)strtoul(value, NULL, 10);
	else if (!strcmp(name, "pause"))
		a->pause_ms = (unsigned int)strtoul(value, NULL, 10);
	else
		broken(name);
}

static void word(struct serve_answer *a, char *text)
{
	char *eq = strchr(text, '=');

	if (!eq) {
		if (!word_plain(a, text))
			broken(text);
		return;
	}
	*eq = 0;
	word_value(a, text, eq + 1);
}

static void line(struct serve_answer *a, char *text)
{
	*a = (struct serve_answer){ .status = 200 };
	serve_add(&a->headers, "", 0);
	serve_add(&a->trailers, "", 0);
	serve_add(&a->body, "", 0);
	while (*text) {
		char *end = text + strcspn(text, " ");
		bool more = *end;

		*end = 0;
		if (*text)
			word(a, text);
		text = end + more;
	}
}

size_t serve_script(const char *text, struct serve_answer *out)
{
	size_t nr = 0;

	do {
		size_t n = strcspn(text, "\n");
		char *copy = strndup(text, n);

		if (!copy)
			abort();
		/* A line feed at the end begins no other answer. */
		if (n || !nr)
			line(&out[nr++], copy);
		free(copy);
		text += n + (text[n] == '\n');
	} while (*text && nr < SERVE_MAX);
	return nr;
}

void serve_answer_free(struct serve_answer *a)
{
	free(a->headers.p);
	free(a->trailers.p);
	free(a->body.p);
	free(a->raw.p);
	free(a->again.p);
}
