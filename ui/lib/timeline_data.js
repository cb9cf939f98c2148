// SPDX-License-Identifier: Apache-2.0
/* What the timeline has loaded: the lanes over all the time, the lanes of what
 * is in view at the resolution of the screen, the boxes of open lanes, spans. */
import { linesOf } from "./state.js";
import { rangeParams } from "./time_axis.js";
import { labelWhere, laneKey, layoutSpans } from "./lane_rows.js";
import { ChartBoxes } from "./flame_chart.js";
import { fillSelect } from "./dom.js";
import { counted, number, patternOf } from "./text.js";

const FEW_LANES = 200;
const MOST_LANES = 2000;
const MOST_CELLS = 400000; /* of all lanes */
const MOST_BOXES = 50000;
const MOST_PARTS = 8; /* requests for a lane */

export class TimelineData {
	constructor(view)
	{
		this.view = view;
		this.app = view.app;
		this.wide = null;
		this.fine = null;
		this.charts = new Map(); /* by lane */
		this.spanRows = 0;
		this.spansCut = false;
		this.asked = "";
	}

	params(columns, limit)
	{
		const { state } = this.app;

		return { ...this.app.timelessSelection(), columns, limit,
			 match: state.lanes ? patternOf(state.lanes) : "",
			 sort: state.lane_sort || "busy" };
	}

	columns()
	{
		const v = this.view;

		return Math.max(60, Math.min(2000, Math.round(
			(v.width - v.gutter) * (devicePixelRatio || 1))));
	}

	/* All the time, unless it is there already. */
	async load(signal)
	{
		const key = JSON.stringify([this.params(0, 0),
					    this.app.overview.duration]);

		if (key === this.asked)
			return;
		let data = await this.app.source.lanes(
			this.params(this.columns(), FEW_LANES), signal);

		if (data.nr > data.lanes.length)
			data = await this.app.source.lanes(this.params(
				Math.max(100, Math.min(this.columns(), Math.floor(
					MOST_CELLS / Math.min(data.nr, MOST_LANES)))),
				MOST_LANES), signal);
		if (signal.aborted)
			return;
		this.asked = key;
		this.wide = data;
		this.view.extend(data.range_to);
		this.fine = null;
		this.charts = new Map();
		this.spansOf = null;
		this.view.arrived(data);
		this.say();
	}

	say()
	{
		const { nr, lanes } = this.wide;

		if (nr > lanes.length)
			this.app.say(`the busiest ${number(lanes.length)} of ` +
				`${number(nr)} threads; filter by name for others`);
		else
			this.app.say(counted(nr, "thread"));
	}

	async loadFine(signal)
	{
		const { window } = this.view;

		if (window.isWhole) {
			this.fine = null;
			this.link();
			return;
		}
		if (this.fine && this.fine.sight.from === window.from &&
		    this.fine.sight.to === window.to)
			return;
		const nr = Math.max(1, this.wide.lanes.length);
		const [from, to] = [window.from, window.to];
		const data = await this.app.source.lanes({
			...this.params(Math.max(100, Math.min(this.columns(),
				Math.floor(MOST_CELLS / nr))), MOST_LANES),
			...rangeParams(from, to) }, signal);

		if (signal.aborted)
			return;
		this.fine = data;
		/* Cells begin at the first observation; before it is nothing. */
		data.sight = { from, to };
		this.link();
		this.view.arrived(data);
	}

	/* Lanes keep their place while one zooms: those of all the time know
	 * their cells of what is in view. */
	link()
	{
		const byKey = new Map();

		for (const lane of this.fine ? this.fine.lanes : [])
			byKey.set(laneKey(lane), lane);
		this.unify();
		for (const lane of this.wide.lanes)
			lane.fine = byKey.get(laneKey(lane)) || null;
	}

	/* States have the numbers of the wide data, so that colours stay. */
	unify()
	{
		const { wide, fine } = this;

		if (!fine || fine.unified)
			return;
		const to = fine.states.map((s) => {
			const i = wide.states.findIndex((w) => w.text === s.text);

			return i < 0 ? wide.states.push(s) - 1 : i;
		});

		for (const lane of fine.lanes) {
			for (let c = 0; c < lane.cells.length; c += 2)
				if (lane.cells[c] >= 0)
					lane.cells[c] = to[lane.cells[c]];
			for (const p of lane.parts)
				p.state = to[p.state];
		}
		fine.states = wide.states;
		fine.unified = true;
		this.view.ink.recolour(wide);
	}

	/* --- open lanes --- */

	async loadCharts(signal)
	{
		const wanted = new Set(linesOf(this.app.state.open));
		const lanes = this.wide.lanes.filter((l) => wanted.has(laneKey(l)));

		for (const key of [...this.charts.keys()])
			if (!wanted.has(key))
				this.charts.delete(key);
		await Promise.all(lanes.map((l) => this.loadChart(l, signal)));
	}

