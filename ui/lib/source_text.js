// SPDX-License-Identifier: Apache-2.0
/* source_text.js: the source of a function with the value of each line. */
import { make, makeButton } from "./dom.js";
import { escapeRegex, percent, valueText } from "./text.js";

const AROUND = 12; /* lines before and behind those with a value */

/* Opens a dialog with what the server has of a function. */
export async function openSource(app, name)
{
	const dialog = make("dialog", undefined, "source");
	const body = make("div", "Loading\u2026", "lines");
	const close = makeButton("\u00d7", "Close", () => dialog.close(), "close");

	close.setAttribute("aria-label", "Close");
	dialog.setAttribute("aria-label", `Source of ${name}`);
	dialog.append(close, make("h2", name), body);
	dialog.addEventListener("close", () => dialog.remove());
	document.body.append(dialog);
	dialog.showModal();
	try {
		const { by: _, ...sel } = app.selection();

		sel.function = `^${escapeRegex(name)}$`;
		const { functions, total } = await app.source.lines(sel);

		body.replaceChildren(...await functionParts(app, functions, total));
	} catch (e) {
		body.replaceChildren(make("p", e.message));
	}
}

async function functionParts(app, functions, total)
{
	const parts = [];

	for (const f of functions) {
		const text = app.overview.source && f.file ?
			await app.source.text(f.file).then(
				(answer) => answer.lines, () => null) : null;

		parts.push(make("p", f.file || "no source file is known", "quiet"),
			   text ? lineTable(app, f, text, total) :
				   lineTable(app, f, [], total));
		if (!text && f.file)
			parts.push(make("p", app.overview.source ?
				"This file is not below --source-path, so only " +
				"its lines are known." : "otprof view shows the " +
				"text too with --source-path DIR.", "quiet"));
	}
	return parts.length ? parts : [make("p", "The profile has no lines of " +
		"it. For code with debug information, --symbolize adds them.")];
}

function lineTable(app, { rows }, text, total)
{
	const values = new Map(rows.map((r) => [r.line, r]));
	const known = rows.map((r) => r.line).filter((n) => n > 0);
	const first = Math.max(1, Math.min(...known) - AROUND);
	const last = Math.max(...known) + AROUND;
	const table = make("table");
	const value = (v) => make("td", v ? valueText(v, app.type().unit) : "",
				  "value");
	const head = make("tr");
	const put = (n) => {
		const tr = make("tr");
		const row = values.get(n);

		tr.append(value(row?.flat), value(row?.cum),
			  make("td", row ? percent(row.cum, total) : "", "value"),
			  make("td", n || "?", "quiet"));
		tr.append(make("td", text[n - 1] || "", "text"));
		if (row)
			tr.className = "hot";
		table.append(tr);
	};

	for (const title of ["Self", "Total", "", "Line", ""])
		head.append(make("th", title));
	table.append(head);
	if (text.length)
		for (let n = first; n <= Math.min(last, text.length); n++)
			put(n);
	else
		[...values.keys()].sort((a, b) => a - b).forEach(put);
	return table;
}
