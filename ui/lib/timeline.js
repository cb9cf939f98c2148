// SPDX-License-Identifier: Apache-2.0
/* timeline.js: what each thread did when. A thread has a lane; an open lane has
 * its observations below as boxes over time. A rectangle of time and threads
 * becomes a flame graph. */
import { isTouched, make, makeButton, makeChip, makeInput, makeSelect, makeToggle, setPressed } from "./dom.js";
import { linesOf, withLine, withoutLine } from "./state.js";
import { counted, number, percent, quoted, regexOf } from "./text.js";
import { nextMatch } from "./head.js";
import { TimeScale, TimeWindow, rangeState, stateRange } from "./time_axis.js";
import { Painter, Reloader, noTimes, part } from "./time_parts.js";
import { LaneRows, MOST_SPAN_ROWS, anyWhere, laneKey } from "./lane_rows.js";
import { AXIS_HIGH, TimelinePainter } from "./timeline_paint.js";
import { TimelineMouse, timelineKey } from "./timeline_input.js";
import { TimelineData } from "./timeline_data.js";
import { laneDetail, boxDetail, spanDetail } from "./timeline_detail.js";

const GUTTER = 216;
const WIDE_GUTTER = 264; /* where there is room for it */
const WIDE_LANES = 1300;
const NARROW_LANES = 640; /* where labels stand above their lanes */

export class TimelineView {
	static key = "timeline";
	static title = "Timeline";

	takes = "d"; /* keys that are the page's elsewhere */

	keys = [
		["W, S or wheel", "zoom in and out where the pointer is"],
		["A, D or drag", "move in time; Shift and the wheel too"],
		["up, down", "go from lane to lane"],
		["Enter or click", "open a lane: its stacks over time"],
		["f", "flame graph of the lane and the time in view"],
		["Shift-drag", "flame graph of a rectangle; x: without Shift, " +
			"Esc: not any more"],
		["0", "all the time there is"],
	];

	touches = [
		["tap, tap again", "numbers of a lane, then its stacks"],
		["drag, two fingers", "move in time, zoom"],
		["Select and drag", "flame graph of a rectangle"],
	];

	hint = isTouched() ?
		"Tap a lane for its numbers, tap it again to see its stacks. Two " +
		"fingers zoom, Select and a drag select time and threads." :
		"Point at a lane for its numbers, click it to see its stacks. The " +
		"wheel zooms, Shift and a drag select time and threads.";

	constructor(app)
	{
		this.app = app;
		this.canvas = make("canvas", undefined, "timeline-canvas");
		this.room = make("div", undefined, "timeline-room");
		this.scroller = part("div", "timeline-scroll", this.canvas, this.room);
		this.scroller.tabIndex = 0;
		this.scroller.setAttribute("role", "application");
		this.scroller.setAttribute("aria-label", "Timeline of threads");
		this.element = part("div", "timeline", this.scroller);
		this.rows = new LaneRows();
		this.window = new TimeWindow(1);
		this.data = new TimelineData(this);
		this.picture = null;
		this.ink = new TimelinePainter(this);
		this.painter = new Painter(() => this.wide && this.ink.paint());
		this.reloader = new Reloader((signal) => this.refine(signal));
		this.gutter = 0;
		this.selecting = false;
		this.selected = -1;
		this.hoverRow = -1;
		this.hoverX = -1;
		this.hoverBox = null;
		this.area = null;
		this.spans = [];
		this.makeTools();
		this.mouse = new TimelineMouse(this);
		this.scroller.addEventListener("scroll", () => this.painter.soon());
	}

