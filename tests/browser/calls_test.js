// SPDX-License-Identifier: Apache-2.0
"use strict";

/* Flame graph, table, sandwich and call tree, from an html file and from
 * otprof view, against what the commands print. */
const fs = require("node:fs");
const path = require("node:path");
const { HEAD, ROW, WORK, convert, hasView, is, json, press, ready, saved, settle,
	suite, text, until, view, write } = require("./harness.js");

const calls = write("calls.folded", HEAD("cpu", "nanoseconds") +
	"main;serve;parse;memcpy 3000000\n" +
	"main;serve;parse 1000000\n" +
	"main;serve;query;memcpy 2000000\n" +
	"main;serve;query;walk;walk;walk;memcpy 700000\n" +
	"main;serve;query;walk;walk 300000\n" +
	"main;idle 4000000\n" +
	"start;init;parse;lex 500000\n");

async function turnTo(page, key)
{
	await page.locator(`#tab-${key}`).click();
	await settle(page);
}

/* --- numbers --- */

/* Self and total of each function, as the page has them. */
const pageTop = (page) => page.evaluate(async () => {
	const data = await otprof.flame();
	const { self, total, used } = data.top(data.tree(), 0);

	return Object.fromEntries(used.map((f) => [data.frames.name[f],
						   [self[f], total[f]]]));
});

function commandTop(...options)
{
	const { rows } = json("top", "--json", "-n", "0", ...options, calls);

	return Object.fromEntries(rows.map((r) => [r.name, [r.flat, r.cum]]));
}

const sorted = (o) => JSON.stringify(Object.entries(o).sort());

const FILTERS = [
	["", []],
	["focus=parse", ["--focus", "parse"]],
	["focus=query&focus=walk", ["--focus", "walk"]],
	["ignore=idle", ["--ignore", "idle"]],
	["ignore=%5Eidle%24&ignore=lex", ["--ignore", "^idle$|lex"]],
	["hide=serve%7Cquery", ["--hide", "serve|query"]],
	["show_from=query", ["--show-from", "query"]],
	["collapse=1", ["--collapse-recursion"]],
	["hide=walk&ignore=idle&show_from=serve",
	 ["--hide", "walk", "--ignore", "idle", "--show-from", "serve"]],
];

async function filters(page)
{
	for (const [state, options] of FILTERS) {
		await page.evaluate((hash) => {
			location.hash = hash;
		}, state);
		await until(page, (n) => document.querySelectorAll(".chip")
			.length === n, state ? state.split("&").length : 0);
		await settle(page);
		is(`functions with ${state}`, sorted(await pageTop(page)),
		   sorted(commandTop(...options)));
	}
}

async function nothingLeft(page)
{
	await page.evaluate(() => {
		location.hash = "focus=nosuch";
	});
	await until(page, () => !document.querySelector(".notice").hidden);
	is("what it says", await page.locator(".notice").innerText(),
	   /No sample matches[^]*Remove all filters/i);
	await page.locator(".notice button").first().click();
	await settle(page);
	is("notice", await page.locator(".notice").isVisible(), false);
	is("address", new URL(page.url()).hash, "");
}

/* The rows next to the function in a half of the sandwich. */
const half = (page, name) => page.evaluate((which) => {
	const { tree } = otprof.view[which];
	const out = [];

	for (let c = 1; c < tree.n; c = tree.end[c])
		out.push({ name: otprof.view.data.frames.name[tree.frame[c]],
			   value: tree.total[c] });
	return out;
}, name);

async function sandwich(page)
{
	await turnTo(page, "sandwich");
	is("what has most", await text(page, "middle"),
	   /^memcpy\s*total 5.70 ms \(49.57%\)/);
	for (const name of ["parse", "memcpy", "query"]) {
		const [want] = json("peek", "--json", `^${name}$`, calls).functions;

		await page.locator("#rows .row", { hasText: name }).click();
		await settle(page);
		is("callers", sorted(await half(page, "callers")),
		   sorted(want.callers));
		is("callees", sorted(await half(page, "callees")),
		   sorted(want.callees));
		is("address", new URL(page.url()).hash,
		   `#fn=${name}&view=sandwich`);
	}
	is("middle", await text(page, "middle"),
	   /^query\s*total 3 ms \(26.09%\) · self 0 ns/);
	await page.goBack();
	await settle(page);
	is("middle", await text(page, "middle"), /^memcpy/);
	const box = await page.locator("#callers").boundingBox();

	await page.mouse.click(box.x + 40, box.y + box.height - 1.5 * ROW);
	await settle(page);
	is("middle", await text(page, "middle"), /^parse/);
}

