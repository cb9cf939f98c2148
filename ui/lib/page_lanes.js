// SPDX-License-Identifier: Apache-2.0
/* page_lanes.js: threads over time and single observations of the page's own
 * data, by the rules of src/query/lanes.c, lane_cells.c and chart.c. */
import { labelWhere } from "./lane_rows.js";
import { filterOf } from "./text.js";

const CHART_DEPTHS = 256;

/* What a thread does in one state. */
function newLanePart(state)
{
	return { state, time: 0, points: 0, buckets: null, spans: [] };
}

class PageLanes {
	/* times: PageTimes; own: the type that points are of */
	constructor(times, own, sel)
	{
		this.times = times;
		this.sel = sel;
		/* Intervals of all types, points of one. */
		this.list = times.types.flatMap((type) => times.parts(type).map(
			(part, i) => ({ part, isOwn: type === own,
					name: type.profiles[i][0].type })))
			.filter(({ part, isOwn }) => isOwn || part.lasts);
		this.b = times.buckets(times.extent(this.list.map((r) => r.part), sel),
				       sel);
		this.lanes = new Map();
		this.states = [];
		for (const row of this.list)
			this.add(row);
		this.finish();
	}

	stateOf(text, waits)
	{
		const i = this.states.findIndex((s) => s.text === text);

		return i < 0 ? this.states.push({ text, waits }) - 1 : i;
	}

	/* The lane of a group and its part, by state. */
	placeOf(group, part, name)
	{
		const { times } = this;
		const process = times.label(group, "process");
		const thread = times.label(group, "thread");
		const label = times.label(group, "state");
		const state = label === "(no state)" ?
			this.stateOf(name, part.waits) :
			this.stateOf(label, Boolean(times.times.waits[
				times.times.texts.indexOf(label)]));
		const key = `${process}\n${thread}`;

		if (!this.lanes.has(key))
			this.lanes.set(key, { process, thread, parts: new Map(),
				first: Infinity, last: -Infinity });
		const lane = this.lanes.get(key);

		if (!lane.parts.has(state))
			lane.parts.set(state, newLanePart(state));
		return { lane, own: lane.parts.get(state) };
	}

	add({ part, name })
	{
		const of = new Map();

		this.times.each(part, this.sel, (_, s, time, length, value) => {
			const g = part.group[s];

			if (!of.has(g))
				of.set(g, this.placeOf(g, part, name));
			const { lane, own } = of.get(g);

			lane.first = Math.min(lane.first, time);
			lane.last = Math.max(lane.last, time + (length || 1));
			if (part.lasts) {
				own.spans.push([time, time + length]);
				own.time += length;
				return;
			}
			own.buckets ||= new Float64Array(this.b.nr);
			own.buckets[this.b.at(time)]++;
			own.points++;
			if (value > 0)
				own.time += value * part.unit_ns;
		});
	}

	finish()
	{
		for (const lane of this.lanes.values()) {
			const parts = [...lane.parts.values()].sort((a, b) =>
				b.time - a.time || b.points - a.points ||
				a.state - b.state);
			const sum = (key, waits) => parts.reduce((a, p) => a +
				(waits === undefined ||
				 this.states[p.state].waits === waits ? p[key] : 0), 0);

			lane.parts = parts;
			lane.busy = sum("time", false);
			lane.waiting = sum("time", true);
			lane.points = sum("points");
			lane.intervals = parts.reduce((a, p) => a + p.spans.length, 0);
		}
		const most = [...this.lanes.values()].reduce(
			(a, l) => Math.max(a, l.points), 0);

		this.pointNs = most ? (this.b.to - this.b.from) / most : 0;
	}

	/* A point that stands for more time than a bucket has fills those after
	 * it, too, up to the next point. */
	shadePoints(p, ns)
	{
		const { b } = this;
		const isKnown = p.time && !p.spans.length;
		const each = isKnown ? p.time / p.points : this.pointNs;
		let rest = 0;

		for (let i = 0; p.buckets && i < b.nr; i++) {
			const length = b.begin(i + 1) - b.begin(i);

			if (p.buckets[i]) {
				ns[i] += each * p.buckets[i];
				rest = isKnown ? each : 0;
			} else if (rest > 0) {
				ns[i] += length;
			}
			rest -= length;
		}
	}

	/* A wait too short for the clock is still one. */
	shadeSpan([from, to], ns)
	{
		const { b } = this;
		const last = to > from ? b.at(to - 1) : b.at(from);

		for (let i = b.at(from); i <= last; i++)
			ns[i] += Math.min(to, b.begin(i + 1)) -
				Math.max(from, b.begin(i)) || 1;
	}

