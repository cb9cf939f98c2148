// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/text_frame.c: a frame as a line.
 *
 * It is read from the right: files have colons, spaces and brackets in their
 * names ("C:\Program Files (x86)\a.cs"), functions have them too ("f(int)"). */
#include "fmt/splunk/text_int.h"

#define GLOBAL "global."
#define UNKNOWN "unknown."

static struct op_view rest_of(struct op_view v, size_t from)
{
	return op_view(v.p + from, v.n - from);
}

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static struct op_view trimmed(struct op_view v)
{
	while (v.n && is_space(v.p[0]))
		v = rest_of(v, 1);
	while (v.n && is_space(v.p[v.n - 1]))
		v.n--;
	return v;
}

static bool begins(struct op_view v, const char *with)
{
	size_t n = strlen(with);

	return v.n >= n && !memcmp(v.p, with, n);
}

/* The bracket that the last byte closes; v.n if there is none. */
static size_t bracket(struct op_view v)
{
	size_t depth = 0;

	if (!v.n || v.p[v.n - 1] != ')')
		return v.n;
	for (size_t i = v.n; i--;) {
		if (v.p[i] == ')')
			depth++;
		else if (v.p[i] == '(' && !--depth)
			return i;
	}
	return v.n;
}

/* Takes ":<n>" or " <n>" from the end of v. What has more than 18 digits is no
 * such number; one below 0 is Java's way to say that it is none. */
static bool take_number(struct op_view *v, char before, int64_t *out)
{
	int64_t n = 0, power = 1;
	size_t i = v->n;

	for (; i && v->p[i - 1] >= '0' && v->p[i - 1] <= '9'; i--) {
		if (v->n - i >= 18)
			return false;
		n += (v->p[i - 1] - '0') * power;
		power *= 10;
	}
	if (i == v->n || !i)
		return false;
	if (v->p[i - 1] == '-') {
		n = 0;
		i--;
	}
	if (!i || v->p[i - 1] != (uint8_t)before)
		return false;
	v->n = i - 1;
	*out = n;
	return true;
}

/* " <col>" and " <col>:<col>", if one is there. */
static void columns_2021(struct op_view *v, struct op_splunk_frame *out)
{
	struct op_view whole = *v;
	int64_t last;

	if (take_number(v, ' ', &out->column))
		return;
	if (take_number(v, ':', &last) && take_number(v, ' ', &out->column)) {
		out->is_range = true;
		return;
	}
	*v = whole;
}

/* ":<line>" and ":<line>:<line>". A column without a line is no column, but
 * the end of a name. */
static void place_2021(struct op_view *v, struct op_splunk_frame *out)
{
	struct op_view whole = *v;
	int64_t first;

	columns_2021(v, out);
	if (!take_number(v, ':', &out->line)) {
		*v = whole;
		out->column = 0;
		out->is_range = false;
		return;
	}
	if (take_number(v, ':', &first)) {
		out->line = first;
		out->is_range = true;
	}
}

static void place_1_4(struct op_view *v, struct op_splunk_frame *out)
{
	int64_t first;

	if (!take_number(v, ':', &out->line))
		return;
	if (take_number(v, ':', &first)) {
		out->column = out->line;
		out->line = first;
	}
}

/* --- namespaces --- */

/* What a name consists of: "int shop::Cart::add<T>(int) const". */
struct parts {
	size_t begin; /* of the qualified name, behind a return type */
	size_t colon; /* the last "::", outside of brackets; n: none */
	size_t dot;   /* the last '.', likewise */
};

