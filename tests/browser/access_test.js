// SPDX-License-Identifier: Apache-2.0
"use strict";

/* Whether everyone can use the pages: axe finds no serious fault in any view,
 * in light and dark, wide and narrow. */
const fs = require("node:fs");
const { HEAD, convert, hasView, is, suite, until, view, write } =
	require("./harness.js");

const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const VIEWS = ["overview", "flame", "sandwich", "tree", "timeline", "heatmap",
	       "diff"];
const SIZES = { wide: { width: 1400, height: 900 },
		narrow: { width: 390, height: 844 } };

/* Two threads with times. */
const trace = write("access.json", JSON.stringify({ traceEvents: [
	{ ph: "M", name: "thread_name", pid: 1, tid: 1, ts: 0,
	  args: { name: "main" } },
	{ ph: "X", name: "serve", pid: 1, tid: 1, ts: 1000, dur: 3000000 },
	{ ph: "X", name: "parse", pid: 1, tid: 1, ts: 2000, dur: 900000 },
	{ ph: "X", name: "wait", pid: 1, tid: 2, ts: 5000, dur: 2000000 },
] }));
const folded = write("access.folded", `${HEAD("cpu", "nanoseconds")}` +
	"main;serve;parse 3000000\nmain;idle 4000000\n");

const isDrawn = () => performance.getEntriesByName("otprof-drawn").length > 0;

/* Serious faults as text, each with the first element that has it. */
async function faults(page)
{
	await page.evaluate(axe);
	const found = await page.evaluate(async () => {
		const { violations } = await window.axe.run();

		return violations
			.filter((v) => v.impact === "serious" ||
				v.impact === "critical")
			.map((v) => `${v.id} (${v.nodes[0].html.slice(0, 100)})`);
	});

	return found.join("; ");
}

suite(async (t) => {
	const pages = [["html", `file://${convert([folded], "access.html")}`,
			["flame", "sandwich", "tree"]]];

	if (hasView())
		pages.push(["view", await view(trace), VIEWS]);
	for (const [from, address, views] of pages)
		for (const [size, viewport] of Object.entries(SIZES))
			for (const colorScheme of ["light", "dark"])
				for (const name of views)
					await t.test(
						`access-${from}-${name}-${size}-` +
						colorScheme,
						`${address}#view=${name}`,
						async (page) => {
							await until(page, isDrawn);
							is("faults",
							   await faults(page), "");
						}, { viewport, colorScheme });
});
