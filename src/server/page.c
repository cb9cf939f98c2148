// SPDX-License-Identifier: Apache-2.0
/* server/page.c: the files of the page, embedded: all of ui/app and ui/lib, of
 * which make writes the list (UI_FILES). */
#include "server/page.h"

#include "base/embed.h"

#define UI_FILE(number, path) OP_EMBED(op_ui_##number, "ui/" path);
#include OP_UI_FILES
#undef UI_FILE

static const char *const paths[] = {
#define UI_FILE(number, path) path,
#include OP_UI_FILES
#undef UI_FILE
	NULL
};

static const struct {
	const char *ending, *type;
} types[] = {
	{ ".html", "text/html; charset=utf-8" },
	{ ".css", "text/css; charset=utf-8" },
	{ ".js", "text/javascript; charset=utf-8" },
	{ ".svg", "image/svg+xml" },
};

static const char *type_of(const char *path)
{
	for (size_t i = 0; i < op_countof(types); i++)
		if (op_view_ends(op_view_z(path), types[i].ending))
			return types[i].type;
	return "application/octet-stream";
}

const char *op_page_address(const char *path)
{
	static const char app[] = "app/";

	if (!strcmp(path, "app/index.html"))
		return "";
	return path +
	       (strncmp(path, app, sizeof(app) - 1) ? 0 : sizeof(app) - 1);
}

const char *const *op_page_paths(void)
{
	return paths;
}

bool op_page_find(struct op_view address, struct op_page_file *out)
{
	const struct op_view bytes[] = {
#define UI_FILE(number, path) op_embedded(op_ui_##number),
#include OP_UI_FILES
#undef UI_FILE
		{ 0 }
	};

	for (size_t i = 0; paths[i]; i++) {
		if (!op_view_is(address, op_page_address(paths[i])))
			continue;
		*out = (struct op_page_file){ type_of(paths[i]), bytes[i] };
		return true;
	}
	return false;
}