/* The matches of a search are functions of the table. */
async function sandwichKeys(page)
{
	await turnTo(page, "sandwich");
	await press(page, "/");
	await page.keyboard.type("^(parse|query)$");
	await press(page, "Enter");
	is("the first match", await text(page, "middle"), /^parse/);
	is("matched", await text(page, "matched"),
	   /^65.22% \u00b7 \d above, \d below$/);
	await press(page, "Enter");
	is("the second match", await text(page, "middle"), /^query/);
	await page.locator("#prev").click();
	await settle(page);
	is("the one before", await text(page, "middle"), /^parse/);
	await press(page, "Escape");
	is("search", await page.locator("#search").inputValue(), "");
	is("after Escape", await text(page, "middle"), /^parse/);
	await page.locator("#callees").focus();
	await press(page, "Escape", "m");
	is("menu", await page.locator(".menu").isVisible(), true);
	await press(page, "Escape", "r");
	is("recursion", await page.locator(".chip").innerText(), /recursion/);
	is("middle", await text(page, "middle"), /^parse/);
}

/* --- colours --- */

const java = write("java.folded", `${HEAD("cpu", "nanoseconds")}` +
	"java.lang.Thread.run_[j];shop.Main$$Lambda$105+0x00007fa6b800d460." +
	"282821294.run_[j];java.util.zip.Deflater.deflate_[j] 5\n" +
	"java.lang.Thread.run_[j];shop.Main$$Lambda/0x00007fa6b800d460.run_[j];" +
	"java.util.Arrays.sort_[j] 4\n");

/* Those of the legend differ, and stay when there is less to see. */
async function colours(page)
{
	const legend = () => page.locator("#legend span").evaluateAll((list) => list
		.map((e) => `${e.title} ${e.firstChild.style.background}`));

	is("packages", await page.evaluate(() => otprof.view.canvas.mode),
	   "packages");
	const all = await legend();

	is("names", all.map((line) => line.split(" ")[0]).sort().join(),
	   "java.lang,java.util,java.util.zip,shop");
	is("colours", new Set(all.map((line) => line.replace(/\S+ /, ""))).size, 4);
	await page.evaluate(() => otprof.go({ focus: "sort" }));
	await settle(page);
	const some = await legend();

	is("some", some.length, 3);
	is("the same colours", some.every((line) => all.includes(line)), true);
}

/* --- call tree --- */

const treeRows = (page) => page.locator("#tree-rows .row").evaluateAll(
	(rows) => rows.sort((a, b) => a.dataset.i - b.dataset.i).map((r) =>
		`${r.getAttribute("aria-level")} ${
			r.querySelector(".name").innerText.replace(/\s*[▾▸]\s*/, "")}`));

async function callTree(page)
{
	await turnTo(page, "tree");
	is("what has most is open", (await treeRows(page)).join("; "),
	   "1 main; 2 serve; 3 parse; 3 query; 2 idle; 1 start");
	await press(page, "ArrowLeft");
	is("rows", (await treeRows(page)).join("; "), "1 main; 1 start");
	await press(page, "ArrowRight");
	is("rows", (await treeRows(page)).join("; "),
	   "1 main; 2 serve; 2 idle; 1 start");
	await press(page, "ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight");
	is("a chain opens at once", (await treeRows(page)).join("; "),
	   "1 main; 2 serve; 2 idle; 1 start; 2 init; 3 parse; 4 lex");
	is("details", await text(page, "detail"), /^start\n500 µs/);
	await press(page, "Home", "*");
	is("all rows", await page.locator("#tree-rows .row").count(), 15);
	const row = page.locator("#tree-rows .row", { hasText: "parse" }).first();

	is("a row", await row.innerText(),
	   /^4 ms 34.78%\s+1 ms 8.70%\s+[▾▸]\s*parse/);
	await press(page, "ArrowLeft");
	is("closed", (await treeRows(page)).join("; "),
	   "1 main; 1 start; 2 init; 3 parse; 4 lex");
	await press(page, "i");
	is("callers", (await treeRows(page)).slice(0, 2).join("; "),
	   "1 memcpy; 1 idle");
	await press(page, "/");
	await page.keyboard.type("^serve");
	await press(page, "Enter");
	is("found", await text(page, "matched"), /^60.87% \u00b7 1 of \d$/);
	is("details", await text(page, "detail"), /^serve\n/);
}