	/* Per bucket the state that lasts longest, and its share. */
	cells(lane)
	{
		const { b } = this;
		const out = [];

		for (let i = 0; i < b.nr; i++)
			out.push(-1, 0);
		for (const p of lane.parts) {
			const ns = new Float64Array(b.nr);

			this.shadePoints(p, ns);
			for (const span of p.spans)
				this.shadeSpan(span, ns);
			for (let i = 0; i < b.nr; i++) {
				const share = ns[i] / (b.begin(i + 1) - b.begin(i));

				if (share > out[2 * i + 1]) {
					out[2 * i] = p.state;
					out[2 * i + 1] = Math.min(1, share);
				}
			}
		}
		return out;
	}
}

const LANE_ORDERS = {
	busy: (a, b) => b.busy - a.busy || b.points - a.points ||
		b.waiting - a.waiting || LANE_ORDERS.name(a, b),
	name: (a, b) => (`${a.process}\n${a.thread}` < `${b.process}\n${b.thread}` ?
		-1 : 1),
};

export function pageLanes(times, type, sel)
{
	const all = new PageLanes(times, type, { columns: 800, ...sel });
	const match = filterOf(sel.match);
	const limit = sel.limit || 200;
	const list = [...all.lanes.values()].filter((l) => !match ||
		match.test(l.thread) || match.test(l.process))
		.sort(LANE_ORDERS[sel.sort || "busy"]);

	return {
		...times.axis(all.b), point_ns: all.pointNs, states: all.states,
		nr: list.length,
		lanes: list.slice(0, limit).map((lane) => ({ ...lane,
			where: ["process", "thread"].map((l) => labelWhere(l, lane[l]))
				.join(","), cells: all.cells(lane),
			parts: lane.parts.map(({ state, time, points }) =>
				({ state, time, points })) })),
		rest: { nr: Math.max(0, list.length - limit), busy: list.slice(limit)
			.reduce((a, l) => a + l.busy, 0) },
		untimed: 0,
	};
}

/* --- observations one by one --- */

/* For each column and depth the longest, the first of equal ones, with fewer
 * columns until they fit. */
function thinChart(rows, tree, range, columns, limit)
{
	for (let nr = columns;; nr = Math.ceil(nr / 2)) {
		const width = Math.ceil((range.to - range.from) / nr);
		const kept = new Map();

		for (const row of rows) {
			const key = Math.floor(Math.max(0, row.time - range.from) /
				width) * CHART_DEPTHS +
				Math.min(CHART_DEPTHS - 1, tree.depth[row.node]);
			const old = kept.get(key);

			if (!old || row.length > old.length ||
			    (row.length === old.length && row.time < old.time))
				kept.set(key, row);
		}
		if (kept.size <= limit || nr === 1)
			return [...kept.values()];
	}
}

/* How long a point stands for: its period, or the usual distance. */
function chartStep(type, rows, nr, range)
{
	if (type.period > 1 && /^(ns|nanoseconds)$/.test(type.period_unit))
		return type.period;
	if (rows.length < nr)
		return Math.floor((range.to - range.from) / nr);
	const points = rows.filter((r) => !r.length).map((r) => r.time);
	const gaps = Float64Array.from(points.slice(1), (t, i) => t - points[i])
		.filter((g) => g > 0).sort();

	return gaps.length ? gaps[Math.floor(gaps.length / 2)] : 0;
}

/* tree: of the type, with frames, as its nodes are numbered */
export function pageChart(times, type, sel, tree)
{
	const rows = [];
	const parts = times.parts(type);
	const asked = times.range(sel);
	const all = times.extent(parts, { ...sel, from: "", to: "" });
	const from = asked.from === -Infinity ? all?.from : asked.from;
	const to = asked.to === Infinity ? all?.to : asked.to;
	const range = all && from < to ? { from, to } : { from: 0, to: 0 };

	for (const part of parts)
		times.each(part, sel, (_, s, time, length, value) => rows.push(
			{ time, length, value, node: part.node[s] }), false);
	const limit = sel.limit || 50000;
	const shown = (rows.length > limit ? thinChart(rows, tree, range,
		sel.columns || 1000, limit) : rows.slice()).sort((a, b) =>
		a.time - b.time || b.length - a.length || a.node - b.node);

	return { type: type.type, unit: type.unit, from: range.from, to: range.to,
		 nr: rows.length, shown: shown.length,
		 step: chartStep(type, shown, rows.length, range), tree,
		 at: shown.flatMap((r) => [r.time, r.length, r.node]) };
}