	makeTools()
	{
		const { app } = this;
		let timer = 0;

		this.filter = makeInput("lane-filter", "Threads (regex)",
					"Show threads by name");
		this.filter.type = "search";
		this.filter.addEventListener("input", () => {
			clearTimeout(timer);
			timer = setTimeout(() => app.go(
				{ lanes: this.filter.value }, { replace: true }), 250);
		});
		this.sort = makeSelect("lane-sort", "Order of lanes",
			[["", "busiest first"], ["name", "by name"]],
			(value) => app.go({ lane_sort: value }));
		this.trace = makeInput("trace", "Trace", "Show the spans of a trace");
		this.trace.setAttribute("list", "trace-list");
		this.trace.addEventListener("change", () => app.go(
			{ trace: this.trace.value.trim() }));
		this.traceList = make("datalist");
		this.traceList.id = "trace-list";
		this.picker = makeToggle("area", "Select",
			"Select a rectangle of time and threads (x, or Shift-drag)",
			() => this.setSelecting(!this.selecting));
		this.tools = [this.filter, this.sort, this.trace, this.traceList,
			      this.picker,
			      makeButton("All", "Show all the time (0)",
					 () => this.zoomHome())];
	}

	setSelecting(on)
	{
		this.selecting = on;
		setPressed(this.picker, on);
		this.canvas.style.cursor = on ? "crosshair" : "";
		this.canvas.style.touchAction = on ? "none" : "";
	}

	/* --- what the data layer has --- */

	get wide()
	{
		return this.data.wide;
	}

	get fine()
	{
		return this.data.fine;
	}

	async show(signal)
	{
		const { app } = this;
		const { overview, state } = app;

		const none = noTimes(app, this);

		app.full();
		if (none) {
			this.element.replaceChildren(none);
			return;
		}
		this.fillTools();
		this.element.replaceChildren(this.scroller);
		if (this.overview !== overview) {
			this.overview = overview;
			this.scale = new TimeScale(overview);
			this.window = new TimeWindow(overview.duration);
		}
		this.window.home = app.span();
		this.extend(0);
		const at = stateRange(state, this.window.all, "time.") ||
			this.range() || this.window.home;

		this.window.set(at.from, at.to);
		this.resize();
		await this.data.load(signal);
		if (signal.aborted)
			return;
		await this.reloader.now(signal);
		this.lay();
		this.search();
		this.legend();
	}

	fillTools()
	{
		const { state } = this.app;
		const hasTraces = this.app.labels().some(
			(l) => l.name === "trace" || l.name === "span");

		if (document.activeElement !== this.filter)
			this.filter.value = state.lanes || "";
		this.sort.select.value = state.lane_sort || "";
		this.trace.value = state.trace || "";
		this.trace.hidden = !hasTraces;
	}

	/* What is in view, at its own resolution. */
	async refine(signal)
	{
		this.app.history.write(true);
		await Promise.all([this.data.loadFine(signal),
				   this.data.loadSpans(signal),
				   this.data.loadCharts(signal)]);
		if (signal.aborted)
			return;
		this.lay();
		this.search();
		this.detail();
	}

	/* The time in view belongs to the address, but not to its history. It is
	 * in the state at once: what else changes that would bring back the time
	 * before. */
	remember()
	{
		const { from, to, all, home } = this.window;
		const r = this.range();
		const plain = r ? Math.abs(from - r.from) < 1 &&
			Math.abs(to - r.to) < 1 : this.window.isHome;
		const want = plain ? { "time.from": "", "time.to": "" } :
			rangeState(from, to, r || home.to - home.from < all ?
				Infinity : all, "time.");

		this.app.history.keep(want);
	}

	lay()
	{
		const open = this.data.charts;

		this.rows.set(this.wide ? this.wide.lanes : [], open,
			      this.data.spanRows);
		this.resize();
	}

	resize()
	{
		this.width = this.scroller.clientWidth;
		this.height = this.scroller.clientHeight;
		this.gutter = this.width < NARROW_LANES ? 0 :
			this.width < WIDE_LANES ? GUTTER : WIDE_GUTTER;
		this.rows.setNarrow(!this.gutter);
		this.app.strip?.resize();
		this.room.style.height = `${Math.max(0, this.rows.tall +
			AXIS_HIGH + 8 - this.height)}px`;
		this.painter.soon();
	}

	theme(dark)
	{
		this.ink.setTheme(dark);
		this.painter.soon();
		if (this.app.view === this)
			this.legend();
	}

	legend()
	{
		const { states, colours } = this.wide || {};

		if (states)
			this.app.legend(states.map((s, i) =>
				makeChip(colours[i], s.text)));
	}

