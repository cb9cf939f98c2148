// SPDX-License-Identifier: Apache-2.0
/* fmt/html/page.c: the page's sources, as they are in ui/.
 *
 * The scripts are ES modules. In one file there is nothing to import from, so
 * they become one script: lines that import are left out, and so is the word
 * export. Names at the top of a module are therefore unique in ui/lib, which
 * scripts/check-style checks. */
#include "base/embed.h"
#include "fmt/html/html_int.h"

OP_EMBED(op_page_html, "ui/flame/flame.html");
OP_EMBED(op_page_css, "ui/lib/style.css");
OP_EMBED(op_page_text_js, "ui/lib/text.js");
OP_EMBED(op_page_dom_js, "ui/lib/dom.js");
OP_EMBED(op_page_state_js, "ui/lib/state.js");
OP_EMBED(op_page_tree_js, "ui/lib/tree.js");
OP_EMBED(op_page_flame_data_js, "ui/lib/flame_data.js");
OP_EMBED(op_page_source_js, "ui/lib/source.js");
OP_EMBED(op_page_menu_js, "ui/lib/menu.js");
OP_EMBED(op_page_frame_info_js, "ui/lib/frame_info.js");
OP_EMBED(op_page_rows_js, "ui/lib/rows.js");
OP_EMBED(op_page_flame_canvas_js, "ui/lib/flame_canvas.js");
OP_EMBED(op_page_pointer_js, "ui/lib/pointer.js");
OP_EMBED(op_page_table_view_js, "ui/lib/table_view.js");
OP_EMBED(op_page_export_js, "ui/lib/export.js");
OP_EMBED(op_page_filters_js, "ui/lib/filters.js");
OP_EMBED(op_page_help_js, "ui/lib/help.js");
OP_EMBED(op_page_head_js, "ui/lib/head.js");
OP_EMBED(op_page_app_js, "ui/lib/app.js");
OP_EMBED(op_page_flame_view_js, "ui/lib/flame_view.js");
OP_EMBED(op_page_sandwich_js, "ui/lib/sandwich.js");
OP_EMBED(op_page_call_tree_js, "ui/lib/call_tree.js");
OP_EMBED(op_page_main_js, "ui/flame/main.js");

/* A line without its import or export. */
static void put_line(struct op_buf *out, struct op_view line)
{
	if (line.n >= 7 && !memcmp(line.p, "import ", 7))
		return;
	if (line.n >= 7 && !memcmp(line.p, "export ", 7))
		line = op_view(line.p + 7, line.n - 7);
	op_buf_view(out, line);
	op_buf_byte(out, '\n');
}

static void put_module(struct op_buf *out, struct op_view module)
{
	while (module.n) {
		const uint8_t *end = memchr(module.p, '\n', module.n);
		size_t n = end ? (size_t)(end - module.p) : module.n;

		put_line(out, op_view(module.p, n));
		n += end != NULL;
		module = op_view(module.p + n, module.n - n);
	}
}

/* Strict as modules are, and in a block, so that nothing of it is global. */
void op_page_script(struct op_buf *out)
{
	const struct op_view modules[] = {
		op_embedded(op_page_text_js),
		op_embedded(op_page_dom_js),
		op_embedded(op_page_state_js),
		op_embedded(op_page_tree_js),
		op_embedded(op_page_flame_data_js),
		op_embedded(op_page_source_js),
		op_embedded(op_page_menu_js),
		op_embedded(op_page_frame_info_js),
		op_embedded(op_page_rows_js),
		op_embedded(op_page_flame_canvas_js),
		op_embedded(op_page_pointer_js),
		op_embedded(op_page_table_view_js),
		op_embedded(op_page_export_js),
		op_embedded(op_page_filters_js),
		op_embedded(op_page_help_js),
		op_embedded(op_page_head_js),
		op_embedded(op_page_app_js),
		op_embedded(op_page_flame_view_js),
		op_embedded(op_page_sandwich_js),
		op_embedded(op_page_call_tree_js),
		op_embedded(op_page_main_js),
	};

	op_buf_z(out, "\"use strict\";\n{\n");
	for (size_t i = 0; i < op_countof(modules); i++)
		put_module(out, modules[i]);
	op_buf_z(out, "}\n");
}

struct op_view op_page_html_source(void)
{
	return op_embedded(op_page_html);
}

struct op_view op_page_style(void)
{
	return op_embedded(op_page_css);
}
