// SPDX-License-Identifier: Apache-2.0
/* heatmap.js: each second a column, in it the fractions of the second upwards,
 * as FlameScope has it. A selection from one cell to another becomes a flame
 * graph, a second one the difference of both. */
import { isTouched, make, makeButton, makeSelect, makeToggle, setPressed } from "./dom.js";
import { counted, duration, number } from "./text.js";
import { TimeScale, rangeParams, rangeState, stateRange } from "./time_axis.js";
import { Painter, TIME_FONT, fitCanvas, listenGestures, noTimes, part, partMessage, timeInk } from "./time_parts.js";

const HEAT_LEFT = 58;
const HEAT_BOTTOM = 26;
const HEAT_TOP = 8;
const HEAT_RIGHT = 14;

/* Widths of a column and how many rows it has. */
const HEAT_SCALES = [
	["100ms", "0.1 s per column", 1e8, 50],
	["1s", "1 s per column", 1e9, 50],
	["5s", "5 s per column", 5e9, 50],
	["1min", "1 min per column", 60e9, 60],
	["1h", "1 h per column", 3600e9, 60],
];
const HEAT_COLUMNS = 240; /* what one likes to see at once */

/* From little to much; lightness alone tells them apart too. */
const HEAT_LIGHT = ["#fee8c8", "#fdd49e", "#f9b166", "#ee7f3a", "#cf4d20",
		    "#9c2a14", "#5e130c"];
const HEAT_DARK = ["#452a1d", "#66371f", "#8a441f", "#c4612a", "#ec8d45",
		   "#fabf7b", "#fff1d6"];

function heatColour(part, dark)
{
	const list = dark ? HEAT_DARK : HEAT_LIGHT;
	const at = Math.min(1, Math.max(0, part)) * (list.length - 1);
	const i = Math.min(list.length - 2, Math.floor(at));
	const mix = [1, 3, 5].map((k) => {
		const a = parseInt(list[i].slice(k, k + 2), 16);
		const b = parseInt(list[i + 1].slice(k, k + 2), 16);

		return Math.round(a + (b - a) * (at - i));
	});

	return `rgb(${mix.join(" ")})`;
}

export class HeatmapView {
	static key = "heatmap";
	static title = "Heat map";
	static ownTime = true;

	keys = [
		["drag, or two clicks", "select from one time to another"],
		["Enter", "flame graph of the selection, or of the difference"],
		["c or Ctrl-drag", "select a second range to compare with"],
		["arrows", "move the selection; with Shift make it longer"],
		["Esc", "no selection"],
	];

	touches = [["tap, tap elsewhere", "select from one time to another"]];

	hint = isTouched() ? "Tap a cell for its time and its observations." :
		"Point at a cell for its time and its observations. Press ? for " +
		"all keys.";

	constructor(app)
	{
		this.app = app;
		this.data = null;
		this.asked = "";
		this.hover = -1;
		this.anchor = null; /* the cell of the first of two clicks */
		this.drag = null;
		this.second = false;
		this.canvas = make("canvas", undefined, "heat-canvas");
		this.space = part("div", "heat-space");
		this.scroller = part("div", "heat-scroll", this.canvas, this.space);
		this.scroller.tabIndex = 0;
		this.scroller.setAttribute("role", "application");
		this.scroller.setAttribute("aria-label", "Heat map. Arrow keys move " +
			"the selection, Enter opens it.");
		this.bar = part("div", "heat-bar");
		this.element = part("div", "heat", this.bar, this.scroller);
		this.painter = new Painter(() => this.paint());
		this.scale = makeSelect("heat-scale", "Time of a column",
			HEAT_SCALES.map(([id, text]) => [id, text]),
			(value) => app.go({ column: value }));
		this.toggle = makeToggle("heat-second", "Compare",
			"Select a second range to compare with (c, or Ctrl)",
			() => this.setSecond(!this.second));
		this.tools = [this.scale, this.toggle];
		this.scroller.addEventListener("scroll", () => this.painter.soon());
		this.listen();
	}