/* --- address --- */

const crumbs = (page) => page.locator("#crumbs button").allInnerTexts()
	.then((list) => list.join(" > "));

async function spot(page, depth, part = 0.1)
{
	const box = await page.locator("#scroll").boundingBox();

	return [box.x + box.width * part, box.y + (depth + 0.5) * ROW];
}

async function address(page)
{
	const hash = () => new URL(page.url()).hash;

	await page.mouse.click(...await spot(page, 3));
	await settle(page);
	is("crumbs", await crumbs(page), "all > main > serve > parse");
	is("zoom is in the address", hash(), /^#zoom=/);
	await press(page, "/");
	await page.keyboard.type("memcpy");
	await settle(page);
	is("address", hash(), /^#search=memcpy&zoom=/);
	await page.reload();
	await ready(page);
	await settle(page);
	is("crumbs after a reload", await crumbs(page),
	   "all > main > serve > parse");
	is("matched", await text(page, "matched"), "49.57% \u00b7 3 matches");
	await press(page, "Escape");
	is("address after Escape", hash(), /^#zoom=/);
	await press(page, "Escape");
	is("address after Escape", hash(), "");
	await page.goBack();
	await settle(page);
	is("crumbs after back", await crumbs(page), "all > main > serve > parse");
	await turnTo(page, "tree");
	is("address", hash(), "#view=tree");
	await page.goBack();
	await settle(page);
	is("flame graph", await page.locator("#scroll").isVisible(), true);
}

/* --- menu and chips --- */

async function menu(page)
{
	await page.mouse.click(...await spot(page, 3, 0.5), { button: "right" });
	is("menu", await page.locator(".menu").innerText(),
	   /Zoom in[^]*Focus[^]*Ignore[^]*Hide[^]*Show from/);
	await page.evaluate(() => {
		navigator.clipboard.writeText = async (t) => {
			globalThis.copied = t;
		};
	});
	await page.locator(".menu button", { hasText: "Copy the stack" }).click();
	is("copied", await page.evaluate(() => globalThis.copied.split("\n")
		.join(" > ")), "main > serve > query");
	is("details", await text(page, "detail"), /^query[^]*copied$/);
	await page.mouse.click(...await spot(page, 3, 0.5), { button: "right" });
	await page.locator(".menu button", { hasText: "Hide" }).click();
	await settle(page);
	is("chip", await page.locator(".chip").innerText(), /hide\s*query/);
	is("functions", sorted(await pageTop(page)),
	   sorted(commandTop("--hide", "^query$")));
	await page.locator(".chip").click();
	await settle(page);
	is("chips", await page.locator(".chip").count(), 0);
	await page.mouse.move(...await spot(page, 3, 0.1));
	await press(page, "f");
	is("chip", await page.locator(".chip").innerText(), /focus\s*parse/);
	is("total", await text(page, "total"), /^4.50 ms/);
	await page.locator("#add-filter").click();
	await page.locator("#filter-kind").selectOption("ignore");
	is("what it does", await page.locator(".filters form p").innerText(),
	   "No stack with a matching frame");
	await page.locator("#filter-text").fill("lex");
	await page.keyboard.press("Enter");
	await settle(page);
	is("chips", await page.locator(".chip").count(), 2);
	is("total", await text(page, "total"), /^4 ms/);
	await page.locator(".link", { hasText: "clear all" }).click();
	await settle(page);
	is("total", await text(page, "total"), /^11.5 ms/);
	await page.locator("#collapse").click();
	await settle(page);
	is("recursion", await page.locator(".chip").innerText(), /recursion/);
	is("pressed", await page.locator("#collapse").getAttribute("aria-pressed"),
	   "true");
	is("functions", sorted(await pageTop(page)),
	   sorted(commandTop("--collapse-recursion")));
}

async function searchToFilter(page)
{
	await press(page, "/");
	await page.keyboard.type("^quer");
	await press(page, "Control+Enter");
	is("chip", await page.locator(".chip").innerText(), /focus/);
	is("search", await page.locator("#search").inputValue(), "");
	is("total", await text(page, "total"), /^3 ms/);
	await page.locator("#add-filter").click();
	await page.mouse.click(...await spot(page, 0, 0.9));
	is("form", await page.locator("#filter-text").isVisible(), false);
}

/* --- table beside the graph --- */

async function sideTable(page)
{
	await press(page, "t");
	is("graph", await page.locator("#scroll").isVisible(), true);
	is("rows", await page.locator("#rows .row").count(), 10);
	await page.locator("#rows .row", { hasText: "walk" }).click();
	await settle(page);
	is("matched", await text(page, "matched"), "8.70% \u00b7 1 match");
	is("rows", await page.locator("#rows .row").count(), 10);
	is("chosen", await page.locator("#rows [aria-selected=true]").innerText(),
	   /walk/);
	await press(page, "Escape");
	is("matched", await text(page, "matched"), "");
	await page.mouse.click(...await spot(page, 2, 0.05));
	await settle(page);
	is("of what is zoomed", await page.locator("#rows .row").first()
		.innerText(), /^5.70 ms 81.43%/);
	await page.locator("#base").selectOption("all");
	await settle(page);
	is("of all", await page.locator("#rows .row").first().innerText(),
	   /^5.70 ms 49.57%/);
}

/* --- touch and phones --- */

async function touch(page)
{
	const at = await spot(page, 2, 0.3);

	await page.touchscreen.tap(...at);
	await settle(page);
	is("details", await text(page, "detail"), /^serve\n7 ms/);
	is("crumbs", await crumbs(page), "all");
	await page.touchscreen.tap(...at);
	await settle(page);
	is("crumbs", await crumbs(page), "all > main > serve");
	const deep = await spot(page, 3, 0.3);

	await page.touchscreen.tap(...deep);
	await page.touchscreen.tap(...deep);
	await settle(page);
	is("crumbs", (await text(page, "crumbs")).replace(/\s+/g, " "),
	   /^all \u203a ?\u2026 2 \u2026 ?\u203a \w+$/);
	is("width", await page.evaluate(
		() => document.documentElement.scrollWidth), 390);
	/* What is found takes a line of the page. */
	await page.locator("#search").fill("parse");
	await settle(page);
	is("height", await page.locator("#scroll canvas").evaluate(
		(c) => c.clientHeight - c.parentElement.clientHeight), 0);
	await page.locator("#search").fill("");
	await settle(page);
	await page.locator("#table").tap();
	await settle(page);
	is("graph", await page.locator("#scroll").isVisible(), false);
	is("height of a row", await page.locator("#rows .row").first().evaluate(
		(r) => r.getBoundingClientRect().height), 44);
	await page.locator("#rows .row", { hasText: "parse" }).tap();
	await settle(page);
	is("graph", await page.locator("#scroll").isVisible(), true);
	is("matched", await text(page, "matched"), /%/);
}

/* --- export --- */

async function exports(page)
{
	const svg = String(await saved(page, "SVG"));

	is("svg", svg, /<title>serve \(7 ms, 60.87%\)<\/title>/);
	is("frames of the svg", svg.match(/<rect x=/g).length, 16);
	is("png", (await saved(page, "PNG")).subarray(1, 4).toString(), "PNG");
	const folded = String(await saved(page, "Folded"));
	const lines = (t) => t.split("\n").filter((l) => l && l[0] !== "#")
		.sort().join("\n");

	is("folded", lines(folded), lines(fs.readFileSync(calls, "utf8")));
}

/* --- otprof view only --- */

const evil = write("evil-calls.folded",
	"</script><script>document.title='owned';b 3\n" +
	"<img_src=x_onerror=document.title='owned'> 2\n");

/* What a format cannot hold is said, and so is what fails. */
async function downloads(page)
{
	const pprof = await saved(page, "pprof");

	is("gzip", pprof.readUInt16BE(0), 0x1f8b);
	is("note", await text(page, "detail"), /Saved/);
	await page.evaluate(() => {
		otprof.source.file = async () => {
			throw new Error("not enough memory");
		};
	});
	await page.locator("#export").click();
	await page.locator(".menu [role=menuitem]", { hasText: "pprof" }).click();
	await until(page, () => /not enough memory/.test(
		document.querySelector(".notice").textContent));
	await page.locator(".notice button").first().click();
	await settle(page);
}

/* Hostile names are text in every view. */
async function hostile(page)
{
	const title = await page.title();

	for (const key of ["flame", "sandwich", "tree"]) {
		await turnTo(page, key);
		await press(page, "t");
	}
	await page.locator("#tree-rows .row").first().click();
	is("details", await text(page, "detail"), /^<\/script><script>/);
	await turnTo(page, "sandwich");
	await page.locator("#rows .row").first().click();
	await settle(page);
	is("middle", await text(page, "middle"), /^(<img|b)/);
	is("title", await page.title(), title);
	is("images", await page.locator("img").count(), 0);
}

/* A file dropped on the page is shown beside what is there. */
async function dropped(page)
{
	const drop = (content, name) => page.evaluate(([c, n]) =>
		otprof.take([new File([c], n)]), [content, name]);

	await drop("# otprof type=heap unit=bytes\nmain;alloc 4096\n",
		   "heap.folded");
	await page.locator("#profile").selectOption({ label: "heap (bytes)" });
	await until(page, () => /^4 KiB/.test(document.querySelector("#total")
		.textContent));
	is("files", await page.evaluate(() => otprof.overview.files.length), 2);
	await page.locator("#tab-overview").click();
	const [chooser] = await Promise.all([page.waitForEvent("filechooser"),
		page.locator("dd .link", { hasText: "Open another" }).click()]);

	await chooser.setFiles({ name: "more.folded", mimeType: "text/plain",
		buffer: Buffer.from("# otprof type=more unit=count\nmain 7\n") });
	await until(page, () => otprof.overview.files.length === 3);
	await page.locator("#tab-flame").click();
	await page.locator("#profile").selectOption({ label: "more" });
	await until(page, () => document.querySelector("#total").textContent
		.startsWith("7,"));
}

/* A function with lines, its text below the folder of --source-path. */
function linedFile()
{
	write("lined.c", "int lined(void)\n{\n\treturn 1 + 1;\n}\n");
	return write("lined.json", JSON.stringify({
		resourceProfiles: [{ scopeProfiles: [{ profiles: [{
			sampleType: { typeStrindex: 3, unitStrindex: 4 },
			samples: [{ stackIndex: 1, values: ["40"],
				    attributeIndices: [1] },
				  { stackIndex: 2, values: ["60"] }] }] }] }],
		dictionary: {
			stringTable: ["", "lined", path.join(WORK, "lined.c"),
				      "ticks", "count", "bare", "jfr.class"],
			functionTable: [{}, { nameStrindex: 1,
					      filenameStrindex: 2 },
					{ nameStrindex: 5 }],
			locationTable: [{}, { lines: [{ functionIndex: 1,
							line: "3" }] },
					{ lines: [{ functionIndex: 2 }] }],
			stackTable: [{}, { locationIndices: [1] },
				     { locationIndices: [2, 1] }],
			attributeTable: [{}, { keyStrindex: 6, value: {
				stringValue: "byte[]" } }],
			linkTable: [{}], mappingTable: [{}] } }));
}

async function source(page)
{
	const dialog = page.locator("dialog.source");

	await page.mouse.click(...await spot(page, 1, 0.2), { button: "right" });
	await page.locator(".menu button", { hasText: "Lines and" }).click();
	await until(page, () => document.querySelector(".lines .hot"));
	is("head", (await dialog.locator("tr").first().innerText())
		.trim().split(/\s+/).join(), "Self,Total,Line");
	is("the line", (await dialog.locator(".hot").innerText())
		.trim().split(/\s+/).join(" "), "40 100 100.00% 3 return 1 + 1;");
	is("other lines", await dialog.innerText(), /int lined\(void\)/);
	await press(page, "Escape");
	await page.locator("#by").selectOption({ label: "by class" });
	await until(page, () => /class/.test(
		document.querySelector("#legend").textContent));
	is("classes", await page.evaluate(() => {
		const { frames, tree } = { frames: otprof.view.data.frames,
					   tree: otprof.view.canvas.tree };
		const out = [];

		for (let c = 1; c < tree.n; c = tree.end[c])
			out.push(`${frames.name[tree.frame[c]]} ${tree.total[c]}`);
		return out.sort().join();
	}), "(no class) 60,byte[] 40");
}

/* What does not work says what to do, and goes away again. */
async function failures(page)
{
	await page.evaluate(() => {
		otprof.source.open = () => Promise.reject(new Error("no profile"));
		otprof.take([new File(["x"], "x")]);
	});
	const error = page.locator(".notice[data-kind=error]");

	is("an error", await error.innerText(), /no profile[^]*Back to the profile/);
	await page.locator("button", { hasText: "Back to the profile" }).click();
	await settle(page);
	is("after it", await error.isVisible(), false);
	await page.evaluate(() => {
		globalThis.fetch = () => Promise.reject(new TypeError("fetch"));
		otprof.go({ focus: "elsewhere" });
	});
	await settle(page);
	is("no server", await error.innerText(),
	   /otprof does not answer[^]*Remove all filters[^]*Open a file/);
	is("no way back", /Back to/.test(await error.innerText()), false);
}

/* A file that does not have the type that is shown first. */
async function fileTypes(page)
{
	const heap = () => page.locator(".over-table tr.chosen").innerText();

	await page.locator("#tab-overview").click();
	await page.locator("dd .link", { hasText: "one.folded" }).click();
	await settle(page);
	is("type", await heap(), /^heap bytes\s+4 KiB/);
	is("types", await page.locator("#profile option").count(), 1);
	await page.locator("#tab-flame").click();
	await until(page, () => /^4 KiB, 2 frames/.test(
		document.querySelector("#total").textContent));
	await page.locator(".chip", { hasText: "file" }).click();
	await until(page, () => /^11.5 ms/.test(
		document.querySelector("#total").textContent));
	is("types", await page.locator("#profile option").count(), 2);
}

/* --- all --- */

suite(async (t) => {
	const sources = [["html", convert([calls], "calls.html")]];
	const rows = [["filters", filters], ["nothing-left", nothingLeft],
		      ["sandwich", sandwich], ["sandwich-keys", sandwichKeys],
		      ["search-to-filter", searchToFilter],
		      ["call-tree", callTree],
		      ["address", address], ["menu", menu],
		      ["side-table", sideTable], ["export", exports]];

	if (hasView())
		sources.push(["view", await view(calls)]);
	if (hasView()) {
		const own = async (run, page) => {
			await ready(page);
			await run(page);
		};

		await t.test("view-colours", await view(java),
			     (page) => own(colours, page));
		await t.test("view-downloads", await view(calls), downloads);
		await t.test("view-hostile", await view(evil),
			     (page) => own(hostile, page));
		const one = write("one.folded",
			"# otprof type=heap unit=bytes\nmain;alloc 4096\n");

		await t.test("view-file-types", await view(calls, one),
			     (page) => own(fileTypes, page));
		await t.test("view-dropped", await view(calls),
			     (page) => own(dropped, page));
		await t.test("view-source", await view("--source-path", WORK,
						       linedFile()),
			     (page) => own(source, page));
		await t.test("view-failures", await view(calls),
			     (page) => own(failures, page));
	}
	for (const [source, where] of sources) {
		for (const [name, run] of rows)
			await t.test(`${source}-${name}`, where, async (page) => {
				await ready(page);
				await run(page);
			});
		await t.test(`${source}-touch`, where, async (page) => {
			await ready(page);
			await touch(page);
		}, { viewport: { width: 390, height: 844 }, hasTouch: true,
		     isMobile: true });
	}
});
