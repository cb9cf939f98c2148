// SPDX-License-Identifier: Apache-2.0
"use strict";

/* The views of time in otprof view: overview, time chart, timeline, heat map
 * and differences. What they show is compared with a count of show --raw and
 * with what the commands answer. */
const fs = require("node:fs");
const path = require("node:path");
const { HEAD, WORK, convert, hasView, is, isNear, json, press, saved, settle, suite, text,
	until, view, write } = require("./harness.js");
const { observations, timedFile } = require("./timed_input.js");

const MS = 1000000;
const EVIL = "<img src=x onerror=document.title='owned'>";
const TRACE = "0af7651916cd43dd8448eb211c80319c";

/* Two seconds of work, with waits between; the second of them queries. */
function input(name)
{
	const samples = [];
	const waits = [];

	for (let t = 0; t < 4000; t += 10) {
		const late = t >= 2000;

		if (t % 100 < 60)
			samples.push({ stack: ["main", "serve", late ? "query" :
				"parse"], thread: "worker", tid: 11,
				times: [t * MS], trace: late ? TRACE : undefined,
				span: t < 3000 ? "b7ad6b7169203331" :
					"00f067aa0ba902b7" });
		if (t % 40 === 0)
			samples.push({ stack: ["main", "collect", EVIL],
				thread: "helper", tid: 12, times: [t * MS + 1] });
	}
	for (let t = 0; t < 4000; t += 100)
		waits.push({ stack: ["main", "wait"], thread: "worker", tid: 11,
			     state: "mutex", times: [(t + 60) * MS],
			     values: [40 * MS] });
	samples.push({ stack: ["main"], thread: EVIL, tid: 13,
		       times: [1234567890] });
	return timedFile(name, [
		{ type: "samples", unit: "count", period: 10 * MS, samples },
		{ type: "off_cpu", unit: "nanoseconds", samples: waits }]);
}

const file = input("timed.json");
const seen = observations(file, "samples/count");
const count = (from, to, thread) => seen.filter((o) => o.time >= from &&
	o.time < to && (thread === undefined || o.thread === thread)).length;

const state = (page) => page.evaluate(() => ({ ...otprof.state }));
const shown = until;
/* As settle(), after a filter or a zoom, for which the page waits to end. */
const idle = (page) => settle(page, 300);

/* The place of a lane, in pixels of the canvas. */
const laneY = (page, name) => page.evaluate((thread) => {
	const { rows } = otprof.view;
	const row = rows.list.find((r) => r.kind === "lane" &&
		r.lane.thread.startsWith(thread));

	return rows.barY(row) + 24 + 10;
}, name);

async function drag(page, box, from, to)
{
	await page.mouse.move(box.x + from[0], box.y + from[1]);
	await page.mouse.down();
	await page.mouse.move(box.x + (from[0] + to[0]) / 2,
			      box.y + (from[1] + to[1]) / 2, { steps: 3 });
	await page.mouse.move(box.x + to[0], box.y + to[1], { steps: 3 });
	await page.mouse.up();
	await settle(page);
}

const shot = (page, name) => page.screenshot({
	path: path.join(WORK, `${name}.png`) });

/* The total of the flame graph, as a number. */
const flameTotal = async (page) => {
	await shown(page, () => otprof.view.constructor.key === "flame" &&
		otprof.view.data);
	await settle(page);
	return page.evaluate(() => otprof.view.data.info.total);
};

/* --- overview --- */

async function overview(page)
{
	await shown(page, () => otprof.view.chart?.data &&
		document.querySelectorAll(".over-values button").length > 3);
	const rows = await page.locator(".over-table tr").allInnerTexts();

	is("types", rows.length, 3);
	is("samples", rows.join("; "),
	   new RegExp(`samples[^;]*\\s${seen.length}\\s+${seen.length}`));
	const byThread = json("stat", "--by", "thread", "--type", "samples", "--json",
			      file);

	for (const row of byThread.rows) {
		const card = page.locator(".card", { hasText: /^thread/ });
		const value = card.locator("button", { hasText: row.thread });

		is(row.thread, await value.innerText(),
		   new RegExp(`^${row.thread.replace(/[()[\]*+?.|]/g, "\\$&")}\\s+` +
			`${row.value}\\s`));
	}
	const series = await page.evaluate(() => otprof.view.chart.data.series
		.map((s) => ({ values: s.values.reduce((a, b) => a + b, 0),
			       counts: s.counts.reduce((a, b) => a + b, 0) })));

	is("the chart", JSON.stringify(series),
	   JSON.stringify([{ values: seen.length, counts: seen.length }]));
	is("the highest column", await page.locator(".card-head").innerText(),
	   new RegExp(`at most ${await page.evaluate(
		   () => Math.max(...otprof.view.chart.top))} in [\\d.]+ ms`));
	await shot(page, "overview");
	/* As if states had the names of threads. */
	await page.evaluate(() => {
		const { source, view } = otprof;
		const values = source.values.bind(source);

		source.values = (sel, signal) => values({ ...sel,
			label: sel.label === "state" ? "thread" : sel.label }, signal);
		view.cards.clear();
		otprof.update();
	});
	await idle(page);
	is("labels", (await page.locator(".card:visible h2").allInnerTexts()).join(),
	   /,thread 3 also state(,(?!state)|$)/);
}