	setSecond(on)
	{
		this.second = on;
		setPressed(this.toggle, on);
		this.fillBar();
	}

	/* --- data --- */

	async show(signal)
	{
		const { app } = this;
		const { overview } = app;

		const none = noTimes(app, this);

		app.full();
		if (none) {
			this.element.replaceChildren(none);
			return;
		}
		this.times = new TimeScale(overview);
		const [id, , width, rows] = this.scaleOf();

		this.scale.select.value = id;
		const params = { ...this.app.timelessSelection(), width, rows };
		const { from, to } = app.span();

		if (to - from < overview.duration)
			Object.assign(params, rangeParams(from, to));
		const key = JSON.stringify([params, overview.duration]);

		if (key !== this.asked) {
			const data = await app.source.heatmap(params, signal);

			if (signal.aborted)
				return;
			this.data = data;
			this.findLeast(data);
			this.asked = key;
		}
		if (this.data.max_count)
			this.element.replaceChildren(this.bar, this.scroller);
		else
			this.element.replaceChildren(partMessage("Nothing to show",
				"No observation of this type matches the filters. " +
				"Remove some of them, or choose another type."));
		this.say();
		this.fillBar();
		this.resize();
		this.legend();
	}

	/* The count where colours begin. A few cells may have less, such as the
	 * last one, which the data end in: the others would look all the same. */
	findLeast(data)
	{
		const list = data.counts.filter((n) => n).sort((a, b) => a - b);

		data.least = list[Math.floor(list.length / 50)] || 0;
		data.isLeast = data.least === list[0];
	}

	say()
	{
		const { counts, untimed } = this.data;
		const n = counts.reduce((a, b) => a + b, 0);

		this.app.say(counted(n, "observation") + (untimed?.observations ?
			`, and ${number(untimed.observations)} without a time` : ""));
	}

	/* The scale of the state, or the first whose columns fit. */
	scaleOf()
	{
		const { state } = this.app;
		const { from, to } = this.app.span();

		return HEAT_SCALES.find(([id]) => id === state.column) ||
			HEAT_SCALES.slice(1).find(([, , width]) =>
				(to - from) / width <= HEAT_COLUMNS) ||
			HEAT_SCALES[HEAT_SCALES.length - 1];
	}

	/* --- layout --- */

	resize()
	{
		const d = this.data;

		this.width = this.scroller.clientWidth;
		this.height = this.scroller.clientHeight;
		if (!d || !this.width)
			return;
		const room = this.width - HEAT_LEFT - HEAT_RIGHT;
		const tall = this.height - HEAT_TOP - HEAT_BOTTOM;

		this.cellWide = Math.max(4, Math.min(120, room / d.columns));
		this.cellHigh = Math.max(3, Math.min(16, Math.floor(tall / d.rows)));
		this.all = HEAT_LEFT + d.columns * this.cellWide + HEAT_RIGHT;
		this.space.style.width = `${Math.max(1, this.all)}px`;
		this.painter.soon();
	}

	theme()
	{
		this.painter.soon();
		if (this.app.view === this)
			this.legend();
	}

	cellNs()
	{
		return this.data.width / this.data.rows;
	}

	/* The number of the cell at a place, in order of time, or -1. */
	cellAt(x, y)
	{
		if (!this.data || x < HEAT_LEFT)
			return -1;
		const { rows } = this.data;
		const [c, r] = this.placeAt(x, y);
		const cell = c * rows + r;

		return r < 0 || r >= rows || cell >= this.end() ? -1 : cell;
	}

	/* The column and the row of a place. */
	placeAt(x, y)
	{
		return [Math.floor((x - HEAT_LEFT + this.scroller.scrollLeft) /
				   this.cellWide),
			this.data.rows - 1 - Math.floor((y - HEAT_TOP) /
							this.cellHigh)];
	}

