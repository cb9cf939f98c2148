// SPDX-License-Identifier: Apache-2.0
"use strict";

/* Flame graph, table and sandwich, from an html file and from otprof view,
 * against what Google's pprof prints of the same profile: that of the Go
 * compiler, which Go comes with. */
const { execFileSync, spawnSync } = require("node:child_process");
const path = require("node:path");
const { WORK, convert, hasView, is, ready, settle, suite, text, view } =
	require("./harness.js");

const EXACT = ["-symbolize=none", "-trim=false", "-nodecount=1000000",
	       "-unit=nanoseconds"];
const PEEKED = 12; /* functions */

const RULE = /^-{5,}\+-+\n/m;
const plain = (name) => name.replace(/ \((partial-)?inline\)$/, "");
const number = (value) => (value === "." ? 0 : Number(/^-?\d+/.exec(value)[0]));

/* Two maps of numbers, or of lists of them. Samples without frames have no row
 * in pprof. */
function same(what, got, want)
{
	const keys = [...new Set([...got.keys(), ...want.keys()])]
		.filter((key) => key !== "(no stack)");
	const wrong = keys.filter((key) => String(got.get(key)) !==
				  String(want.get(key)));

	if (wrong.length)
		throw new Error(`${wrong.length} of ${keys.length} ${what} ` +
			`differ: ${JSON.stringify(wrong[0])} has ${
				got.get(wrong[0])}, pprof ${want.get(wrong[0])}`);
}

function add(map, key, value)
{
	map.set(key, (map.get(key) || 0) + value);
}

/* --- pprof --- */

function go(...args)
{
	return execFileSync("go", args, { encoding: "utf8", maxBuffer: 1 << 28,
		stdio: ["ignore", "pipe", "ignore"],
		env: { ...process.env, PPROF_TMPDIR: WORK } });
}

const pprof = (file, ...args) => go("tool", "pprof", ...EXACT, ...args, file);

/* [name, flat, cum], the largest flat first. */
function pprofTop(file)
{
	return pprof(file, "-top").split("\n").flatMap((line) => {
		const row = /^ *(\S+) +\S+% +\S+% +(\S+) +\S+%  (.*)/.exec(line);

		return row ? [[plain(row[3]), number(row[1]), number(row[2])]] : [];
	});
}

/* The total of each path, outermost function first. */
function pprofPaths(file)
{
	const totals = new Map();

	for (const block of pprof(file, "-traces").split(RULE).slice(1)) {
		const [, value, stack] = /^ *(\d+)ns   ([^]*)/m.exec(block) || [];
		const names = (stack || "").split("\n").map((l) => plain(l.trim()))
			.filter((name) => name).reverse();

		names.forEach((_, i) => add(totals, names.slice(0, i + 1)
			.join("\n"), Number(value)));
	}
	return totals;
}

/* Callers and callees of a function. */
function pprofPeek(file, name)
{
	const regex = `^${name.replace(/[^\w/]/g, "\\$&")}$`;
	const [, , block] = pprof(file, `-peek=${regex}`).split(RULE);
	const calls = [new Map(), new Map()];
	let half = 0;

	for (const line of block.split("\n")) {
		const call = /^ +(\S+) +\S+% \|   (.*)/.exec(line);

		if (call)
			add(calls[half], plain(call[2]), number(call[1]));
		else
			half = 1;
	}
	return { callers: calls[0], callees: calls[1] };
}

/* --- the page --- */

/* What each node adds up to, by its path. */
const pagePaths = (page) => page.evaluate(async () => {
	const data = await otprof.flame();
	const tree = data.tree();
	const paths = [""], out = {};

	for (let i = 1; i < tree.n; i++) {
		const parent = paths[tree.parent[i]];
		const name = data.frames.name[tree.frame[i]];

		paths[i] = parent ? `${parent}\n${name}` : name;
		out[paths[i]] = (out[paths[i]] || 0) + tree.total[i];
	}
	return out;
});

const pageTop = (page) => page.evaluate(async () => {
	const data = await otprof.flame();
	const { self, total, used } = data.top(data.tree(), 0);

	return Array.from(used, (f) => [data.frames.name[f], self[f], total[f]]);
});

const pageCalls = (page, half) => page.evaluate((which) => {
	const { view } = otprof;
	const { tree } = view[which];
	const out = [];

	for (let c = 1; c < tree.n; c = tree.end[c])
		out.push([view.data.frames.name[tree.frame[c]], tree.total[c]]);
	return out;
}, half);

/* As the page has values: three digits, but all of small numbers. */
function duration(ns)
{
	const [value, unit] = ns >= 1e9 ? [ns / 1e9, "s"] :
		ns ? [ns / 1e6, "ms"] : [0, "ns"];

	return `${Number.isInteger(value) ? value : value.toPrecision(3)} ${unit}`;
}

/* Pages show what rows as these have. */
const named = (rows) => new Map(rows.filter(([, flat, cum]) => flat || cum)
	.map(([name, ...values]) => [name, values]));

/* --- tests --- */

async function top(page, rows)
{
	same("functions", named(await pageTop(page)), named(rows));
	await page.locator("#table").click();
	await settle(page);
	const shown = await page.locator("#rows .row").first().innerText();
	const [name, flat, cum] = rows[0];

	is("the first row", shown.startsWith(duration(flat)), true);
	is("the first row", shown.includes(duration(cum)), true);
	is("the first row", shown.includes(name), true);
}

async function flame(page, paths)
{
	same("paths", new Map(Object.entries(await pagePaths(page))), paths);
}

/* Functions that are called below themselves, too: a sandwich shows what is
 * around the outermost call, -peek each call. */
function recursive(paths)
{
	const found = new Set();

	for (const key of paths.keys()) {
		const names = key.split("\n");

		if (names.indexOf(names.at(-1)) < names.length - 1)
			found.add(names.at(-1));
	}
	return found;
}

async function sandwich(page, file, rows, again)
{
	const step = Math.floor(rows.length / PEEKED / 8);

	for (let i = 0; i < PEEKED; i++) {
		const [name, flat, cum] = rows[i * step];
		const want = pprofPeek(file, name);

		await page.evaluate((fn) => otprof.go({ view: "sandwich", fn }),
				    name);
		await settle(page);
		const middle = await text(page, "middle");

		is("the middle", middle.startsWith(name), true);
		is(`total of ${name}`, /total ([^(]*) \(/.exec(middle)[1],
		   duration(cum));
		is(`self of ${name}`, /self ([^(]*) \(/.exec(middle)[1],
		   duration(flat));
		for (const half of again.has(name) ? [] : ["callers", "callees"])
			same(`${half} of ${name}`,
			     new Map(await pageCalls(page, half)), want[half]);
	}
}

suite(async (t) => {
	if (spawnSync("go", ["tool", "-n", "pprof"]).status !== 0) {
		console.log("skip browser/pprof: no go tool pprof");
		return;
	}
	const file = path.join(go("env", "GOROOT").trim(),
			       "src/cmd/compile/default.pgo");
	const rows = pprofTop(file);
	const paths = pprofPaths(file);
	const sources = [["html", convert([file], "pprof.html")]];

	if (hasView())
		sources.push(["view", await view(file)]);
	for (const [source, where] of sources) {
		await t.test(`pprof-${source}-top`, where, async (page) => {
			await ready(page);
			await top(page, rows);
		});
		await t.test(`pprof-${source}-flame`, where, async (page) => {
			await ready(page);
			await flame(page, paths);
		});
		await t.test(`pprof-${source}-sandwich`, where, async (page) => {
			await ready(page);
			await sandwich(page, file, rows, recursive(paths));
		});
	}
});
