// SPDX-License-Identifier: Apache-2.0
/* fmt/firefox/firefox.c: profiles of the Firefox Profiler and of Gecko.
 *
 * They have no mark at their start, and their first member may be long: what
 * is looked for are members that no other format has.
 */
#include "fmt/firefox/firefox_int.h"

/* How many of the members that meta has a value has. */
static int meta_members(struct op_view value)
{
	static const char *const keys[] = {
		"interval",  "startTime",  "processType",
		"stackwalk", "categories", "preprocessedProfileVersion",
	};
	struct op_view ignored;
	int nr = 0;

	for (size_t i = 0; i < op_countof(keys); i++)
		nr += op_json_sniff_key(value, keys[i], &ignored);
	return nr;
}

static int profile_sniff(struct op_view v)
{
	struct op_view value;
	int nr = 0;

	if (op_json_sniff_key(v, "meta", &value))
		nr = meta_members(value);
	if (nr >= 3)
		return 95;
	if (nr == 2)
		return 80;
	if (op_json_sniff_key(v, "libs", &value) &&
	    op_view_holds(value, "breakpadId"))
		return 80;
	if (op_json_sniff_key(v, "shared", &value) &&
	    (op_json_sniff_key(value, "stackTable", &value) ||
	     op_json_sniff_key(value, "stringArray", &value) ||
	     op_json_sniff_key(value, "frameTable", &value)))
		return 80;
	if (op_json_sniff_key(v, "threads", &value) &&
	    (op_view_holds(value, "\"stackTable\"") ||
	     op_view_holds(value, "\"samples\"") ||
	     op_view_holds(value, "\"frameTable\"")))
		return 80;
	return 0;
}

/* What the developer tools of older Firefoxes wrote has a profile behind other
 * members, which may be long. */
static int recording_sniff(struct op_view v)
{
	struct op_view value;

	if (!op_json_sniff_key(v, "label", &value) ||
	    !op_json_sniff_key(v, "duration", &value) ||
	    !op_json_sniff_key(v, "markers", &value))
		return 0;
	if (op_json_sniff_key(v, "profile", &value))
		return profile_sniff(value);
	return 60;
}

static int firefox_sniff(struct op_view v)
{
	int score = profile_sniff(v);

	return score ? score : recording_sniff(v);
}

static const struct op_format_opt firefox_opts[] = {
	{ "event", "NAME,...", "keep these events", false },
	{ "thread", "TEXT", "keep threads whose name contains TEXT", false },
	{ 0 },
};

const struct op_format op_format_firefox = {
	.name = "firefox",
	.summary = "profiles of Firefox, samply and the Firefox Profiler, JSON",
	.endings = { ".firefox.json", ".profile.json" },
	.copies = true,
	.opts = firefox_opts,
	.sniff = firefox_sniff,
	.read = op_gecko_read,
	.write = op_gecko_write,
};