	/* The times of some cells, from the first to the end of the last. */
	timesOf(a, b)
	{
		const d = this.data;

		return { from: d.from + Math.min(a, b) * this.cellNs(),
			 to: d.from + (Math.max(a, b) + 1) * this.cellNs() };
	}

	/* The cells of a time. */
	cellsOf(range)
	{
		const n = this.end();
		const cell = (ns) => (ns - this.data.from) / this.cellNs();

		return { first: Math.max(0, Math.floor(cell(range.from) + 1e-6)),
			 last: Math.min(n - 1, Math.ceil(cell(range.to) - 1e-6) - 1) };
	}

	countOf(range)
	{
		const { first, last } = this.cellsOf(range);
		let count = 0;
		let value = 0;

		for (let i = first; i <= last; i++) {
			count += this.data.counts[i];
			value += this.data.values[i];
		}
		return { count, value };
	}

	/* --- selections --- */

	prefix(second = this.second)
	{
		return second ? "before." : "";
	}

	range(second)
	{
		if (this.drag && this.drag.second === second)
			return this.timesOf(this.drag.from, this.drag.to);
		return stateRange(this.app.state, this.app.overview.duration,
				  this.prefix(second));
	}

	select(range, second)
	{
		this.app.go(range ? rangeState(range.from, range.to, Infinity,
					       this.prefix(second)) :
			{ [`${this.prefix(second)}from`]: "",
			  [`${this.prefix(second)}to`]: "" });
	}

	listen()
	{
		listenGestures(this.canvas, {
			press: (x, y, e) => {
				this.pressed = { cell: this.cellAt(x, y),
					second: this.second || e.ctrlKey || e.metaKey };
			},
			drag: (x, y) => this.dragTo(x, y),
			drop: () => this.drop(),
			click: (x, y, e) => this.click(x, y, e),
			cancel: () => {
				this.drag = null;
				this.painter.soon();
			},
			hover: (x, y) => this.point(this.cellAt(x, y)),
			leave: () => this.point(-1),
		});
		this.canvas.addEventListener("dblclick", () => this.open());
		this.canvas.addEventListener("wheel", (e) => {
			if (this.all > this.width && !e.shiftKey && !e.deltaX) {
				e.preventDefault();
				this.scroller.scrollLeft += e.deltaY;
			}
		}, { passive: false });
	}

	dragTo(x, y)
	{
		const { rows } = this.data;
		const [c, r] = this.placeAt(x, y);
		const cell = Math.max(0, Math.min(this.end() - 1, c * rows +
			Math.max(0, Math.min(rows - 1, r))));

		if (!this.pressed || this.pressed.cell < 0)
			return;
		this.anchor = null;
		this.drag = { from: this.pressed.cell, to: cell,
			      second: this.pressed.second };
		this.tell(this.timesOf(this.drag.from, cell));
		this.painter.soon();
	}

	drop()
	{
		const { drag } = this;

		this.drag = null;
		if (drag)
			this.select(this.timesOf(drag.from, drag.to), drag.second);
	}

	/* The first click begins, the second ends. */
	click(x, y, e)
	{
		const cell = this.cellAt(x, y);
		const second = this.second || e.ctrlKey || e.metaKey;

		if (cell < 0)
			return;
		this.point(cell);
		if (this.anchor && this.anchor.second === second) {
			const range = this.timesOf(this.anchor.cell, cell);

			this.anchor = null;
			this.drag = null;
			this.select(range, second);
		} else {
			this.anchor = { cell, second };
			this.drag = { from: cell, to: cell, second };
			this.fillBar();
		}
		this.painter.soon();
	}

