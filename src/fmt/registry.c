// SPDX-License-Identifier: Apache-2.0
/* fmt/registry.c: finds the format of a name, a file name or some bytes. */
#include "fmt/format.h"

#include "base/closest.h"
#include "fmt/pack.h"

#define ROW(name) &op_format_##name,
const struct op_format *const op_formats[] = { OP_FORMATS(ROW) NULL };

const struct op_format *op_format_named(const char *name)
{
	for (size_t i = 0; op_formats[i]; i++)
		if (!strcmp(op_formats[i]->name, name))
			return op_formats[i];
	return NULL;
}

const struct op_format *op_format_wanted(const char *name, struct op_err *err)
{
	const struct op_format *f = op_format_named(name);
	struct op_closest c = { .wanted = op_view_z(name) };

	for (size_t i = 0; !f && op_formats[i]; i++)
		op_closest_offer(&c, op_view_z(op_formats[i]->name));
	if (!f && c.best.n)
		op_fail(err, OP_EUSAGE,
			"unknown format '%s'; did you mean '%.*s'?", name,
			(int)c.best.n, (const char *)c.best.p);
	else if (!f)
		op_fail(err, OP_EUSAGE, "unknown format '%s'", name);
	return f;
}

/* The longest ending of any format that the name has; 0 bytes if none. */
static size_t ending(struct op_view name, const struct op_format **best)
{
	size_t best_n = 0;

	for (size_t i = 0; op_formats[i]; i++) {
		const char *const *e = op_formats[i]->endings;

		for (size_t k = 0;
		     k < op_countof(op_formats[i]->endings) && e[k]; k++) {
			if (strlen(e[k]) > best_n && op_view_ends(name, e[k])) {
				*best = op_formats[i];
				best_n = strlen(e[k]);
			}
		}
	}
	return best_n;
}

const struct op_format *op_format_by_ending(const char *file)
{
	const struct op_format *whole = NULL, *inner = NULL;
	struct op_view name = op_view_z(file), stem;
	size_t whole_n = ending(name, &whole);
	size_t inner_n;

	op_pack_by_ending(file, &stem);
	inner_n = ending(stem, &inner);
	if (inner_n && inner_n + name.n - stem.n > whole_n)
		return inner;
	return whole;
}

const char *op_setting(const char *const *settings, const char *name)
{
	size_t n = strlen(name);
	const char *value = NULL;

	for (; settings && *settings; settings++)
		if (!strncmp(*settings, name, n) && (*settings)[n] == '=')
			value = *settings + n + 1;
	return value;
}

bool op_setting_word(struct op_setting_words *w, const char *name,
		     struct op_view *word)
{
	size_t n = strlen(name);

	while (!w->rest || !*w->rest) {
		if (!w->settings || !*w->settings)
			return false;
		w->rest = NULL;
		if (!strncmp(*w->settings, name, n) && (*w->settings)[n] == '=')
			w->rest = *w->settings + n + 1;
		w->settings++;
	}
	n = strcspn(w->rest, ",");
	*word = op_view(w->rest, n);
	w->rest += n + (w->rest[n] == ',');
	return true;
}

bool op_setting_is_on(const char *const *settings, const char *name,
		      struct op_err *err)
{
	const char *v = op_setting(settings, name);

	if (!v || !strcmp(v, "0") || !strcmp(v, "no"))
		return false;
	if (strcmp(v, "1") && strcmp(v, "yes"))
		op_fail(err, OP_EUSAGE, "--%s takes yes or no, not '%s'", name,
			v);
	return true;
}

const struct op_format *op_format_sniff(struct op_view in)
{
	enum { SURE = 100 };
	const struct op_format *best = NULL;
	int best_score = 0;

	for (size_t i = 0; op_formats[i] && best_score < SURE; i++) {
		int score = op_formats[i]->sniff ? op_formats[i]->sniff(in) : 0;

		if (score > best_score) {
			best = op_formats[i];
			best_score = score;
		}
	}
	return best;
}