	/* New cells: of all the time, or of what is in view. */
	arrived(data)
	{
		if (this.ink.dark !== this.app.dark)
			this.ink.setTheme(this.app.dark);
		this.ink.prepare(data);
		this.painter.soon();
	}

	/* --- time --- */

	get scrollTop()
	{
		return this.scroller.scrollTop;
	}

	range()
	{
		return stateRange(this.app.state, this.window.all);
	}

	time(x)
	{
		return this.window.from + (x - this.gutter) *
			(this.window.to - this.window.from) /
			Math.max(1, this.width - this.gutter);
	}

	/* Whether the cells of what is in view are all there. */
	covers()
	{
		const sight = this.fine && this.fine.sight;

		return sight && sight.from <= this.window.from &&
			sight.to >= this.window.to;
	}

	/* What a lane did in view, if that is known by now. */
	numbers(lane)
	{
		const f = this.fine;

		if (!f)
			return lane;
		return lane.fine || { busy: 0, waiting: 0, points: 0,
				      intervals: 0, parts: [] };
	}

	/* Both axes of time end at the same place. */
	extend(to)
	{
		const { duration } = this.overview;

		this.window.extend(to, duration);
		this.app.strip?.window.extend(this.window.all, duration);
	}

	moved()
	{
		this.remember();
		this.painter.soon();
		this.app.strip?.painter.soon();
		this.reloader.after(160);
	}

	zoom(by, x)
	{
		this.window.scale(by, Math.max(0, x - this.gutter) /
				  Math.max(1, this.width - this.gutter));
		this.moved();
	}

	pan(pixels)
	{
		this.window.pan(pixels * (this.window.to - this.window.from) /
				Math.max(1, this.width - this.gutter));
		this.moved();
	}

	zoomHome()
	{
		this.window.reset();
		this.moved();
	}

	zoomTo(from, to)
	{
		this.window.set(from, to);
		this.moved();
	}

	/* --- lanes --- */

	/* Opens or closes a lane. Which are open is in the address. */
	toggle(row)
	{
		const { app } = this;

		if (!row || row.kind !== "lane")
			return;
		const key = laneKey(row.lane);

		app.go({ open: linesOf(app.state.open).includes(key) ?
			withoutLine(app.state.open, key) :
			withLine(app.state.open, key) }, { replace: true });
	}

	select(i)
	{
		const row = this.rows.list[i];

		this.selected = i;
		if (!row)
			return;
		const top = this.scroller.scrollTop;
		const bottom = row.y + this.rows.height(row) + AXIS_HIGH;

		if (row.y < top)
			this.scroller.scrollTop = row.y;
		else if (bottom > top + this.height)
			this.scroller.scrollTop = Math.min(row.y,
				bottom - this.height);
		this.detail();
		this.painter.soon();
	}

	spansTitle()
	{
		const n = this.spans.length;

		if (this.data.spansCut)
			return `Spans (the first ${number(n)})`;
		const hidden = this.spans.filter((s) => s.row >= MOST_SPAN_ROWS);

		return hidden.length ? `Spans (${number(hidden.length)} of ` +
			`${number(n)} have no room)` : "Spans";
	}

	/* The details of what is pointed at, or selected. */
	detail()
	{
		const { app } = this;
		const row = this.rows.list[this.hoverRow] ||
			this.rows.list[this.selected];

		if (this.hoverSpan)
			app.detail(spanDetail(this, this.hoverSpan));
		else if (this.hoverBox)
			app.detail(boxDetail(this, this.hoverBox));
		else if (row && row.kind === "lane")
			app.detail(laneDetail(this, row.lane, this.hoverX));
		else
			app.detail(null);
	}

	/* --- to other views --- */

	/* A rectangle as a flame graph. */
	take(area)
	{
		const { app } = this;
		const lanes = this.lanesOf(area);
		const all = lanes.length === this.wide.nr;
		const where = all || !lanes.length ? "" :
			anyWhere(lanes.map((l) => l.where));

		if (where === null) {
			app.say("Threads of several processes cannot be selected " +
				"together: select those of one process.");
			return;
		}
		app.go({ view: "flame", zoom: "",
			 ...rangeState(area.from, area.to, this.window.all),
			 where: where ? withLine(app.state.where, where) :
				app.state.where || "" });
	}