	point(cell)
	{
		if (cell === this.hover)
			return;
		this.hover = cell;
		if (this.anchor && cell >= 0)
			this.drag = { from: this.anchor.cell, to: cell,
				      second: this.anchor.second };
		if (cell >= 0)
			this.tell(this.anchor ? this.timesOf(this.anchor.cell, cell) :
				this.timesOf(cell, cell));
		else
			this.app.detail(null);
		this.canvas.style.cursor = cell >= 0 ? "crosshair" : "default";
		this.painter.soon();
	}

	/* The numbers of a range, in the fixed place of details. */
	tell(range)
	{
		const { count, value } = this.countOf(range);
		const parts = [counted(count, "observation")];

		if (value !== count)
			parts.push(this.app.valueText(value));
		this.app.detail([make("div", this.times.range(range.from, range.to),
				      "name"),
				 make("div", parts.join(" \u00b7 "), "numbers")]);
	}

	/* --- what can be done with a selection --- */

	fillBar()
	{
		if (!this.data)
			return;
		const first = this.range(false);
		const second = this.range(true);

		this.bar.replaceChildren();
		if (this.anchor)
			this.bar.append(part("span", "quiet",
				`${isTouched() ? "Tap" : "Click"} where the range ` +
				"ends."));
		else if (!first && !second)
			this.bar.append(part("span", "quiet", isTouched() ?
				"Tap where a range begins and where it ends. " +
				"With Compare, a second range is compared with " +
				"the first." : "Drag, or click where a range " +
				"begins and where it ends. A second range (c, or " +
				"Ctrl) is compared with the first."));
		if (first)
			this.bar.append(this.chip("Selected", first, false));
		if (second)
			this.bar.append(this.chip("Before", second, true));
		if (first && second)
			this.bar.append(makeButton("Compare", "What is more and less " +
				"than before (Enter)", () => this.open(), "primary"));
		else if (first)
			this.bar.append(makeButton("Flame graph", "Of the selection " +
				"(Enter)", () => this.open(), "primary"));
		if (first && !second && !this.second)
			this.bar.append(makeButton("Compare with\u2026", "Select a " +
				"second range (c)", () => this.setSecond(true)));
	}

	chip(name, range, second)
	{
		const { count } = this.countOf(range);
		const chip = part("span", `heat-chip ${second ? "second" : ""}`,
				  part("b", "", name),
				  ` ${this.times.range(range.from, range.to)} \u00b7 ` +
				  `${number(count)}`);
		const close = makeButton("\u00d7", `Remove ${name}`, () => {
			this.setSecond(false);
			this.select(null, second);
		}, "cross");

		close.setAttribute("aria-label", `Remove selection ${name}`);
		chip.append(close);
		return chip;
	}

	open()
	{
		const { state } = this.app;

		if (!state.from && !state.to)
			return;
		if (state["before.from"] || state["before.to"])
			this.app.go({ view: "diff", zoom: "",
				      "before.where": state.where || "",
				      "before.file": state.file || "" });
		else
			this.app.go({ view: "flame", zoom: "" });
	}

	key(e)
	{
		const d = this.data;
		const run = {
			Enter: () => this.open(),
			c: () => this.setSecond(!this.second),
			ArrowUp: () => this.move(1, e.shiftKey),
			ArrowDown: () => this.move(-1, e.shiftKey),
			ArrowRight: () => this.move(d.rows, e.shiftKey),
			ArrowLeft: () => this.move(-d.rows, e.shiftKey),
			Escape: () => this.escape(),
		}[e.key];

		if (!run || !d || e.altKey)
			return false;
		run();
		return true;
	}

	escape()
	{
		this.anchor = this.drag = null;
		this.setSecond(false);
		this.app.go({ from: "", to: "", "before.from": "", "before.to": "" });
	}

