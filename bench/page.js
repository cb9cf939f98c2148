// SPDX-License-Identifier: Apache-2.0
"use strict";

/* What the page of otprof view costs a browser.
 *
 * usage: NODE_PATH=... node page.js --otprof FILE --work FOLDER
 *        [--chromium FILE] [--big FILE] [--quick]
 *
 * A made-up recording has 100,000 nodes and 1 M observations. For each view the
 * page is moved and zoomed, and a trace of the browser says how long scripts
 * ran in each frame: the 95th percentile counts. --big names a recording, of
 * which the time from its being read to its graph is measured. The browser
 * renders in software.
 */
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { parseArgs } = require("node:util");
const { chromium } = require("playwright-core");

const GOAL_MS = 8;
const GOAL_PAINT_S = 2;
const GOAL_WEIGHT = 300 * 1024;
const ROOT = path.dirname(__dirname);

const { values: args } = parseArgs({ options: {
	otprof: { type: "string" },
	work: { type: "string" },
	chromium: { type: "string", default: "/usr/bin/chromium" },
	big: { type: "string" },
	quick: { type: "boolean", default: false },
} });

function row(what, ours, goal, met)
{
	console.log(`${what}: ${ours}; goal ${goal}: ${met ? "met" : "MISSED"}`);
	console.log(`row|${what}|${ours}|||${goal}|${met ? "yes" : "NO"}`);
}

/* --- input --- */

function randomFrom(seed)
{
	return (m) => {
		seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
		return (seed >>> 8) % m;
	};
}

/* A recording of V8: a tree of so many nodes, and samples of its leaves. */
function madeUp(nrNodes, nrSamples)
{
	const random = randomFrom(7);
	const nodes = [{ id: 1, children: [], callFrame: { functionName: "(root)",
		scriptId: "0", url: "", lineNumber: -1, columnNumber: -1 } }];
	const depth = [0];
	const samples = [];
	const timeDeltas = [];

	while (nodes.length < nrNodes) {
		const up = Math.max(0, nodes.length - 1 - random(40));
		const parent = depth[up] < 60 ? up : 0;
		const id = nodes.length + 1;

		nodes[parent].children.push(id);
		depth.push(depth[parent] + 1);
		nodes.push({ id, children: [], callFrame: {
			functionName: `step${random(3000)}`, scriptId: "1",
			url: `file:///app/part${random(40)}.js`,
			lineNumber: random(900), columnNumber: 0 } });
	}
	for (let i = 0; i < nrSamples; i++) {
		samples.push(i < nrNodes ? i + 1 : 1 + random(nrNodes));
		timeDeltas.push(80 + random(40));
	}
	const file = path.join(args.work, "page.cpuprofile");

	fs.writeFileSync(file, JSON.stringify({ nodes, samples, timeDeltas,
		startTime: 1, endTime: 1 + 100 * nrSamples }));
	return file;
}

/* --- the program --- */

/* Starts otprof view; the promise has its address. */
function serve(file)
{
	const child = spawn(args.otprof, ["view", "--no-browser", file],
			    { stdio: ["ignore", "pipe", "pipe"] });
	const url = new Promise((done, fail) => {
		let said = "";
		const read = (data) => {
			said += data;
			const found = /http:\/\/\S+/.exec(said);

			if (found)
				done(found[0]);
		};

		child.stdout.on("data", read);
		child.stderr.on("data", read);
		child.on("exit", () => fail(new Error(`view ended: ${said}`)));
	});

	return { child, url };
}

/* --- the trace --- */

/* Milliseconds of script in each frame of the page's main thread. */
function scriptPerFrame(events)
{
	const main = events.find((e) => e.name === "thread_name" &&
		e.args.name === "CrRendererMain" &&
		events.some((x) => x.tid === e.tid && x.pid === e.pid &&
			x.name === "FireAnimationFrame"));
	const mine = events.filter((e) => main && e.pid === main.pid &&
		e.tid === main.tid && e.ph === "X");
	const frames = mine.filter((e) => e.name === "FireAnimationFrame")
		.map((e) => e.ts).sort((a, b) => a - b);
	const times = new Array(frames.length).fill(0);
	let end = 0;

	/* Calls within calls count once. */
	for (const e of mine.filter((x) => x.name === "FunctionCall" ||
				    x.name === "FireAnimationFrame")
		.sort((a, b) => a.ts - b.ts)) {
		if (e.ts < end)
			continue;
		end = e.ts + e.dur;
		let at = frames.findLastIndex((ts) => ts <= e.ts);

		if (at < 0)
			at = 0;
		times[at] += e.dur / 1000;
	}
	return times;
}