	async loadChart(lane, signal)
	{
		const { window } = this.view;
		const key = laneKey(lane);
		const old = this.charts.get(key);
		const span = window.to - window.from;
		const range = { from: Math.max(0, window.from - span),
				to: Math.min(window.all, window.to + span) };

		if (old && old.from <= window.from && old.to >= window.to &&
		    (old.whole || span > old.span * 0.6))
			return;
		const none = (text) => this.charts.set(
			key, { parts: [], deep: 0, from: 0, to: 0, text });

		if (!old)
			none("Loading\u2026");
		try {
			const all = this.chartParts(lane);
			const parts = await Promise.all(all.slice(0, MOST_PARTS)
				.map((p) => this.ask(lane, p, range, signal)));

			if (!signal.aborted)
				this.setChart(lane, old, parts, range, span);
			if (all.length > MOST_PARTS)
				this.app.say(`${all.length - MOST_PARTS} more ` +
					"kinds of waits are not drawn; choose " +
					"their type to see them");
		} catch (e) {
			if (signal.aborted)
				throw e;
			none(e.message);
		}
	}

	setChart(lane, old, parts, range, span)
	{
		const shown = parts.filter((b, i) => b.shown && (!i || b.lasts));
		const cut = parts.filter((b) => b.shown < b.nr);
		const rows = Math.max(0, ...shown.map((b) => b.rows.length));
		const text = shown.length ? "" :
			`No stacks of ${this.app.type().type} here.`;

		this.charts.set(laneKey(lane), {
			parts: shown, ...range, span, text,
			deep: Math.max(old ? old.deep : 0, rows),
			whole: !cut.length });
		if (cut.length)
			this.app.say(`${number(cut[0].shown)} of ` +
				`${number(cut[0].nr)} observations are drawn; ` +
				"zoom in for all");
	}

	/* What the boxes of a lane come from: the type that is shown, and its
	 * waits. A state has the name of a type, or it is a label, and then any
	 * type of a time may have the intervals. */
	chartParts(lane)
	{
		const { types } = this.app.overview;
		const own = this.app.type();
		const lasting = types.filter((t) => t !== own && t.timed &&
			/^(ns|nanoseconds)$/.test(t.unit) &&
			!/^(cpu|wall|samples)$/.test(t.type));
		const list = [{ type: own, state: -1 }];

		for (const { state } of lane.parts) {
			const { text, waits } = this.wide.states[state];
			const named = types.find((t) => t.type === text);

			if (named === own)
				list[0].state = waits ? state : -1;
			else if (named && named.timed)
				list.push({ type: named, state });
			else if (lane.intervals && waits)
				list.push(...lasting.map((type) => ({ type, state,
					where: labelWhere("state", text) })));
		}
		return list;
	}

	async ask(lane, { type, state, where }, range, signal)
	{
		const sel = this.app.timelessSelection();
		const answer = await this.app.source.chart({
			...sel, type: type.select,
			where: [sel.where, lane.where, where].filter((w) => w)
				.join(","),
			columns: this.columns(), limit: MOST_BOXES,
			...rangeParams(range.from, range.to) }, signal);

		return new ChartBoxes(answer, state);
	}

	/* --- spans --- */

	async loadSpans(signal)
	{
		const { app, view } = this;
		const has = app.labels().some(
			(l) => l.name === "span" || l.name === "trace");
		const trace = app.state.trace || "";
		const { window } = view;
		const key = `${trace} ${window.from} ${window.to}`;

		if (!has || key === this.spansOf)
			return;
		const sel = { ...this.app.timelessSelection(), limit: MOST_LANES };

		if (trace)
			sel.trace = trace;
		else if (!window.isWhole)
			Object.assign(sel, rangeParams(window.from, window.to));
		try {
			const answer = await app.source.spans(sel, signal);

			if (signal.aborted)
				return;
			view.spans = answer.spans;
			this.spansCut = Boolean(answer.rest && answer.rest.nr);
		} catch (e) {
			if (signal.aborted)
				throw e;
			view.spans = [];
			app.say(e.message);
		}
		this.spansOf = key;
		this.spanRows = layoutSpans(view.spans);
		this.loadTraces(signal);
	}

	/* The traces to choose from, those with most of the value first. */
	async loadTraces(signal)
	{
		if (this.traces)
			return;
		try {
			this.traces = await this.app.source.traces(
				{ ...this.app.timelessSelection(), limit: 200 }, signal);
		} catch {
			return;
		}
		fillSelect(this.view.traceList, this.traces.traces.map(
			(t) => [t.trace, this.app.valueText(t.value)]));
	}
}