	/* Moves the selection by some cells, or its end. */
	move(by, isEnd)
	{
		const n = this.end();
		const range = this.range(this.second);

		if (!range) {
			this.select(this.timesOf(0, 0), this.second);
			return;
		}
		let { first, last } = this.cellsOf(range);

		if (isEnd) {
			last = Math.max(first, Math.min(n - 1, last + by));
		} else {
			const step = Math.max(-first, Math.min(n - 1 - last, by));

			first += step;
			last += step;
		}
		const now = this.timesOf(first, last);

		this.app.go(rangeState(now.from, now.to, Infinity, this.prefix()),
			    { replace: true });
		this.tell(now);
		this.reveal(last);
	}

	reveal(cell)
	{
		const x = Math.floor(cell / this.data.rows) * this.cellWide;
		const left = this.scroller.scrollLeft;
		const room = this.width - HEAT_LEFT - HEAT_RIGHT;

		if (x < left || x > left + room - this.cellWide)
			this.scroller.scrollLeft = x - room / 2;
	}

	focus()
	{
		this.scroller.focus();
	}

	/* --- painting --- */

	legend()
	{
		const { least, isLeast, max_count: max } = this.data || {};
		const bar = part("span", "heat-legend");
		const isRange = least < max;

		for (let i = 0; i < (isRange ? 14 : 1); i++) {
			const cell = make("i");

			cell.style.background = heatColour(isRange ? i / 13 : 0.5,
							   this.app.dark);
			bar.append(cell);
		}
		this.app.legend(max ? [part("span", "heat-legend-box", isRange ?
			`${isLeast ? "" : "\u2264 "}${number(least)} ` : "", bar,
			` ${counted(max, "observation")} in ` +
			`${duration(this.cellNs())}`)] : []);
	}

	paint()
	{
		const d = this.data;

		if (!d || !this.width || !this.cellWide)
			return;
		const ink = timeInk(this.app.dark);
		const ctx = fitCanvas(this.canvas, this.width, this.height);

		ctx.clearRect(0, 0, this.width, this.height);
		ctx.font = TIME_FONT;
		ctx.textBaseline = "middle";
		this.paintCells(ctx, ink);
		for (const second of [false, true])
			this.paintRange(ctx, ink, second);
		this.paintHover(ctx, ink);
		this.paintAxes(ctx, ink);
	}

	paintCells(ctx, ink)
	{
		const d = this.data;
		const left = this.scroller.scrollLeft;
		const first = Math.max(0, Math.floor(left / this.cellWide));
		const last = Math.min(d.columns, Math.ceil(
			(left + this.width - HEAT_LEFT) / this.cellWide));
		const gapX = this.cellWide > 5 ? 1 : 0.4;
		const colours = this.colours();
		const step = (colours.length - 1) / (d.max_count - d.least || 1);

		const ends = this.end();
		const marked = this.marked();

		for (let c = first; c < last; c++) {
			const x = HEAT_LEFT + c * this.cellWide - left;

			for (let r = 0; r < d.rows && c * d.rows + r < ends; r++) {
				const i = c * d.rows + r;
				const v = d.counts[i];

				ctx.globalAlpha = marked.length && !marked.some(
					(m) => i >= m.first && i <= m.last) ? 0.42 : 1;
				ctx.fillStyle = v ? colours[Math.round(
					Math.max(0, v - d.least) * step)] : ink.faint;
				ctx.fillRect(x, HEAT_TOP + (d.rows - 1 - r) *
					     this.cellHigh, this.cellWide - gapX,
					     this.cellHigh - (this.cellHigh > 4 ?
						1 : 0.5));
			}
		}
		ctx.globalAlpha = 1;
	}

	/* The cells of both selections. */
	marked()
	{
		return [false, true].map((second) => this.range(second))
			.filter((r) => r).map((r) => this.cellsOf(r));
	}

	/* How many cells there are up to the end of the data. */
	end()
	{
		return Math.min(this.data.counts.length, Math.ceil(
			(this.app.span().to - this.data.from) /
			this.cellNs()));
	}

