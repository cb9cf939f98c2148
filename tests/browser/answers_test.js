// SPDX-License-Identifier: Apache-2.0
"use strict";

/* The html file answers all questions about times itself, the page of a server
 * asks the query layer. Both are asked the same about the same profiles: their
 * answers are equal, number by number. Also with files of one's own:
 *
 *	node answers_test.js FILE...
 */
const fs = require("node:fs");
const { convert, hasView, is, suite, until, view } = require("./harness.js");
const { timedFile } = require("./timed_input.js");

const MS = 1000000;

/* Two processes, states, spans, what lasts, what is a state, what has no time,
 * and values that cannot be divided. */
function input()
{
	const stack = (n) => ["main", `work${n % 3}`, ...n % 2 ? ["leaf"] : []];
	const samples = [];
	const waits = [];
	const heap = [];

	for (let n = 0; n < 400; n++) {
		const thread = { thread: `t${n % 5}`, tid: n % 5 + 1 };

		samples.push({ stack: stack(n), ...thread, times: [n * 7 * MS + n],
			       values: [n % 4 + 1],
			       trace: n % 3 ? `${n % 7}`.repeat(32) : undefined,
			       span: `${n % 9}`.repeat(16) });
		if (n % 8 === 0)
			waits.push({ stack: stack(n), ...thread,
				     state: n % 16 ? "mutex" : undefined,
				     times: [n * 7 * MS], values: [n * 12345 + 1] });
		if (n % 50 === 0)
			heap.push({ stack: stack(n), ...thread, values: [n, n + 3],
				    times: [n * MS, (n + 20) * MS] });
	}
	return timedFile("answers.json", [
		{ type: "samples", unit: "count", period: 10 * MS, samples },
		{ type: "off_cpu", unit: "nanoseconds", samples: waits },
		{ type: "inuse_space", unit: "bytes", samples: heap },
		{ type: "alloc", unit: "bytes", samples: [
			{ stack: ["main"], thread: "t1", tid: 2, values: [99] }] }]);
}

/* Runs in the page: all answers, by what was asked. */
async function ask()
{
	const { source } = otprof;
	const overview = await source.overview();
	const out = {
		overview: [overview.origin, overview.duration, overview.has_date],
		types: overview.types.map((t) => [t.type, t.unit, t.total,
			t.observations, t.timed, t.adds]),
	};
	const threads = overview.labels.some((l) => l.name === "thread");
	const timeless = ({ by: _, ...sel }) => sel;
	const plain = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
	const byName = (data) => {
		const { self, total, used } = data.top(data.tree(), 0);

		return used.filter((f) => self[f] || total[f]).map((f) =>
			[data.frames.name[f], self[f], total[f]]).sort();
	};

	for (const [nr, type] of overview.types.slice(0, 8).entries()) {
		const d = overview.duration;
		const own = { type: type.select };
		const flame = await source.flame(source.selection(own));
		/* What has no name is a module there, an address here. */
		const [name] = byName(flame).filter(([n]) => /^\w/.test(n))
			.sort((a, b) => b[1] - a[1])[0] || [];
		const lanes = await source.lanes({
			...timeless(source.selection(own)), columns: 10 });
		const lane = lanes.lanes[lanes.lanes.length >> 1];
		const focus = name && `^${plain(name)}$`;
		const states = [own,
			{ ...own, from: String(Math.floor(d / 3)),
			  to: String(Math.floor(d / 2)) },
			{ ...own, from: String(Math.floor(d / 4)) },
			...lane && threads ? [{ ...own, where: `thread="${
				lane.thread.replace(/"/g, '\\"')}"` }] : [],
			...focus ? [{ ...own, focus },
				{ ...own, ignore: focus, to: String(Math.floor(d / 2)) }] : []];

		for (const state of states) {
			const sel = source.selection(state);
			const at = timeless(sel);
			const keep = (what, ...answer) => {
				out[`${nr} ${JSON.stringify({ ...state,
					type: type.type })} ${what}`] = answer;
			};
			const data = await source.flame(sel);
			const s = await source.series({ ...at, columns: 37,
				...threads ? { by: "thread" } : {}, limit: 3 });
			const h = await source.heatmap({ ...at, width: 5e8, rows: 13 });
			const l = await source.lanes({ ...at, columns: 53, limit: 4 });
			const v = threads ? await source.values({ ...at,
				label: "thread", limit: 3 }) : { values: [] };
			const c = await source.chart({ ...at, columns: 100,
						       limit: 300 });
			const state_of = (i) => l.states[i]?.text;

			keep("flame", data.info.total);
			keep("series", s.from, s.width, s.columns, s.range_to,
			     s.has_others, s.untimed, s.series);
			keep("heatmap", h.from, h.width, h.columns, h.rows,
			     h.counts, h.values, h.max_count, h.max_value);
			keep("lanes", l.from, l.width, l.columns, l.range_to, l.nr,
			     l.point_ns, l.rest, l.lanes.map((x) => [x.process,
				x.thread, x.first, x.last, x.busy, x.waiting,
				x.points, x.intervals,
				x.parts.map((p) => [state_of(p.state), p.time,
					p.points]),
				x.cells.map((n, i) => (i % 2 ?
					Math.ceil(n * 1000 - 1e-6) :
					state_of(n)))]));
			keep("values", v.total, v.nr, v.rest, v.values.map(
				(r) => [r.text, r.value, r.observations]));
			keep("chart", c.from, c.to, c.nr, c.shown, c.step,
			     c.at.filter((_, i) => i % 3 < 2));
			keep("spans", (await source.spans(at)).spans.map((x) => [
				x.trace, x.span, x.value, x.observations, x.first,
				x.last, [...x.threads].sort()]).sort());
			keep("traces", (await source.traces(at)).traces.map((x) => [
				x.trace, x.value, x.observations, x.first,
				x.last]).sort());
		}
		if (type.timed) {
			const half = `+${Math.floor(d / 2)}ns`;
			const both = { ...source.selection(own), from: half,
				       "before.to": half };

			out[`${nr} difference`] = [
				(await source.flame(both)).info.total];
		}
	}
	return out;
}

const hasTimes = (file) => fs.readFileSync(file, "utf8").includes(
	"class HeatmapView");

async function same(t, file, i)
{
	const answers = [];
	const sources = [await view(file),
			 convert([file], `answers-${i}.html`, "--times", "yes")];

	if (!hasTimes(sources[1]))
		return;
	for (const [k, address] of sources.entries())
		await t.test(`answers/${i}/${k ? "html" : "view"}`, address,
			async (page) => {
				await until(page, () => Boolean(otprof?.view?.data));
				answers.push(await page.evaluate(ask));
			});
	await t.test(`answers/${i}/same`, sources[1], async () => {
		const [want, got] = answers;

		is("questions", Object.keys(want).length > 20, true);
		for (const [key, answer] of Object.entries(want))
			is(key, JSON.stringify(got[key]), JSON.stringify(answer));
	});
}

suite(async (t) => {
	if (!hasView()) {
		console.log("skip browser/answers: no otprof view");
		return;
	}
	const files = process.argv.slice(2);

	for (const [i, file] of (files.length ? files : [input()]).entries())
		await same(t, file, i);
});