	lanesOf(area)
	{
		return this.rows.list.filter((r) => r.kind === "lane" &&
			r.y < area.bottom && r.y + this.rows.height(r) > area.top)
			.map((r) => r.lane);
	}

	areaNote(area)
	{
		return [this.scale.range(area.from, area.to),
			counted(this.lanesOf(area).length, "thread")];
	}

	/* The flame graph of one lane, of the time in view. */
	flameOf(lane)
	{
		this.app.go({ view: "flame", zoom: "",
			      ...rangeState(this.window.from, this.window.to,
					    this.window.all),
			      where: withLine(this.app.state.where, lane.where) });
	}

	filterSpan(span)
	{
		this.app.go({ where: withLine(this.app.state.where,
			`span=${quoted(span.span)}`) });
	}

	/* --- search --- */

	search()
	{
		const text = this.app.state.search;
		const regex = text ? regexOf(text) : null;
		const was = this.searched === text && this.found?.[this.foundAt];

		this.searched = text;
		this.found = [];
		this.shares = { nr: 0, time: 0, all: 0 };
		for (const chart of this.data.charts.values())
			for (const boxes of chart.parts) {
				boxes.matches = regex && Uint8Array.from(
					boxes.frames.name,
					(n, i) => i > 0 && regex.test(n));
				if (regex)
					this.findBoxes(boxes);
			}
		this.found.sort((a, b) => a.from - b.from);
		this.foundAt = was ? this.found.findIndex(
			(b) => b.from === was.from && b.to === was.to) : -1;
		this.app.head.found(!regex ? "" : this.data.charts.size ?
			this.foundText() : "open a lane to search it",
				    "Share of the time of all stacks in view");
		this.painter.soon();
	}

	foundText()
	{
		const { nr, time, all } = this.shares;

		return `${percent(time, all)} of time \u00b7 ${this.foundAt < 0 ?
			`${number(nr)} in view` : `${number(this.foundAt + 1)} of ` +
			number(this.found.length)}`;
	}

	/* The outermost boxes that match, and the time in view of them and of
	 * all. */
	findBoxes(boxes)
	{
		const { shares, window } = this;
		const timeOf = (b) => Math.max(0, Math.min(b.to, window.to) -
			Math.max(b.from, window.from));
		let found = []; /* in order of time */

		boxes.rows.forEach((row, d) => {
			const more = [];
			let k = 0;

			for (let i = 0; i < row.node.length; i++) {
				const box = { from: row.from[i], to: row.to[i] };

				shares.all += d ? 0 : timeOf(box);
				if (!boxes.matches[boxes.tree.frame[row.node[i]]])
					continue;
				while (found[k]?.to <= box.from)
					k++;
				if (!(found[k]?.from <= box.from))
					more.push(box);
			}
			if (more.length)
				found = found.concat(more).sort(
					(a, b) => a.from - b.from);
		});
		for (const box of found) {
			shares.time += timeOf(box);
			shares.nr += timeOf(box) > 0;
		}
		this.found = this.found.concat(found);
	}

	/* To the next box that matches, in order of time. */
	walk(by)
	{
		const n = this.found?.length;

		if (!n)
			return;
		this.foundAt = nextMatch(this.foundAt, by, n);
		const box = this.found[this.foundAt];
		const span = Math.max(this.window.to - this.window.from > (box.to -
			box.from) * 40 ? (box.to - box.from) * 20 : 0, 1000);
		const at = (box.from + box.to) / 2;
		const wide = span > 1000 ? span : this.window.to - this.window.from;

		this.app.head.found(this.foundText());
		this.zoomTo(at - wide / 2, at + wide / 2);
	}

	key(e)
	{
		return timelineKey(this, e);
	}

	focus()
	{
		this.scroller.focus();
	}

	leave()
	{
		this.reloader.stop();
	}
}