/* The columns of the chart against those of stat --series. */
async function chart(page)
{
	await shown(page, () => otprof.view.chart?.data);
	const ticks = await page.evaluate(() => otprof.view.chart.scale.ticks(
		0, 56 * 365 * 86400e9, 1200).list.length);

	is("ticks of many years", ticks > 4 && ticks < 20, true);
	const got = await page.evaluate(async () => {
		const d = await otprof.source.series({ type: "samples", columns: 20,
						       by: "thread" });

		return { from: d.from, width: d.width, columns: d.columns,
			 series: d.series.map((s) => [s.text, s.counts]) };
	});
	const want = new Map();

	for (const o of seen) {
		const c = Math.floor((o.time - got.from) / got.width);

		want.set(o.thread, want.get(o.thread) || new Array(got.columns)
			.fill(0));
		want.get(o.thread)[c]++;
	}
	for (const [name, counts] of got.series)
		is(name, counts.join(), want.get(name.replace(/ \(\d+\)$/, ""))
			.join());
	is("series", got.series.length, want.size);
}

async function ranges(page)
{
	await shown(page, () => otprof.view.chart?.data);
	const box = await page.locator(".over .time-chart").boundingBox();

	await drag(page, box, [box.width / 4, 40], [box.width / 2, 60]);
	const { from, to } = await state(page);

	isNear("from", Number(from), 1000 * MS, 30 * MS);
	isNear("to", Number(to), 2000 * MS, 30 * MS);
	is("a chip", await page.locator("#chips").innerText(),
	   /^time\s00:00:0\d\.\d+ \u2013 00:00:0\d\.\d+/);
	await page.locator("#tab-flame").click();
	is("the flame graph", await flameTotal(page), count(Number(from), Number(to)));
	await page.locator("#tab-overview").click();
	await settle(page);
	await page.locator(".over .time-chart").dblclick({ position: { x: 9, y: 9 } });
	await settle(page);
	is("after a double click", (await state(page)).from, undefined);
	await page.goBack();
	await settle(page);
	is("after going back", (await state(page)).from, from);
}

async function filters(page)
{
	await shown(page, () => document.querySelectorAll(
		".over-values button").length > 3);
	await page.locator(".over-values button", { hasText: "helper (12)" }).click();
	await settle(page);
	is("where", (await state(page)).where, /thread="helper \(12\)"/);
	await page.locator("#tab-flame").click();
	is("the flame graph", await flameTotal(page), count(0, Infinity, "helper"));
	await page.locator("#tab-overview").click();
	await settle(page);
	await page.locator(".over-table button", { hasText: "off_cpu" }).click();
	await settle(page);
	is("type", (await state(page)).type, "off_cpu");
}

/* --- the chart above views --- */

async function strip(page)
{
	await flameTotal(page);
	await shown(page, () => otprof.strip.data);
	const box = await page.locator(".strip").boundingBox();

	await drag(page, box, [box.width / 2, 15], [box.width * 0.75, 20]);
	const { from, to } = await state(page);

	isNear("from", Number(from), 2000 * MS, 30 * MS);
	await shown(page, (n) => otprof.view.data.info.total === n,
		    count(Number(from), Number(to)));
	/* An end of the range can be moved. */
	await drag(page, box, [box.width * 0.75, 15], [box.width * 0.9, 20]);
	const now = await state(page);

	is("the other end", now.from, from);
	isNear("to", Number(now.to), 3600 * MS, 40 * MS);
	await page.locator(".strip canvas").focus();
	await press(page, "ArrowLeft");
	is("moved by a key", Number((await state(page)).from) < Number(from), true);
	await press(page, "Escape");
	is("after Escape", (await state(page)).from, undefined);
	await page.mouse.move(box.x + box.width / 2, box.y + 10);
	await page.mouse.wheel(0, -300);
	await shown(page, () => !otprof.strip.window.isWhole);
}