static bool is_word(uint8_t c)
{
	uint8_t letter = c | 0x20;

	return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* The names of operators have brackets that are none. */
static bool is_operator(struct op_view v)
{
	const size_t n = strlen("operator");

	return begins(v, "operator") && (v.n == n || !is_word(v.p[n]));
}

/* How deep in brackets what follows is; -1: they are not balanced. "->" has
 * none. */
static int depth_after(struct op_view v, size_t i, int depth)
{
	if (strchr("<([{", v.p[i]))
		return depth + 1;
	if (!strchr(">)]}", v.p[i]) || (i && v.p[i - 1] == '-'))
		return depth;
	return depth - 1;
}

/* Reads up to the arguments of the function. */
static struct parts parts_of(struct op_view v)
{
	const struct parts none = { 0, v.n, v.n };
	struct parts p = none;
	size_t part = 0; /* where the part at hand begins */
	int depth = 0;

	for (size_t i = 0; i < v.n && v.p[i]; i++) {
		uint8_t c = v.p[i];

		if (!depth && ((i == part && is_operator(rest_of(v, i))) ||
			       (c == '(' && i != part)))
			return p;
		if (!depth && c == ' ') {
			p.begin = part = i + 1;
			p.colon = v.n;
		} else if (!depth && begins(rest_of(v, i), "::")) {
			p.colon = i++;
			part = i + 1;
		} else if (!depth && c == '.') {
			p.dot = i;
			part = i + 1;
		}
		depth = depth_after(v, i, depth);
		if (depth < 0)
			return none;
	}
	return depth ? none : p;
}

bool op_splunk_scope_split(struct op_splunk_frame *f)
{
	struct op_view v = f->function;
	struct parts p = parts_of(v);

	if (p.colon >= v.n || p.colon <= p.begin || p.colon + 2 >= v.n)
		return p.begin == 0 || p.colon >= v.n;
	f->scope = op_view(v.p + p.begin, p.colon - p.begin);
	f->function = rest_of(v, p.colon + 2);
	return p.begin == 0;
}

/* Takes "shop::Cart" or "::Cart" before a dot, which is how a scope of C++ is
 * told from a package of Java. */
static bool take_scope(struct op_view v, struct op_splunk_frame *out)
{
	struct parts p = parts_of(v), of;
	struct op_view scope = op_view(v.p, p.dot);

	if (p.dot + 1 >= v.n || p.begin)
		return false;
	if (begins(scope, "::"))
		scope = rest_of(scope, 2);
	of = parts_of(scope);
	if (!scope.n || (scope.p == v.p && of.colon == scope.n) || of.begin ||
	    begins(scope, "::"))
		return false;
	out->scope = scope;
	out->function = rest_of(v, p.dot + 1);
	return true;
}

/* A namespace may say that there is none. */
static void namespace_parse(struct op_splunk_frame *f)
{
	static const char *const none[] = { GLOBAL, UNKNOWN };

	for (size_t i = 0; i < op_countof(none); i++) {
		size_t n = strlen(none[i]);

		if (begins(f->function, none[i]) && f->function.n > n) {
			f->function = rest_of(f->function, n);
			return;
		}
	}
	take_scope(f->function, f);
}

bool op_splunk_is_frame(struct op_view line)
{
	line = trimmed(line);
	return begins(line, "at ") && bracket(line) < line.n;
}

bool op_splunk_frame_parse(struct op_view line, enum op_splunk_frames how,
			   struct op_splunk_frame *out)
{
	size_t at;

	*out = (struct op_splunk_frame){ 0 };
	line = trimmed(line);
	if (!line.n || begins(line, "- "))
		return false;
	if (begins(line, "at "))
		line = trimmed(rest_of(line, 3));
	at = bracket(line);
	out->function = trimmed(op_view(line.p, at));
	if (at < line.n) {
		struct op_view place = op_view(line.p + at + 1,
					       line.n - at - 2);

		if (how == OP_SPLUNK_2021)
			place_2021(&place, out);
		else
			place_1_4(&place, out);
		out->file = trimmed(place);
		if (op_view_is(out->file, OP_SPLUNK_UNKNOWN))
			out->file.n = 0;
	}
	if (how == OP_SPLUNK_2021)
		namespace_parse(out);
	if (!out->function.n)
		out->function = op_view_z(OP_SPLUNK_UNKNOWN);
	return true;
}

/* --- writing --- */

/* What compilers append to the name of a function that they have copied or cut:
 * "parse.part.0". */
static bool is_clone(struct op_view v)
{
	static const char *const words[] = {
		"cold", "constprop", "isra", "llvm", "lto_priv", "part",
	};
	const uint8_t *dot = v.n ? memchr(v.p, '.', v.n) : NULL;

	if (!dot)
		return false;
	v = op_view(dot + 1, v.n - (size_t)(dot + 1 - v.p));
	for (size_t i = 0; i < op_countof(words); i++) {
		size_t n = strlen(words[i]);

		if (begins(v, words[i]) && (v.n == n || v.p[n] == '.'))
			return true;
	}
	return false;
}

/* Whether a name must be given a namespace to have one that is not taken for
 * "there is none". */
static bool wants_global(struct op_view v)
{
	struct op_splunk_frame f;

	return !v.n || v.p[0] == '.' || parts_of(v).dot == v.n || is_clone(v) ||
	       begins(v, GLOBAL) || begins(v, UNKNOWN) || take_scope(v, &f);
}

static void namespace_write(const struct op_splunk_frame *f, struct op_buf *out)
{
	if (f->scope.n) {
		if (parts_of(f->scope).colon == f->scope.n)
			op_buf_z(out, "::");
		op_buf_view(out, f->scope);
		op_buf_byte(out, '.');
	} else if (wants_global(f->function)) {
		op_buf_z(out, f->is_address ? UNKNOWN : GLOBAL);
	}
}

/* The older grammar can do without a line, the newer without a column. Told to
 * be full it writes a 0, which keeps the end of a name that looks like one. */
static void line_write(const struct op_splunk_frame *f,
		       enum op_splunk_frames how, bool is_full,
		       struct op_buf *out)
{
	bool is_old = how == OP_SPLUNK_2021;

	op_buf_z(out, "\tat ");
	if (is_old)
		namespace_write(f, out);
	op_buf_view(out, f->function);
	op_buf_byte(out, '(');
	op_buf_view(out, f->file.n ? f->file : op_view_z(OP_SPLUNK_UNKNOWN));
	if (f->line || f->column || is_full || !is_old)
		op_buf_printf(out, ":%lld", (long long)f->line);
	if (f->column || (is_full && !is_old))
		op_buf_printf(out, is_old ? " %lld" : ":%lld",
			      (long long)f->column);
	op_buf_byte(out, ')');
}

static bool same(const struct op_splunk_frame *a,
		 const struct op_splunk_frame *b)
{
	return op_view_eq(a->function, b->function) &&
	       op_view_eq(a->scope, b->scope) && op_view_eq(a->file, b->file) &&
	       a->line == b->line && a->column == b->column;
}

static bool reads_back(const struct op_splunk_frame *f,
		       enum op_splunk_frames how, const struct op_buf *out,
		       size_t begin)
{
	struct op_view line;
	struct op_splunk_frame again;

	if (out->err->code)
		return false;
	line = op_view(out->p + begin, out->n - begin);
	return (!line.n || !memchr(line.p, '\n', line.n)) &&
	       op_splunk_frame_parse(line, how, &again) && same(f, &again);
}

/* A name with "_" for all that could stand in the way. */
static void tame(struct op_buf *out, struct op_view v)
{
	for (size_t i = 0; i < v.n; i++) {
		uint8_t c = v.p[i];

		op_buf_byte(out, c < ' ' || strchr(" ():", c) ? '_' : c);
	}
}

static void tame_write(const struct op_splunk_frame *f,
		       enum op_splunk_frames how, struct op_buf *out)
{
	struct op_buf function = { .err = out->err }, file = function;
	struct op_splunk_frame g = *f;

	if (f->scope.n) {
		tame(&function, f->scope);
		op_buf_byte(&function, '.');
	}
	tame(&function, f->function);
	tame(&file, f->file);
	g.scope = (struct op_view){ 0 };
	g.function = op_view(function.p, function.n);
	g.file = op_view(file.p, file.n);
	if (!g.function.n)
		g.function = op_view_z(OP_SPLUNK_UNKNOWN);
	g.line = f->line > 0 ? f->line : 0;
	g.column = f->column > 0 ? f->column : 0;
	line_write(&g, how, false, out);
	op_buf_free(&function);
	op_buf_free(&file);
}

bool op_splunk_frame_write(const struct op_splunk_frame *f,
			   enum op_splunk_frames how, struct op_buf *out)
{
	size_t begin = out->n;

	line_write(f, how, false, out);
	if (reads_back(f, how, out, begin))
		return true;
	if (!out->err->code) {
		out->n = begin;
		line_write(f, how, true, out);
	}
	if (reads_back(f, how, out, begin))
		return true;
	if (!out->err->code) {
		out->n = begin;
		tame_write(f, how, out);
	}
	return false;
}
