// SPDX-License-Identifier: Apache-2.0
"use strict";

/* The html file and the svg picture. */
const { execFileSync, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { HEAD, OTPROF, ROW, WORK, convert, is, press, settle, suite, text,
	write } = require("./harness.js");

const cpu = write("cpu.folded", HEAD("cpu", "nanoseconds") +
	"main;serve;parse;memcpy 3000000\n" +
	"main;serve;parse 1000000\n" +
	"main;serve;query;memcpy 2000000\n" +
	"main;idle 4000000\n");
const heap = write("heap.folded", HEAD("heap", "bytes") +
	"main;serve;alloc 1572864\nmain;init 524288\n");
const evil = write("evil.folded",
	"</script><script>document.title='owned';b 3\n" +
	"<img_src=x_onerror=document.title='owned'> 2\n");
const both = convert([cpu, heap], "both.html", "--title", "shop <1>");

/* About n frames over some thousand functions. */
function bigInput(n)
{
	const lines = [];
	let seed = 42;
	const random = (m) => {
		seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
		return (seed >>> 8) % m;
	};

	for (let frames = 0; frames < n;) {
		const stack = ["main"];
		const depth = 5 + random(40);

		for (let i = 0; i < depth; i++)
			stack.push(`com.example.Part${i}.step${
				Math.min(random(60), random(60))}`);
		frames += depth - 3;
		lines.push(`${stack.join(";")} ${1 + random(30)}`);
	}
	return write("big.folded", `${lines.join("\n")}\n`);
}

/* --- the page --- */

const crumbs = (page) => page.locator("#crumbs button").allInnerTexts()
	.then((list) => list.join(" > "));

/* The middle of a row of the graph, at a part of its width. */
async function spot(page, depth, part = 0.1)
{
	const box = await page.locator("#scroll").boundingBox();

	return [box.x + box.width * part, box.y + (depth + 0.5) * ROW];
}

async function point(page, depth, part)
{
	await page.mouse.move(...await spot(page, depth, part));
	await settle(page);
}

/* --- html --- */

async function opens(page)
{
	is("title", await page.title(), "shop <1>");
	is("heading", await text(page, "title"), "shop <1>");
	is("total", await text(page, "total"), "10 ms, 7 frames");
	await page.screenshot({ path: path.join(WORK, "html.png") });
}

async function hover(page)
{
	await point(page, 1);
	is("details", await text(page, "detail"),
	   /^main\n10 ms \(10,000,000\) · 100.00% of all/);
	await point(page, 2);
	is("details", await text(page, "detail"),
	   /^serve\n6 ms .* 60.00% of all .* self 0 ns/);
	await point(page, 3);
	is("details", await text(page, "detail"),
	   /^parse\n4 ms .* 66.67% of its caller · self 1 ms \(10.00%\)/);
}

async function zoom(page)
{
	await page.mouse.click(...await spot(page, 3));
	await settle(page);
	is("crumbs", await crumbs(page), "all > main > serve > parse");
	await point(page, 3, 0.9);
	is("what is wide now", await text(page, "detail"), /^parse\n/);
	await point(page, 4, 0.7);
	is("details", await text(page, "detail"),
	   /^memcpy\n.* 75.00% of what is zoomed/);
	await press(page, "u");
	is("crumbs", await crumbs(page), "all > main > serve");
	await page.locator("#crumbs button").nth(1).click();
	await settle(page);
	is("crumbs", await crumbs(page), "all > main");
	await press(page, "0");
	is("crumbs", await crumbs(page), "all");
}

async function search(page)
{
	await press(page, "Control+f");
	await page.keyboard.type("mem.py");
	is("matched", await text(page, "matched"), "50.00% \u00b7 2 matches");
	await press(page, "Enter");
	is("crumbs", await crumbs(page), "all > main > serve > parse > memcpy");
	is("matched", await text(page, "matched"), "50.00% \u00b7 1 of 2");
	await press(page, "Enter");
	is("crumbs", await crumbs(page), "all > main > serve > query > memcpy");
	await page.screenshot({ path: path.join(WORK, "search.png") });
	await press(page, "Escape", "Escape");
	is("matched", await text(page, "matched"), "");
	is("crumbs", await crumbs(page), "all");
	await press(page, "/");
	await page.keyboard.type("serve|parse");
	is("calls in calls count once", await text(page, "matched"),
	   "60.00% \u00b7 1 match");
	await page.locator("#search").fill("MAIN");
	is("capitals", await text(page, "matched"), "no match");
	await page.locator("#search").fill("(");
	is("no regular expression", await text(page, "matched"), "no match");
}

async function switcher(page)
{
	is("profiles", (await page.locator("#profile option").allInnerTexts())
		.join("; "), "cpu (nanoseconds); heap (bytes)");
	await page.locator("#profile").selectOption({ index: 1 });
	is("total", await text(page, "total"), "2 MiB, 4 frames");
	await point(page, 3);
	is("details", await text(page, "detail"), /^alloc\n1.50 MiB/);
	await press(page, "]");
	is("total", await text(page, "total"), /^10 ms/);
	await press(page, "[");
	is("total", await text(page, "total"), /^2 MiB/);
	await page.reload();
	await settle(page);
	is("total after a reload", await text(page, "total"), /^2 MiB/);
}

async function callers(page)
{
	await press(page, "i");
	is("pressed", await page.getAttribute("#invert", "aria-pressed"), "true");
	await point(page, 1);
	is("details", await text(page, "detail"), /^memcpy\n5 ms .* 50.00% of all/);
	await point(page, 2);
	is("details", await text(page, "detail"), /^parse\n3 ms/);
	await point(page, 4);
	is("details", await text(page, "detail"), /^main\n3 ms/);
	await point(page, 1, 0.95);
	is("details", await text(page, "detail"), /^parse\n1 ms/);
	await page.screenshot({ path: path.join(WORK, "callers.png") });
	await press(page, "i");
	await point(page, 1);
	is("details", await text(page, "detail"), /^main\n/);
}

async function keyboard(page)
{
	await press(page, "?");
	is("dialog", await page.locator("#about").isVisible(), true);
	is("keys", await text(page, "keys"), /Ctrl-F[^]*zoom in[^]*callers/);
	await page.screenshot({ path: path.join(WORK, "help.png") });
	await press(page, "Escape");
	is("dialog", await page.locator("#about").isVisible(), false);
	await press(page, "ArrowDown", "ArrowDown", "ArrowDown");
	is("details", await text(page, "detail"), /^serve\n/);
	await press(page, "ArrowRight");
	is("details", await text(page, "detail"), /^idle\n/);
	await press(page, "ArrowLeft", "ArrowDown", "Enter");
	is("crumbs", await crumbs(page), "all > main > serve > parse");
	await press(page, "ArrowUp", "Home");
	is("details", await text(page, "detail"), /^serve\n/);
	is("crumbs", await crumbs(page), "all");
	await press(page, "s");
	await point(page, 2);
	is("the first by name", await text(page, "detail"), /^idle\n/);
	await press(page, "s", "o");
	const box = await page.locator("#scroll").boundingBox();
	await page.mouse.move(100, box.y + box.height - 10);
	await settle(page);
	is("what is at the bottom", await text(page, "detail"), /^all\n/);
}

async function copies(page, context)
{
	await context.grantPermissions(["clipboard-read", "clipboard-write"]);
	await point(page, 2);
	await press(page, "c");
	is("clipboard", await page.evaluate(
		() => navigator.clipboard.readText()), "serve");
}

async function table(page)
{
	await press(page, "t");
	is("rows", (await page.locator("#rows .name").allInnerTexts()).join(" "),
	   "memcpy idle parse main serve query");
	is("first", await page.locator("#rows .row").first().innerText(),
	   /^5 ms 50.00%\s+5 ms 50.00%\s+memcpy/);
	await page.screenshot({ path: path.join(WORK, "table.png") });
	await page.locator(".head button", { hasText: "Function" }).click();
	is("by name", await page.locator("#rows .name").first().innerText(),
	   "idle");
	await page.locator("#rows .row", { hasText: "parse" }).click();
	await settle(page);
	is("matched", await text(page, "matched"), "40.00% \u00b7 1 match");
	is("graph", await page.locator("#scroll").isVisible(), true);
}

async function themes(page)
{
	const theme = () => page.getAttribute("html", "data-theme");

	is("theme", await theme(), "dark");
	await page.screenshot({ path: path.join(WORK, "dark.png") });
	await press(page, "d");
	is("theme", await theme(), "light");
}

async function hostile(page)
{
	is("title", await page.title(), "Profile");
	await point(page, 1);
	is("details", await text(page, "detail"),
	   /^<\/script><script>document.title='owned'/);
	await press(page, "t");
	is("rows", await page.locator("#rows .row").count(), 3);
	is("title", await page.title(), "Profile");
}

/* The values of all nodes of the tree, by path, as show has them. */
function shown(file)
{
	const [profile] = JSON.parse(execFileSync(OTPROF,
		["show", "--tree", "--json", file], { maxBuffer: 1 << 28 }));

	return profile;
}

async function totals(page)
{
	const want = shown(cpu);
	const got = await page.evaluate(() => {
		const node = (i) => {
			const t = otprof.view.canvas.tree;
			const { frames } = otprof.view.data;
			const children = [];

			for (let c = i + 1; c < t.end[i]; c = t.end[c])
				children.push(node(c));
			return { name: frames.name[t.frame[i]], self: t.self[i],
				 total: t.total[i], children };
		};

		return node(0).children;
	});

	is("tree", JSON.stringify(got), JSON.stringify(want.children));
}

async function differences(page)
{
	is("total", await text(page, "total"), "net change -2, 3 frames");
	await point(page, 2, 0.1);
	is("details", await text(page, "detail"),
	   /^a\n-6 · 60.00% of all change/);
	is("legend", await text(page, "legend"), /more\s*the same\s*less/);
	await page.screenshot({ path: path.join(WORK, "diff.png") });
	await press(page, "t");
	is("the largest change first", (await page.locator("#rows .row")
		.allInnerTexts()).map((r) => r.split(/\s+/)[0]).join(" "),
	   "-6 +4 0");
	await page.locator("#sign").selectOption("more");
	await settle(page);
	is("only more", await page.locator("#rows .row").innerText(),
	   /^\+4 40.00%\s+\+4 40.00%\s+b/);
}

/* What was too small to be written stands behind the rest. */
async function smaller(page)
{
	await point(page, 3, 0.1);
	is("details", await text(page, "detail"), /^parse\n4 ms/);
	await point(page, 3, 0.55);
	is("details", await text(page, "detail"), /^\(smaller frames\)\n2 ms/);
	is("total", await text(page, "total"), "10 ms, 6 frames");
}

/* A hundred thousand frames: a frame of an animation leaves room for more, and
 * no action keeps a person waiting. */
async function big(page)
{
	const nr = Number((await text(page, "total")).replace(/,/g, "")
		.match(/(\d+) frames/)[1]);
	const took = await page.evaluate(async () => {
		const { view } = otprof;
		const time = async (run, n) => {
			const start = performance.now();

			for (let i = 0; i < n; i++)
				await run();
			return (performance.now() - start) / n;
		};
		const go = async (changes) => {
			Object.assign(otprof.state, changes);
			await otprof.draw();
		};

		return {
			paint: await time(() => view.canvas.paint(), 20),
			search: await time(() => go({ search: "step1" }), 1),
			invert: await time(() => go({ inverted: "1" }), 1),
			paintInverted: await time(() => view.canvas.paint(), 20),
			table: await time(() => go({ table: "1" }), 1),
		};
	});

	console.error(`${nr} frames:`, took);
	is("enough frames", nr >= 100000, true);
	/* Far above what it takes, for slow machines. */
	is("painting is quick", took.paint < 50 && took.paintInverted < 50, true);
	is("searching is quick", took.search < 300, true);
	is("turning round is quick", took.invert < 3000, true);
	is("total", await text(page, "total"),
	   new RegExp(`^${shown(path.join(WORK, "big.folded")).total
		.toLocaleString("en-US")},`));
}

/* The modules as one script: it is a script, and not a large one. */
function joined()
{
	const page = fs.readFileSync(both, "utf8");
	const script = /<script>([^]*)<\/script>/.exec(page)[1];
	const run = spawnSync(process.execPath, ["--check", "-"],
			      { input: script });

	is("what node says", String(run.stderr), "");
}

/* --- svg --- */

async function picture(page)
{
	const rect = (name) => page.evaluate((want) => {
		const g = [...document.querySelectorAll("#frames > g")].find(
			(e) => e.querySelector("title").textContent
				.startsWith(`${want} (`));

		return g.style.display === "none" ? 0 :
			Number(g.querySelector("rect").getAttribute("width"));
	}, name);

	is("serve", Math.round(await rect("serve")), 708);
	await page.screenshot({ path: path.join(WORK, "svg.png") });
	await page.locator("#frames rect").nth(2).click();
	is("serve, zoomed", Math.round(await rect("serve")), 1180);
	is("idle is gone", await rect("idle"), 0);
	await page.locator("#reset").click();
	is("idle is back", Math.round(await rect("idle")), 472);
	page.on("dialog", (d) => d.accept("^mem"));
	await page.keyboard.press("Control+f");
	await settle(page);
	is("matched", await page.locator("#matched").textContent(),
	   "Matched: 50.00%");
	is("hits", await page.locator("#frames .hit").count(), 2);
	await page.keyboard.press("Escape");
	is("hits", await page.locator("#frames .hit").count(), 0);
}

/* --- all --- */

suite(async (t) => {
	const after = write("after.folded", HEAD("x", "count") +
		"main;a 4\nmain;b 9\n");
	const before = write("before.folded", HEAD("x", "count") +
		"main;a 10\nmain;b 5\n");
	const diff = path.join(WORK, "diff.html");
	const rows = [["opens", opens], ["hover", hover], ["zoom", zoom],
		      ["search", search], ["switcher", switcher],
		      ["callers", callers], ["keyboard", keyboard],
		      ["copies", copies], ["table", table]];

	execFileSync(OTPROF, ["diff", before, after, "-o", diff]);
	for (const [name, run] of rows)
		await t.test(name, both, run);
	await t.test("joined", both, joined);
	await t.test("smaller",
		   convert([cpu], "smaller.html", "--min-width", "25"), smaller);
	await t.test("totals", convert([cpu], "cpu.html"), totals);
	await t.test("themes", both, themes, { colorScheme: "dark" });
	await t.test("hostile", convert([evil], "evil.html"), hostile);
	await t.test("differences", diff, differences);
	await t.test("big", convert([bigInput(140000)], "big.html"), big);
	await t.test("svg", convert([cpu], "cpu.svg"), picture);
});