	/* A colour per count from the least of cells with any, the more the rarer
	 * the steps. */
	colours()
	{
		const { least, max_count: max } = this.data;
		const { dark } = this.app;
		const key = `${least} ${max} ${dark}`;

		if (this.colourKey !== key) {
			const n = Math.min(max - least, 4096);

			this.colourKey = key;
			this.colourList = Array.from({ length: n + 1 }, (_, i) =>
				heatColour(n ? Math.sqrt(i / n) : 0.5, dark));
		}
		return this.colourList;
	}

	paintRange(ctx, ink, second)
	{
		const range = this.range(second);

		if (!range)
			return;
		const { first, last } = this.cellsOf(range);

		ctx.strokeStyle = second ? ink.second : ink.text;
		ctx.lineWidth = 2;
		this.paintEdge(ctx, first, last, this.scroller.scrollLeft);
	}

	/* Around the cells of a range: a staircase at both ends. */
	paintEdge(ctx, first, last, left)
	{
		const { rows } = this.data;
		const c0 = Math.floor(first / rows);
		const c1 = Math.floor(last / rows);
		const x = (c) => HEAT_LEFT + c * this.cellWide - left;
		const y = (r) => HEAT_TOP + (rows - r) * this.cellHigh;
		const a = first - c0 * rows;
		const b = last - c1 * rows + 1;

		ctx.beginPath();
		if (c0 === c1) {
			ctx.rect(x(c0), y(b), this.cellWide, y(a) - y(b));
		} else {
			ctx.moveTo(x(c0), y(a));
			ctx.lineTo(x(c0), y(rows));
			ctx.lineTo(x(c1), y(rows));
			ctx.lineTo(x(c1), y(b));
			ctx.lineTo(x(c1 + 1), y(b));
			ctx.lineTo(x(c1 + 1), y(0));
			ctx.lineTo(x(c0 + 1), y(0));
			ctx.lineTo(x(c0 + 1), y(a));
			ctx.closePath();
		}
		ctx.stroke();
	}

	paintHover(ctx, ink)
	{
		if (!(this.hover >= 0))
			return;
		const { rows } = this.data;
		const c = Math.floor(this.hover / rows);
		const r = this.hover - c * rows;

		ctx.strokeStyle = ink.text;
		ctx.lineWidth = 1;
		ctx.strokeRect(HEAT_LEFT + c * this.cellWide -
			this.scroller.scrollLeft + 0.5, HEAT_TOP +
			(rows - 1 - r) * this.cellHigh + 0.5,
			       this.cellWide - 1, this.cellHigh - 1);
	}

	paintAxes(ctx, ink)
	{
		const d = this.data;
		const bottom = HEAT_TOP + d.rows * this.cellHigh;
		const left = this.scroller.scrollLeft;

		ctx.fillStyle = ink.back;
		ctx.fillRect(0, 0, HEAT_LEFT - 1, this.height);
		ctx.fillStyle = ink.quiet;
		ctx.textAlign = "right";
		for (let i = 0; i <= 4; i++) {
			const y = bottom - i / 4 * d.rows * this.cellHigh;

			ctx.fillText(i ? duration(d.width * i / 4) : "0",
				     HEAT_LEFT - 8, Math.max(HEAT_TOP + 5,
							     Math.min(y, bottom - 5)));
		}
		ctx.textAlign = "left";
		const perNs = this.cellWide / d.width;
		const from = d.from + left / perNs;
		const to = from + (this.width - HEAT_LEFT) / perNs;

		for (const { at, text } of this.times.ticks(from, to,
				this.width - HEAT_LEFT).list) {
			const x = HEAT_LEFT + (at - from) * perNs;

			if (x < HEAT_LEFT - 2 ||
			    x > HEAT_LEFT + d.columns * this.cellWide - left + 2)
				continue;
			ctx.fillRect(Math.round(x), bottom + 2, 1, 4);
			if (x + ctx.measureText(text).width < this.width)
				ctx.fillText(text, x + 3, bottom + 14);
		}
	}
}
