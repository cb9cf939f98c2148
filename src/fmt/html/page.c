// SPDX-License-Identifier: Apache-2.0
/* fmt/html/page.c: the page's sources, as they are in ui/.
 *
 * The scripts are ES modules. In one file there is nothing to import from, so
 * they become one script: lines that import are left out, and so are the word
 * export, comments and indentation. Names at the top of a module are therefore
 * unique in ui/lib, and no code follows a comment on its line, which
 * scripts/check-style checks. */
#include "base/embed.h"
#include "fmt/html/html_int.h"

OP_EMBED(op_page_html, "ui/flame/flame.html");
OP_EMBED(op_page_css, "ui/lib/style.css");
OP_EMBED(op_page_time_css, "ui/lib/time.css");
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
OP_EMBED(op_page_lane_rows_js, "ui/lib/lane_rows.js");
OP_EMBED(op_page_filter_words_js, "ui/lib/filter_words.js");
OP_EMBED(op_page_conditions_js, "ui/lib/conditions.js");
OP_EMBED(op_page_time_axis_js, "ui/lib/time_axis.js");
OP_EMBED(op_page_time_parts_js, "ui/lib/time_parts.js");
OP_EMBED(op_page_time_chart_js, "ui/lib/time_chart.js");
OP_EMBED(op_page_overview_js, "ui/lib/overview.js");
OP_EMBED(op_page_flame_chart_js, "ui/lib/flame_chart.js");
OP_EMBED(op_page_timeline_data_js, "ui/lib/timeline_data.js");
OP_EMBED(op_page_timeline_detail_js, "ui/lib/timeline_detail.js");
OP_EMBED(op_page_timeline_paint_js, "ui/lib/timeline_paint.js");
OP_EMBED(op_page_timeline_input_js, "ui/lib/timeline_input.js");
OP_EMBED(op_page_timeline_js, "ui/lib/timeline.js");
OP_EMBED(op_page_heatmap_js, "ui/lib/heatmap.js");
OP_EMBED(op_page_diff_view_js, "ui/lib/diff_view.js");
OP_EMBED(op_page_page_times_js, "ui/lib/page_times.js");
OP_EMBED(op_page_page_lanes_js, "ui/lib/page_lanes.js");
OP_EMBED(op_page_timed_source_js, "ui/lib/timed_source.js");
OP_EMBED(op_page_main_js, "ui/flame/main.js");
OP_EMBED(op_page_timed_js, "ui/flame/timed.js");

static bool begins(struct op_view line, const char *text)
{
	size_t n = strlen(text);

	return line.n >= n && !memcmp(line.p, text, n);
}

/* A line without what only its readers need: its indentation, import, export
 * and comments, which have lines of their own. */
static void put_line(struct op_buf *out, struct op_view line, bool *is_comment)
{
	while (line.n && *line.p == '\t')
		line = op_view(line.p + 1, line.n - 1);
	*is_comment |= begins(line, "/*");
	if (*is_comment) {
		*is_comment = !op_view_ends(line, "*/");
		return;
	}
	if (!line.n || begins(line, "//") || begins(line, "import "))
		return;
	if (begins(line, "export "))
		line = op_view(line.p + 7, line.n - 7);
	op_buf_view(out, line);
	op_buf_byte(out, '\n');
}

static void put_module(struct op_buf *out, struct op_view module)
{
	bool is_comment = false;

	while (module.n) {
		const uint8_t *end = memchr(module.p, '\n', module.n);
		size_t n = end ? (size_t)(end - module.p) : module.n;

		put_line(out, op_view(module.p, n), &is_comment);
		n += end != NULL;
		module = op_view(module.p + n, module.n - n);
	}
}

static void put_modules(struct op_buf *out, const struct op_view *list,
			size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_module(out, list[i]);
}

/* Classes come before those that extend them. */
static void put_calls(struct op_buf *out)
{
	const struct op_view list[] = {
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
	};

	put_modules(out, list, op_countof(list));
}

static void put_times(struct op_buf *out)
{
	const struct op_view list[] = {
		op_embedded(op_page_lane_rows_js),
		op_embedded(op_page_filter_words_js),
		op_embedded(op_page_conditions_js),
		op_embedded(op_page_time_axis_js),
		op_embedded(op_page_time_parts_js),
		op_embedded(op_page_time_chart_js),
		op_embedded(op_page_overview_js),
		op_embedded(op_page_flame_chart_js),
		op_embedded(op_page_timeline_data_js),
		op_embedded(op_page_timeline_detail_js),
		op_embedded(op_page_timeline_paint_js),
		op_embedded(op_page_timeline_input_js),
		op_embedded(op_page_timeline_js),
		op_embedded(op_page_heatmap_js),
		op_embedded(op_page_diff_view_js),
		op_embedded(op_page_page_times_js),
		op_embedded(op_page_page_lanes_js),
		op_embedded(op_page_timed_source_js),
	};

	put_modules(out, list, op_countof(list));
}

/* Strict as modules are, and in a block, so that nothing of it is global. */
void op_page_script(struct op_buf *out, bool has_times)
{
	op_buf_z(out, "\"use strict\";\n{\n");
	put_calls(out);
	if (has_times)
		put_times(out);
	put_module(out, has_times ? op_embedded(op_page_timed_js) :
				    op_embedded(op_page_main_js));
	op_buf_z(out, "}\n");
}

void op_page_style(struct op_buf *out, bool has_times)
{
	put_module(out, op_embedded(op_page_css));
	if (has_times)
		put_module(out, op_embedded(op_page_time_css));
}

struct op_view op_page_html_source(void)
{
	return op_embedded(op_page_html);
}