/* --- timeline --- */

const lanes = (page) => shown(page, () => otprof.view.wide?.lanes.length &&
	otprof.view.rows.list.length);

async function timeline(page)
{
	await lanes(page);
	const got = await page.evaluate(() => otprof.view.wide.lanes.map((l) => ({
		thread: l.thread, points: l.points, intervals: l.intervals,
		busy: l.busy, waiting: l.waiting })));
	const lane = (name) => got.find((l) => l.thread.startsWith(name));

	is("lanes", got.length, 3);
	is("the busiest", got[0].thread, "worker (11)");
	for (const name of ["worker", "helper", EVIL])
		is(name, lane(name).points, count(0, Infinity, name));
	is("waits", `${lane("worker").intervals} ${lane("worker").waiting}`,
	   `40 ${1600 * MS}`);
	is("busy", lane("worker").busy, count(0, Infinity, "worker") * 10 * MS);
	const box = await page.locator(".timeline-canvas").boundingBox();

	await page.mouse.move(box.x + 100, box.y + await laneY(page, "worker"));
	await settle(page);
	is("details", await text(page, "detail"),
	   new RegExp(`^worker \\(11\\)[^]*busy 2.40 s[^]*waiting 1.60 s[^]*` +
		`${count(0, Infinity, "worker")} observations · 40 intervals`));
	is("states", await text(page, "legend"), /mutex/);
	is("each has its colour", await page.evaluate(
		() => new Set(otprof.view.wide.colours).size ===
			otprof.view.wide.colours.length), true);
	await shot(page, "timeline");
	/* The chart above has no axis of its own and its times where the lanes
	 * have them. */
	is("an axis", await page.evaluate(() => otprof.strip.axis), 0);
	isNear("2 s", await page.evaluate((ns) => otprof.strip.x(ns) +
		otprof.strip.canvas.getBoundingClientRect().left -
		otprof.view.ink.x(ns), 2000 * MS), 0, 1);
	await page.locator("#tab-flame").click();
	await idle(page);
	is("the whole width", await page.evaluate(() => otprof.strip.width),
	   1200);
}

/* What is in view has the numbers of that time. */
async function zooms(page)
{
	await lanes(page);
	const box = await page.locator(".timeline-canvas").boundingBox();

	await page.mouse.move(box.x + box.width - 100, box.y + 40);
	await page.mouse.wheel(0, -300);
	await page.mouse.wheel(0, -300);
	await shown(page, () => {
		const { fine, window } = otprof.view;

		return fine && fine.sight.from === window.from &&
			fine.sight.to === window.to;
	});
	const zoomed = await page.evaluate(() => ({
		from: otprof.view.window.from, to: otprof.view.window.to,
		at: otprof.view.time(otprof.view.width - 100),
		points: otprof.view.wide.lanes.map((l) => [l.thread,
			otprof.view.numbers(l).points]) }));

	isNear("what is under the pointer", zoomed.at, await page.evaluate(() =>
		otprof.view.window.all * (otprof.view.width - 100 -
			otprof.view.gutter) / (otprof.view.width -
			otprof.view.gutter)), MS);
	for (const [name, points] of zoomed.points)
		is(name, points, count(Math.floor(zoomed.from),
			Math.ceil(zoomed.to), name.replace(/ \(\d+\)$/, "")));
	is("the address", new URLSearchParams(new URL(page.url()).hash.slice(1))
		.get("time.from"), String(Math.round(zoomed.from)));
	/* What comes at once after a zoom does not undo it. */
	const both = await page.evaluate(() => {
		otprof.view.zoom(0.5, 400);
		const from = otprof.view.window.from;

		otprof.go({ "lane_sort": "name" });
		return [from, otprof.view.window.from];
	});

	isNear("a zoom and a change", both[1], both[0], 1);
	await idle(page);
	const span = () => page.evaluate(() => otprof.view.window.to -
		otprof.view.window.from);
	const before = await span();

	await press(page, "w");
	is("w", await span() < before, true);
	await press(page, "s", "s");
	is("s", await span() > before, true);
	const from = () => page.evaluate(() => otprof.view.window.from);
	const start = await from();

	await press(page, "a");
	is("a", await from() < start, true);
	await press(page, "d", "0");
	is("0", await span(), await page.evaluate(() => otprof.view.window.all));
	for (let i = 0; i < 60; i++)
		await page.mouse.wheel(0, -300);
	await settle(page);
	is("a microsecond", await span() <= 1000, true);
}

