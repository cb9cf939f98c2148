// SPDX-License-Identifier: Apache-2.0
/* model/where.c: parses conditions. */
#include "model/where.h"

#include "base/number.h"

struct parse {
	struct op_where *w;
	const char *text;
	size_t at;
	struct op_err *err;
};

static int fail(struct parse *p, size_t at, const char *what)
{
	return op_fail_at(p->err, OP_EUSAGE, at, "%s", what);
}

static void skip_space(struct parse *p)
{
	while (p->text[p->at] == ' ' || p->text[p->at] == '\t')
		p->at++;
}

static bool is_word(char c)
{
	bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

	return is_letter || (c >= '0' && c <= '9') ||
	       (unsigned char)c >= 0x80 || (c && strchr("._-/:@+$*", c));
}

/* Copies text up to the closing quote. */
static struct op_view quoted(struct parse *p)
{
	char quote = p->text[p->at];
	size_t begin = p->at++;
	char *copy = op_arena_alloc(&p->w->mem, strlen(p->text + begin));
	size_t n = 0;

	if (!copy)
		return (struct op_view){ 0 };
	while (p->text[p->at] && p->text[p->at] != quote) {
		/* Only the quote needs an escape: regular expressions are full
		 * of backslashes. */
		if (p->text[p->at] == '\\' && p->text[p->at + 1] == quote)
			p->at++;
		copy[n++] = p->text[p->at++];
	}
	if (!p->text[p->at])
		fail(p, begin, "this quote is not closed");
	else
		p->at++;
	copy[n] = 0;
	return op_view(copy, n);
}

static struct op_view word(struct parse *p)
{
	size_t begin = p->at;
	char *copy;

	while (is_word(p->text[p->at]))
		p->at++;
	copy = op_arena_alloc(&p->w->mem, p->at - begin + 1);
	if (!copy)
		return (struct op_view){ 0 };
	memcpy(copy, p->text + begin, p->at - begin);
	copy[p->at - begin] = 0;
	return op_view(copy, p->at - begin);
}

static struct op_view text(struct parse *p, const char *expected)
{
	skip_space(p);
	if (p->text[p->at] == '"' || p->text[p->at] == '\'')
		return quoted(p);
	if (!is_word(p->text[p->at]))
		fail(p, p->at, expected);
	return word(p);
}

static enum op_where_op operator_of(struct parse *p)
{
	static const struct {
		const char *text;
		enum op_where_op op;
	} ops[] = {
		/* Longer operators first. */
		{ "!=", OP_WHERE_NE },	     { "=~", OP_WHERE_MATCH },
		{ "!~", OP_WHERE_NO_MATCH }, { "<=", OP_WHERE_LE },
		{ ">=", OP_WHERE_GE },	     { "==", OP_WHERE_EQ },
		{ "=", OP_WHERE_EQ },	     { "<", OP_WHERE_LT },
		{ ">", OP_WHERE_GT },
	};

	skip_space(p);
	for (size_t i = 0; i < op_countof(ops); i++) {
		size_t n = strlen(ops[i].text);

		if (!strncmp(p->text + p->at, ops[i].text, n)) {
			p->at += n;
			return ops[i].op;
		}
	}
	fail(p, p->at, "expected =, !=, =~, !~, <, <=, > or >= here");
	return OP_WHERE_EQ;
}

static bool is_comparison(enum op_where_op op)
{
	return op >= OP_WHERE_LT && op <= OP_WHERE_GE;
}

static bool number_of(struct op_view text, double *out)
{
	struct op_decimal d;

	return op_decimal_read(text, &d) && op_decimal_real(&d, out);
}

/* at: the position of the value, for errors. */
static int add(struct op_where *w, struct op_condition c, size_t at,
	       struct op_err *err)
{
	if (is_comparison(c.op) && !number_of(c.value, &c.number))
		return op_fail_at(err, OP_EUSAGE, at, "expected a number here");
	if (c.op == OP_WHERE_MATCH || c.op == OP_WHERE_NO_MATCH) {
		c.re = op_regex_new((const char *)c.value.p, err);
		if (!c.re) {
			err->at += at;
			return err->code;
		}
	}
	if (op_vec_push(&w->mem, &w->list, c))
		return OP_OK;
	op_regex_free(c.re);
	return err->code;
}

static void condition(struct parse *p)
{
	struct op_condition c = { 0 };
	size_t at;

	c.label = op_label_named(text(p, "expected the name of a label here"));
	if (!p->err->code)
		c.op = operator_of(p);
	if (p->err->code)
		return;
	skip_space(p);
	at = p->at + (p->text[p->at] == '"' || p->text[p->at] == '\'');
	c.value = text(p, "expected a value here, in quotes if it is not a "
			  "plain word");
	if (!p->err->code)
		add(p->w, c, at, p->err);
}

int op_where_parse(struct op_where *w, const char *text, struct op_err *err)
{
	struct parse p = { .w = w, .text = text, .err = err };

	op_arena_tells(&w->mem, err);
	do {
		condition(&p);
		skip_space(&p);
	} while (!err->code && text[p.at] == ',' && ++p.at);
	if (!err->code && text[p.at])
		fail(&p, p.at, "expected a comma or the end here");
	return err->code;
}

int op_where_add(struct op_where *w, const char *label, enum op_where_op op,
		 const char *value, struct op_err *err)
{
	struct op_condition c = { .label = op_label_named(op_view_z(label)),
				  .op = op,
				  .value = op_view_z(value) };

	op_arena_tells(&w->mem, err);
	return add(w, c, 0, err);
}

void op_where_free(struct op_where *w)
{
	for (size_t i = 0; i < w->list.n; i++)
		op_regex_free(w->list.p[i].re);
	op_arena_free(&w->mem);
	*w = (struct op_where){ 0 };
}

/* --- writing --- */

static bool is_plain(struct op_view text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!is_word((char)text.p[i]))
			return false;
	return text.n;
}

static void write_quoted(struct op_buf *out, struct op_view text)
{
	op_buf_byte(out, '"');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '"')
			op_buf_byte(out, '\\');
		op_buf_byte(out, text.p[i]);
	}
	op_buf_byte(out, '"');
}

/* Letters and digits have no meaning in a pattern. */
static void pattern_text(struct op_buf *out, struct op_view text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = (char)text.p[i];

		if (is_word(c) && !strchr(".*+$", c))
			op_buf_byte(out, c);
		else
			op_buf_printf(out, "\\x%02x", text.p[i]);
	}
}

static void write_label(struct op_buf *out, struct op_view label)
{
	if (is_plain(label))
		op_buf_view(out, label);
	else
		write_quoted(out, label);
}

void op_where_write(struct op_buf *out, struct op_view label,
		    struct op_view text)
{
	write_label(out, label);
	/* A backslash at the end would quote the quote. */
	if (op_view_ends(text, "\\")) {
		op_buf_z(out, "=~\"^");
		pattern_text(out, text);
		op_buf_z(out, "\\z\"");
	} else {
		op_buf_byte(out, '=');
		write_quoted(out, text);
	}
}

void op_where_write_whole(struct op_buf *out, struct op_view label,
			  struct op_view text)
{
	op_buf_byte(out, ',');
	write_label(out, label);
	op_buf_z(out, "!~\"^");
	pattern_text(out, text);
	op_buf_z(out, " \\([0-9]+\\)$| \\(");
	pattern_text(out, text);
	op_buf_z(out, "\\)$\"");
}
