// SPDX-License-Identifier: Apache-2.0
/* fmt/html/page.c: the page's sources, as they are in ui/flame. */
#include "base/embed.h"
#include "fmt/html/html_int.h"

OP_EMBED(op_page_html, "ui/flame/flame.html");
OP_EMBED(op_page_css, "ui/flame/flame.css");
OP_EMBED(op_page_text_js, "ui/flame/text.js");
OP_EMBED(op_page_tree_js, "ui/flame/tree.js");
OP_EMBED(op_page_view_js, "ui/flame/view.js");
OP_EMBED(op_page_flame_js, "ui/flame/flame.js");

struct op_page op_page(void)
{
	return (struct op_page){
		.html = op_embedded(op_page_html),
		.style = op_embedded(op_page_css),
		.scripts = { op_embedded(op_page_text_js),
			     op_embedded(op_page_tree_js),
			     op_embedded(op_page_view_js),
			     op_embedded(op_page_flame_js) },
	};
}