async function traced(page, work)
{
	const cdp = await page.context().newCDPSession(page);
	const events = [];

	cdp.on("Tracing.dataCollected", (e) => events.push(...e.value));
	await cdp.send("Tracing.start", { traceConfig: {
		includedCategories: ["devtools.timeline"] } });
	await work();
	const done = new Promise((resolve) => {
		cdp.once("Tracing.tracingComplete", resolve);
	});

	await cdp.send("Tracing.end");
	await done;
	return scriptPerFrame(events);
}

/* Zooms in and out and moves to and fro with the wheel, and points here and
 * there. */
async function shake(page, steps)
{
	for (let i = 0; i < steps; i++) {
		await page.mouse.move(500 + 37 * i % 400, 400 + 23 * i % 150);
		await page.keyboard.down("Control");
		await page.mouse.wheel(0, i % 40 < 20 ? -40 : 40);
		await page.keyboard.up("Control");
		await page.waitForTimeout(12);
		await page.mouse.wheel(i % 30 < 15 ? 60 : -60, 0);
		await page.waitForTimeout(12);
	}
}

function percentile(list, part)
{
	const sorted = [...list].sort((a, b) => a - b);

	return sorted.length ?
		sorted[Math.min(sorted.length - 1,
				Math.floor(sorted.length * part))] : NaN;
}

/* The policy of the page forbids eval(), by which Playwright would wait. */
async function drawn(page)
{
	while (!await page.evaluate(() =>
		performance.getEntriesByName("otprof-drawn").length))
		await page.waitForTimeout(5);
}

async function views(browser, url)
{
	for (const view of ["flame", "tree", "timeline", "heatmap"]) {
		const page = await browser.newPage({
			viewport: { width: 1400, height: 900 } });

		await page.goto(`${url}#view=${view}`);
		await drawn(page);
		await page.waitForTimeout(500);
		const times = await traced(page, () =>
			shake(page, args.quick ? 40 : 150));
		const p95 = percentile(times, 0.95);

		row(`page, ${view}: script per frame, 95 % of ` +
		    `${times.length} frames`, `${p95.toFixed(2)} ms`,
		    `<= ${GOAL_MS} ms`, p95 <= GOAL_MS);
		await page.close();
	}
}

async function paint(browser)
{
	const { child, url } = serve(args.big);
	const page = await browser.newPage();
	const address = await url;
	const start = performance.now();

	await page.goto(address);
	await drawn(page);
	const s = (performance.now() - start) / 1000;

	row(`page, first graph of ${(fs.statSync(args.big).size / 1e6)
		.toFixed(0)} MB`, `${s.toFixed(2)} s`, `< ${GOAL_PAINT_S} s`,
	    s < GOAL_PAINT_S);
	child.kill("SIGTERM");
}

function weight()
{
	let bytes = 0;

	for (const folder of ["ui/app", "ui/lib"])
		for (const name of fs.readdirSync(path.join(ROOT, folder)))
			bytes += fs.statSync(path.join(ROOT, folder, name)).size;
	row("page, weight without data", `${(bytes / 1024).toFixed(0)} KiB`,
	    `<= ${GOAL_WEIGHT / 1024} KiB`, bytes <= GOAL_WEIGHT);
}

async function main()
{
	const browser = await chromium.launch({ executablePath: args.chromium,
		args: ["--no-sandbox", "--disable-gpu"] });
	const { child, url } = serve(madeUp(100000, args.quick ? 200000 : 1e6));

	weight();
	await views(browser, await url);
	child.kill("SIGTERM");
	if (args.big)
		await paint(browser);
	await browser.close();
}

main().catch((e) => {
	console.error(`page: ${e.message}`);
	process.exit(1);
});