async function opens(page)
{
	await lanes(page);
	const box = await page.locator(".timeline-canvas").boundingBox();

	await shown(page, () => otprof.view.spans.length);
	await page.mouse.click(box.x + 100, box.y + await laneY(page, "worker"));
	await shown(page, () => otprof.view.data.charts.size &&
		[...otprof.view.data.charts.values()][0].parts.length);
	await settle(page);
	const rows = await page.evaluate(() => {
		const [chart] = otprof.view.data.charts.values();

		return chart.parts.map((p) => p.rows.map((r) => [...r.node]
			.map((n) => p.name(n))));
	});
	const worker = seen.filter((o) => o.thread === "worker").length;

	is("kinds", rows.length, 2);
	is("depth", rows[0].length, 3);
	/* Sixty milliseconds of work are one box: six points in a row. */
	is("boxes", rows[0][2].length, worker / 6);
	is("names", [...new Set(rows[0].map((r) => r[0]))].join(),
	   "main,serve,parse");
	is("the last", rows[0][2].at(-1), "query");
	is("waits", rows[1].map((r) => `${r.length} ${r[0]}`).join(),
	   "40 main,40 wait");
	await page.mouse.move(box.x + 218, box.y +
		await laneY(page, "worker") + 14 + 2 * 17 + 8);
	await settle(page);
	is("details", await text(page, "detail"), /^parse\n60(\.0)? ms from 00:00:00/);
	await page.locator("#search").fill("query");
	await settle(page);
	/* 1.2 s of 2.4 s of work and 1.6 s of waits. */
	is("matched", await text(page, "matched"),
	   "30.00% of time \u00b7 20 in view");
	await page.locator("#search").fill("query|main");
	await settle(page);
	is("boxes within boxes", await text(page, "matched"), /^100.00% /);
	await page.locator("#search").fill("query");
	await press(page, "Enter");
	is("walked", await text(page, "matched"), /1 of 20$/);
	await idle(page);
	is("after it is loaded", await text(page, "matched"), /1 of 20$/);
	await press(page, "Enter");
	is("walked again", await text(page, "matched"), /2 of 20$/);
	await shot(page, "flame-chart");
	await page.reload();
	await shown(page, () => otprof.view?.data?.charts?.size);
	is("after a reload", (await state(page)).search, "query");
}

async function rectangle(page)
{
	await lanes(page);
	const box = await page.locator(".timeline-canvas").boundingBox();
	const plot = box.width - 216;

	await shown(page, () => otprof.view.spans.length);
	const worker = await laneY(page, "worker");
	const helper = await laneY(page, "helper");

	await page.keyboard.down("Shift");
	await drag(page, box, [216 + plot / 4, worker - 4],
		   [216 + plot / 2, worker + 3]);
	await page.keyboard.up("Shift");
	const one = await state(page);

	isNear("from", Number(one.from), 1000 * MS, 20 * MS);
	isNear("to", Number(one.to), 2000 * MS, 20 * MS);
	is("where", one.where, /worker/);
	is("one thread", await flameTotal(page),
	   count(Number(one.from), Number(one.to), "worker"));
	await page.goBack();
	await lanes(page);
	await settle(page);
	await press(page, "x", "Escape");
	is("selecting after Escape", await page.evaluate(
		() => otprof.view.selecting), false);
	is("keys", (await page.locator("#keys").textContent())
		.includes("dark or light"), false);
	await press(page, "x");
	await drag(page, box, [216 + plot / 4, worker], [216 + plot / 2, helper]);
	const two = await state(page);

	is("two threads", await flameTotal(page),
	   count(Number(two.from), Number(two.to), "worker") +
	   count(Number(two.from), Number(two.to), "helper"));
	is("chips", await page.locator("#chips").innerText(),
	   /time\s00:00:01[^]*thread\s(worker|helper) \(1\d\), (worker|helper) \(1/);
}

async function sorted(page)
{
	await lanes(page);
	const names = () => page.evaluate(() => otprof.view.wide.lanes
		.map((l) => l.thread.replace(/ \(\d+\)$/, "")).join());

	await page.locator("#lane-sort").selectOption("name");
	await idle(page);
	is("by name", await names(), `${EVIL},helper,worker`);
	/* It is no regular expression yet. */
	await page.locator("#lane-filter").fill("helper (");
	await shown(page, () => otprof.view.wide.lanes.length === 1);
	is("filtered by a text", await names(), "helper");
	await page.locator("#lane-filter").fill("");
	await shown(page, () => otprof.view.wide.lanes.length > 1);
	await page.locator("#lane-filter").fill("^help");
	await shown(page, () => otprof.view.wide.lanes.length === 1);
	is("filtered", await names(), "helper");
	is("the address", (await state(page)).lanes, "^help");
	await page.keyboard.press("Escape");
	await page.locator(".timeline-scroll").focus();
	await press(page, "ArrowDown", "ArrowDown", "f");
	is("a flame graph of the lane", await flameTotal(page),
	   count(0, Infinity, "helper"));
}

async function spans(page)
{
	await lanes(page);
	await shown(page, () => otprof.view.spans.length);
	const got = await page.evaluate(() => otprof.view.spans.map(
		(s) => `${s.span} ${s.observations}`).sort().join());

	is("spans", got, `00f067aa0ba902b7 ${count(3000 * MS, Infinity, "worker")},` +
	   `b7ad6b7169203331 ${count(2000 * MS, 3000 * MS, "worker")}`);
	const box = await page.locator(".timeline-canvas").boundingBox();
	const plot = box.width - 216;

	await page.mouse.click(box.x + 216 + plot * 0.9, box.y + 34);
	await settle(page);
	is("where", (await state(page)).where, 'span="00f067aa0ba902b7"');
	await page.locator("#tab-flame").click();
	is("the flame graph", await flameTotal(page),
	   count(3000 * MS, Infinity, "worker"));
}

/* --- threads --- */

async function threads(page)
{
	const total = async (name) => {
		await until(page, (want) => otprof.view.data?.info.total === want,
			    count(0, Infinity, name));
		return (await state(page)).where;
	};

	await shown(page, () => document.querySelector("#thread")?.options
		.length === 4);
	await page.locator("#scroll").focus();
	await press(page, ".");
	is("where", await total("worker"), 'thread="worker (11)"');
	is("picked", await page.locator("#thread").evaluate(
		(s) => s.selectedOptions[0].text), /^worker \(11\) · \d/);
	await press(page, ".");
	is("where", await total("helper"), 'thread="helper (12)"');
	await press(page, ",", ",");
	is("where", await total(undefined), undefined);
	await page.locator("#thread").selectOption({ index: 2 });
	is("where", await total("helper"), 'thread="helper (12)"');
}

/* --- heat map --- */

const heat = (page) => shown(page, () => otprof.view.data?.counts &&
	otprof.view.cellWide);

async function heatmap(page)
{
	await heat(page);
	is("the cell pointed at", await page.evaluate(
		() => otprof.view.hover), -1);
	is("total", await text(page, "total"), `${seen.length} observations`);
	const d = await page.evaluate(() => ({ ...otprof.view.data }));
	const want = new Array(d.columns * d.rows).fill(0);

	for (const o of seen)
		want[Math.floor((o.time - d.from) / (d.width / d.rows))]++;
	is("counts", d.counts.join(), want.join());
	is("the most", d.max_count, Math.max(...want));
	const some = d.counts.filter((n) => n).sort((a, b) => a - b);

	is("legend", (await text(page, "legend")).replace(/\s+/g, " "),
	   `${some[0]} ${d.max_count} observations in 20 ms`);
	is("the least", d.least, some[Math.floor(some.length / 50)]);
	is("its colour", await page.evaluate(() => otprof.view.colours()[0] !==
		otprof.view.colours().at(-1)), true);
	const box = await page.locator(".heat-canvas").boundingBox();
	const cell = await page.evaluate(() => [otprof.view.cellWide,
						otprof.view.cellHigh]);
	/* The third second, the third fraction from below. */
	const at = [58 + 2.5 * cell[0], 8 + 47.5 * cell[1]];

	await page.mouse.move(box.x + at[0], box.y + at[1]);
	await settle(page);
	is("details", await text(page, "detail"), new RegExp(
		`^00:00:02.040.*\\(20 ms\\)\\n${want[2 * 50 + 2]} observation`));
	await page.mouse.click(box.x + at[0], box.y + at[1]);
	await page.mouse.click(box.x + at[0] + cell[0], box.y + at[1]);
	await settle(page);
	const { from, to } = await state(page);

	is("from", Number(from), 2040 * MS + d.from);
	is("to", Number(to), 3060 * MS + d.from);
	const n = count(Number(from), Number(to));

	is("selected", await page.locator(".heat-bar").innerText(),
	   new RegExp(`· ${n}`));
	await shot(page, "heatmap");
	await press(page, "ArrowUp");
	is("moved", Number((await state(page)).from), 2060 * MS + d.from);
	await press(page, "ArrowDown", "Enter");
	is("the flame graph", await flameTotal(page), n);
}

async function secondRange(page)
{
	await heat(page);
	const box = await page.locator(".heat-canvas").boundingBox();
	const w = await page.evaluate(() => otprof.view.cellWide);
	const bottom = await page.evaluate(() => 8 + 50 * otprof.view.cellHigh - 3);

	/* The last two seconds, and before them the first two. */
	await drag(page, box, [58 + 2.5 * w, bottom], [58 + 3.5 * w, 10]);
	await press(page, "c");
	await drag(page, box, [58 + 0.5 * w, bottom], [58 + 1.5 * w, 10]);
	const s = await state(page);

	/* The last time stamp is within the cell that ends at 3980 ms. */
	is("both", [s.from, s.to, s["before.from"], s["before.to"]].join(),
	   [2000, 3980, 0, 2000].map((ms) => ms * MS).join());
	await press(page, "Enter");
	is("view", (await state(page)).view, "diff");
	await shown(page, () => document.querySelector(".diff-table"));
	await idle(page);
	is("totals", await page.locator(".diff-total").allInnerTexts()
		.then((l) => l.join()),
	   `${count(0, 2000 * MS)},${count(2000 * MS, 4000 * MS)}`);
	await shot(page, "diff-view");
}

/* --- differences --- */

async function differences(page)
{
	await shown(page, () => document.querySelectorAll(".diff-table").length > 1 &&
		otprof.view.flame.data);
	const half = 2000 * MS;
	const early = count(0, half, "worker");
	const late = count(half, Infinity, "worker");
	const list = (i) => page.locator(".diff-list").nth(i).locator("tr").nth(1)
		.innerText().then((l) => l.trim().split(/\s+/).join(" "));

	is("more", await list(0), `+${late} 0 ${late} query`);
	is("less", await list(1), `-${early} ${early} 0 parse`);
	const total = await page.evaluate(
		() => otprof.view.flame.data.info.total);

	const net = count(half, Infinity) - count(0, half);
	const part = (100 * net / count(0, half)).toFixed(3);

	is("the flame graph", total, net);
	is("its root", await page.evaluate(
		() => otprof.view.flame.canvas.rootLabel), `all \u00b7 ${net}`);
	is("sum", await page.locator(".diff-sum").innerText(),
	   `${net} (${part}%)`);
	is("more in all", await page.locator(".diff-list h2").first().innerText(),
	   /^More \+\d+ in \d+ functions?$/);
	await press(page, "x");
	await idle(page);
	is("more, swapped", await list(0), `+${early} 0 ${early} parse`);
	is("total, swapped", await text(page, "total"),
	   new RegExp(`^net change \\+${-net}`));
	await page.locator("#diff-lists").selectOption("one");
	await idle(page);
	is("one list", await page.locator(".diff-list").count(), 1);
	await page.locator("#normalize").click();
	await idle(page);
	is("normalized", (await state(page)).normalize, "1");
	is("no sum", await page.locator(".diff-sum").innerText(), /^Before is scaled/);
	is("no net change", await text(page, "total"), /^net change 0/);
	await page.locator("#diff-by").selectOption("cum");
	await idle(page);
	is("with callees", (await page.locator(".diff-table").innerText()),
	   /parse/);
}

/* Frames are left out of both sides, or they would not compare. */
async function evenSides(page)
{
	const half = 2000 * MS;

	await shown(page, () => otprof.view.flame.data);
	await idle(page);
	is("totals", (await page.locator(".diff-total").allInnerTexts()).join(),
	   `${count(0, half, "helper")},${count(half, Infinity, "helper")}`);
	is("threads of one side", await page.locator("#thread").isVisible(), false);
}

async function nothingToCompare(page)
{
	await shown(page, () => document.querySelector(".time-message"));
	is("what to do", await page.locator(".time-message").innerText(),
	   /Nothing to compare with yet/);
	await page.locator(".time-message button").first().click();
	await shown(page, () => document.querySelector(".diff-table"));
}

/* An address of nonsense is said to be that, and goes away with it. */
async function nonsense(page)
{
	await shown(page, () => otprof.view.chart?.data);
	is("range", await page.evaluate(() => {
		otprof.history.values.from = "abc";
		otprof.view.fillStack();
		delete otprof.history.values.from;
		return otprof.view.when.textContent;
	}), /^00:00:00.000 \u2013 00:00:03.960/);
}

/* --- export --- */

async function exports(page)
{
	const png = async () => String((await saved(page, "PNG")).subarray(1, 4));

	await shown(page, () => otprof.view.flame?.data);
	is("image of the difference", String(await saved(page, "SVG")),
	   /<title>query \(/);
	is("image of the difference", await png(), "PNG");
	const stacks = String(await saved(page, "Folded")).split("\n")
		.filter((line) => line && line[0] !== "#");
	const sum = stacks.reduce((a, line) => a + Number(/\S+$/.exec(line)), 0);

	is("the difference", sum, count(2000 * MS, Infinity) - count(0, 2000 * MS));
	for (const key of ["timeline", "heatmap"]) {
		await page.locator(`#tab-${key}`).click();
		await shown(page, () => otprof.view.canvas?.width > 1);
		is(`image of the ${key}`, await png(), "PNG");
	}
}

/* --- files, states, names --- */

async function noTimes(page)
{
	for (const key of ["timeline", "heatmap"]) {
		await page.locator(`#tab-${key}`).click();
		await settle(page);
		is(key, await page.locator(".time-message").innerText(),
		   /No times of cpu[^]*otprof record/);
		is(`tools of the ${key}`, await page.locator(".tools > *:visible")
			.count(), 0);
		is(`details of the ${key}`, await text(page, "detail"), "");
	}
	is("a strip", await page.locator(".strip").isVisible(), false);
	await page.locator("#tab-overview").click();
	await settle(page);
	is("a chart", await page.locator(".over .time-chart").isVisible(), false);
}

/* Where one type has times and another has none. */
async function otherTimes(page)
{
	await page.locator("#tab-timeline").click();
	await settle(page);
	is("why", await page.locator(".time-message").innerText(),
	   /No times of plain[^]*These types have times:\s+samples/);
	await page.locator(".time-buttons button", { hasText: "samples" }).click();
	await lanes(page);
	is("tools", await page.locator("#area").isVisible(), true);
	is("types", await page.evaluate(() => otprof.types().map((t) => t.type)
		.join()), "samples,off_cpu,plain");
	/* Labels of the other file are not asked for. */
	await page.evaluate(() => otprof.go({ view: "overview", file: "0" }));
	await idle(page);
	is("labels", await page.locator(".over-labels .card").count(), 0);
}

async function hostile(page)
{
	for (const key of ["overview", "timeline", "heatmap", "diff"]) {
		await page.locator(`#tab-${key}`).click();
		await idle(page);
		is("title", await page.title(), /timed\.json|shop/);
	}
	is("elements", await page.locator("img").count(), 0);
}

/* The times of a file that has them since 1970 and of one that counts from the
 * start of its machine: views show that of the file that is chosen. */
async function clocks(page)
{
	const chart = () => page.evaluate(() => {
		const { window, top } = otprof.strip;

		return { from: window.from, to: window.to,
			 bars: top.filter((v) => v).length };
	});

	await shown(page, () => otprof.strip?.data);
	const late = await page.evaluate(() => otprof.overview.files[1]);

	await page.evaluate(() => otprof.go({ "file": "1" }));
	await idle(page);
	const got = await chart();

	is("from", got.from, late.from);
	is("to", got.to, late.to);
	is("bars", got.bars > 5, true);
	await page.locator("#tab-overview").click();
	await idle(page);
	is("when", await page.locator(".over .card-head").innerText(),
	   /00:00:00.000 \u2013 00:00:0/);
	is("begin", await page.locator(".over dl").innerText(),
	   /begin\s+2026-01-01 00:00:00.000 UTC\s+duration\s+\d.* s/);
	await page.locator("#tab-heatmap").click();
	await heat(page);
	is("columns", await page.evaluate(() => otprof.view.data.columns) < 50, true);
	await page.evaluate(() => otprof.go({ "view": "timeline" }));
	await lanes(page);
	is("lanes", await page.evaluate(() => otprof.view.window.from), late.from);
	await page.evaluate(() => otprof.go({ "file": "0" }));
	await idle(page);
	is("the other file", await page.evaluate(() => otprof.view.window.to < 1e10),
	   true);
}

/* A tap shows numbers, a second one opens. */
async function phone(page)
{
	await lanes(page);
	const box = await page.locator(".timeline-canvas").boundingBox();
	const wide = await page.evaluate(() => document.documentElement.scrollWidth);

	is("width", wide <= 390, true);
	await shown(page, () => otprof.view.spans.length);
	await settle(page);
	const y = box.y + await laneY(page, "worker");

	await page.touchscreen.tap(box.x + 150, y);
	await settle(page);
	is("details", await text(page, "detail"), /^worker/);
	is("open", (await state(page)).open, undefined);
	await page.touchscreen.tap(box.x + 150, y);
	await idle(page);
	is("open", (await state(page)).open, /worker/);
	await shot(page, "phone-timeline");
	await page.evaluate(() => otprof.go({ search: "query|main" }));
	await idle(page);
	is("found, in the page", await page.locator("#next").evaluate((b) => b
		.getBoundingClientRect().right <= 390), true);
	await page.evaluate(() => otprof.go({ search: "" }));
	await page.locator("#help").tap();
	is("gestures", await text(page, "keys"),
	   /^tap, tap again[^]*two fingers[^]*Select and drag/);
	await press(page, "Escape");
	for (const key of ["overview", "heatmap", "diff"]) {
		await page.evaluate((view) => otprof.go({ view }), key);
		await idle(page);
		await shot(page, `phone-${key}`);
		is("its tab is not in the fading edge", await page.locator(
			`#tab-${key}`).evaluate((tab) => tab
			.getBoundingClientRect().right <= 390 - 36), true);
		is(key, await page.evaluate(
			() => document.documentElement.scrollWidth) <= 390, true);
	}
	await page.evaluate(() => otprof.go({ view: "", from: "1000000",
		collapse: "1", focus: "main", where: 'thread="worker (11)"' }));
	await idle(page);
	is("width with filters", await page.evaluate(
		() => document.documentElement.scrollWidth) <= 390, true);
	is("room of the threads", await page.evaluate(() => document
		.querySelector("#thread").getBoundingClientRect().right <= document
		.querySelector("#chips").getBoundingClientRect().left), true);
}

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true,
		isMobile: true, colorScheme: "dark" };

/* What both sources of data answer: the server, and the file itself. */
async function both(t, name, page)
{
	const half = 2000 * MS;
	const halves = `view=diff&before.from=0&before.to=${half}&from=${half}`;
	const test = (what, hash, run, options) => t.test(`${name}/${what}`,
		`${page}#${hash}`, run, options);

	await test("overview", "view=overview", overview);
	await test("chart", "view=overview", chart);
	await test("nonsense", "view=overview", nonsense);
	await test("ranges", "view=overview", ranges);
	await test("filters", "view=overview", filters);
	await test("strip", "view=flame", strip);
	await test("timeline", "view=timeline", timeline);
	await test("zooms", "view=timeline", zooms);
	await test("opens", "view=timeline", opens);
	await test("rectangle", "view=timeline", rectangle);
	await test("sorted", "view=timeline", sorted);
	await test("spans", "view=timeline", spans);
	await test("threads", "view=flame", threads);
	await test("heatmap", "view=heatmap", heatmap);
	await test("second-range", "view=heatmap", secondRange);
	await test("differences", halves, differences);
	await test("even-sides", `${halves}&focus=collect`, evenSides);
	await test("exports", halves, exports);
	await test("nothing-to-compare", "view=diff", nothingToCompare);
	await test("hostile", "view=overview", hostile);
	await test("phone", "view=timeline", phone, PHONE);
}

suite(async (t) => {
	await both(t, "time/html", convert([file], "timed.html"));
	if (!hasView()) {
		console.log("skip browser/time: no otprof view");
		return;
	}
	const plain = await view(write("plain.folded", `${HEAD("cpu",
		"nanoseconds")}main;work 5\n`));
	const boot = timedFile("boot.json", [{ type: "samples", unit: "count",
		period: 10 * MS, samples: [{ stack: ["main"], thread: "worker",
			tid: 1, times: [0, 10 * MS, 900 * MS] }] }]);

	await both(t, "time", await view(file));
	await t.test("time/no-times", plain, noTimes);
	/* The same ten seconds after the start of a machine. */
	fs.writeFileSync(boot, fs.readFileSync(boot, "utf8")
		.replaceAll("1767225600", "10"));

	const mixed = write("both.folded",
			    `${HEAD("plain", "count")}main;work 50000000\n`);

	await t.test("time/other-times", `${await view(mixed, file)
		}#type=plain`, otherTimes);
	await t.test("time/clocks", await view(boot, file), clocks);
});
