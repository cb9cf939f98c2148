// SPDX-License-Identifier: Apache-2.0
/* Values over all the time there is, small: a range is dragged on it, the wheel
 * zooms, Shift and a drag move what is in view. It stands above every view and,
 * larger and stacked by a label, in the overview. */
import { TimeScale, TimeWindow, rangeParams, rangeState, stateRange } from "./time_axis.js";
import { Painter, Reloader, TIME_FONT, drawNote, fitCanvas, listenGestures, part, seriesColour, timeInk } from "./time_parts.js";
import { counted, duration, valueText } from "./text.js";

const CHART_AXIS = 18; /* pixels of the axis */
const HANDLE_NEAR = 6;
const MIN_COLUMNS = 30;
const MAX_COLUMNS = 1200;
const PERIODS_PER_COLUMN = 3;

export class TimeChart {
	/* options: height; by() and limit of what is stacked; prefix of the range
	 * in the state; selection() instead of the app's; loaded(data);
	 * view(): what is below it. If that has a gutter and a time axis, the
	 * chart begins behind the gutter and leaves the axis to it, unless it
	 * is zoomed itself. */
	constructor(app, options = {})
	{
		this.app = app;
		this.options = options;
		this.prefix = options.prefix || "";
		this.data = null;
		this.error = "";
		this.hover = null;
		this.drag = null;
		this.width = 0;
		this.canvas = part("canvas", "time-chart");
		this.canvas.tabIndex = 0;
		this.canvas.setAttribute("role", "application");
		this.canvas.setAttribute("aria-label", "Time chart. Arrow keys " +
			"move the selected range, Shift and arrow keys change its " +
			"length, Escape selects all.");
		this.element = part("div", "time-chart-box", this.canvas);
		this.window = new TimeWindow(1);
		this.painter = new Painter(() => this.paint());
		this.reloader = new Reloader((signal) => this.ask(signal));
		this.listen();
	}

	/* --- data --- */

	async show(signal)
	{
		const { overview } = this.app;
		const home = this.app.span(this.prefix);
		const place = JSON.stringify(home);

		if (this.overview !== overview || this.place !== place) {
			const was = this.window;
			const isKept = this.overview && !was.isHome &&
				this.overview !== overview;

			this.overview = overview;
			this.place = place;
			this.scale = new TimeScale(overview);
			this.window = new TimeWindow(overview.duration || 0, home);
			if (isKept)
				this.window.set(was.from, was.to);
		}
		this.resize();
		if (this.asked !== this.question())
			await this.reloader.now(signal);
		this.painter.soon();
	}

	/* What was asked last, so that it is not asked again. */
	question()
	{
		return JSON.stringify([this.selection(), this.window,
				       this.options.by ? this.options.by() : "",
				       Math.round(this.width / 40)]);
	}

	selection()
	{
		return this.app.timelessSelection(this.options.selection?.());
	}

	/* Two pixels each, but not so short that samples at an interval miss
	 * some of them. */
	columns()
	{
		const { from, to } = this.window;
		const t = this.app.type();
		const most = /^(ns|nanoseconds)$/.test(t.period_unit) && t.period ?
			(to - from) / (PERIODS_PER_COLUMN * t.period) : Infinity;

		return Math.round(Math.max(MIN_COLUMNS, Math.min(
			MAX_COLUMNS, this.width / 2, most)));
	}

	async ask(signal)
	{
		const by = this.options.by ? this.options.by() : "";
		const question = this.question();
		const params = { ...this.selection(), columns: this.columns() };

		if (by) {
			params.by = by;
			params.limit = this.options.limit || 8;
		}
		if (!this.window.isWhole)
			Object.assign(params, rangeParams(this.window.from,
							  this.window.to));
		try {
			const data = await this.app.source.series(params, signal);

			if (signal.aborted)
				return;
			this.error = "";
			this.asked = question;
			this.setData(data);
		} catch (e) {
			if (signal.aborted)
				throw e;
			this.error = e.message;
			this.asked = "";
			this.data = null;
		}
		if (this.options.loaded)
			this.options.loaded(this.data);
		this.painter.soon();
	}

	setData(data)
	{
		const top = new Float64Array(data.columns);

		for (const s of data.series)
			for (let c = 0; c < top.length; c++)
				top[c] += Math.max(0, s.values[c] || 0);
		this.data = data;
		this.top = top;
		this.most = top.reduce((a, b) => Math.max(a, b), 0);
	}

	/* The sum over all series of a column. */
	column(c)
	{
		let value = 0;
		let count = 0;

		for (const s of this.data.series) {
			value += s.values[c] || 0;
			count += s.counts[c] || 0;
		}
		return { value, count };
	}

	/* --- places --- */

	range()
	{
		return this.drag && this.drag.range ||
			stateRange(this.app.state, this.window.all, this.prefix);
	}

	x(ns)
	{
		return (ns - this.window.from) /
			(this.window.to - this.window.from) * this.width;
	}

	/* The time at a place, as round as a pixel allows. */
	time(x)
	{
		const perPixel = (this.window.to - this.window.from) /
			Math.max(1, this.width);
		const round = 10 ** Math.max(0, Math.floor(Math.log10(perPixel)));
		const at = this.window.from + x * perPixel;

		return Math.min(this.window.all, Math.max(0,
			Math.round(at / round) * round));
	}

	resize()
	{
		const gutter = this.options.view?.()?.gutter;
		const width = this.element.clientWidth - (gutter || 0);

		this.canvas.style.marginLeft = `${gutter || 0}px`;
		if (width <= 0)
			return;
		if (this.width && Math.abs(width - this.width) > 40)
			this.reloader.after(150);
		this.width = width;
		this.painter.soon();
	}

	theme()
	{
		this.painter.soon();
	}

	/* --- gestures --- */

	select(from, to)
	{
		this.app.go(rangeState(from, to, this.window.all, this.prefix));
		this.painter.soon();
	}

	/* Which part of the range is at a place: an end of it, or nothing. */
	handleAt(x)
	{
		const r = this.range();

		if (!r)
			return null;
		if (Math.abs(this.x(r.from) - x) <= HANDLE_NEAR)
			return { keep: r.to };
		if (Math.abs(this.x(r.to) - x) <= HANDLE_NEAR)
			return { keep: r.from };
		return null;
	}

	listen()
	{
		const canvas = this.canvas;

		listenGestures(canvas, {
			press: (x, y, e) => {
				const handle = this.handleAt(x);

				this.drag = { pan: e.shiftKey, start: handle ?
					handle.keep : this.time(x) };
			},
			drag: (x, y, e, from) => {
				this.hover = null;
				this.dragTo(x, from);
			},
			drop: () => {
				const r = this.drag && this.drag.range;

				this.drag = null;
				if (r && r.to > r.from)
					this.select(r.from, r.to);
			},
			click: (x, y) => {
				this.drag = null;
				this.hover = { x, y };
				this.painter.soon();
			},
			cancel: () => {
				this.drag = null;
				this.painter.soon();
			},
			hover: (x, y) => {
				this.hover = { x, y };
				canvas.style.cursor = this.handleAt(x) ?
					"ew-resize" : "crosshair";
				this.painter.soon();
			},
			leave: () => {
				this.hover = null;
				this.painter.soon();
			},
			pinch: (by, x, dx) => {
				this.window.scale(by, x / this.width);
				this.moved(-dx);
			},
		});
		canvas.addEventListener("dblclick", () => this.reset());
		canvas.addEventListener("wheel", (e) => this.wheel(e),
					{ passive: false });
		canvas.addEventListener("keydown", (e) => this.key(e));
	}

	dragTo(x, from)
	{
		if (!this.drag)
			return;
		if (this.drag.pan) {
			this.moved(from.lastX - x);
			return;
		}
		const at = this.time(x);

		this.drag.range = { from: Math.min(at, this.drag.start),
				    to: Math.max(at, this.drag.start) };
		this.painter.soon();
	}

	/* After a move by some pixels: draws at once, asks when it stops. */
	moved(pixels)
	{
		this.window.pan(pixels * (this.window.to - this.window.from) /
				this.width);
		this.painter.soon();
		this.reloader.after(200);
	}

	wheel(e)
	{
		if (this.window.all <= 1)
			return;
		e.preventDefault();
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
			this.moved(e.deltaX || e.deltaY);
			return;
		}
		this.window.scale(Math.exp(e.deltaY / 300),
				  e.offsetX / this.width);
		this.moved(0);
	}

	reset()
	{
		this.window.reset();
		this.reloader.after(0);
		this.app.go({ [`${this.prefix}from`]: "", [`${this.prefix}to`]: "" });
		this.painter.soon();
	}

	key(e)
	{
		const r = this.range();
		const span = this.window.to - this.window.from;
		const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];

		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.key === "Escape" && (r || !this.window.isHome)) {
			this.reset();
		} else if (by && !r) {
			this.select(this.window.from, this.window.from + span / 10);
		} else if (by && e.shiftKey) {
			this.select(r.from, Math.min(this.window.all, Math.max(
				r.from + span / 200, r.to + by * span / 50)));
		} else if (by) {
			const step = Math.max(-r.from, Math.min(
				this.window.all - r.to, by * span / 50));

			this.select(r.from + step, r.to + step);
		} else {
			return;
		}
		e.preventDefault();
		e.stopPropagation();
	}

	/* --- painting --- */

	paint()
	{
		if (!this.width || !this.scale)
			return;
		const hasAxis = this.options.view?.()?.gutter === undefined ||
			!this.window.isHome;

		this.axis = hasAxis ? CHART_AXIS : 0;
		this.height = this.options.height - CHART_AXIS + this.axis;
		const ink = timeInk(this.app.dark);
		const ctx = fitCanvas(this.canvas, this.width, this.height);

		ctx.clearRect(0, 0, this.width, this.height);
		ctx.font = TIME_FONT;
		this.paintAxis(ctx, ink);
		if (this.data)
			this.paintBars(ctx);
		this.paintRange(ctx, ink);
		this.paintSight(ctx, ink);
		if (this.error || this.data && !this.most)
			this.paintText(ctx, ink, this.error || "nothing here");
		this.paintHover(ctx, ink);
	}

	paintText(ctx, ink, text)
	{
		const wide = ctx.measureText(text).width + 12;
		const y = (this.height - this.axis) / 2;

		ctx.fillStyle = ink.panel;
		ctx.fillRect((this.width - wide) / 2, y - 9, wide, 18);
		ctx.fillStyle = ink.quiet;
		ctx.textAlign = "center";
		ctx.fillText(text, this.width / 2, y);
		ctx.textAlign = "left";
	}

	paintAxis(ctx, ink)
	{
		const { list } = this.scale.ticks(this.window.from, this.window.to,
						  this.width);
		const y = this.height - this.axis;

		ctx.textBaseline = "middle";
		ctx.strokeStyle = ink.line;
		ctx.lineWidth = 1;
		ctx.beginPath();
		ctx.moveTo(0, y + 0.5);
		ctx.lineTo(this.width, y + 0.5);
		for (const { at } of list) {
			const x = Math.round(this.x(at)) + 0.5;

			ctx.moveTo(x, 0);
			ctx.lineTo(x, y + 4);
		}
		ctx.stroke();
		ctx.fillStyle = ink.quiet;
		for (const { at, text } of this.axis ? list : []) {
			const x = this.x(at);

			if (x + ctx.measureText(text).width + 4 < this.width)
				ctx.fillText(text, x + 4, y + 10);
		}
	}

	/* Columns that share a pixel are one bar, as high as the highest. */
	paintBars(ctx)
	{
		const d = this.data;
		const high = this.height - this.axis - 6;
		const per = this.width / (this.window.to - this.window.from);
		const base = new Float64Array(d.columns);
		const y0 = this.height - this.axis;
		const ratio = devicePixelRatio || 1;

		for (let s = 0; s < d.series.length; s++) {
			const values = d.series[s].values;

			ctx.fillStyle = seriesColour(s, d.has_others &&
				s === d.series.length - 1, this.app.dark);
			for (let c = 0; c < d.columns; c++) {
				const v = Math.max(0, values[c] || 0);
				const from = d.from + c * d.width;
				const x = (from - this.window.from) * per;
				const w = d.width * per;

				if (!v || x > this.width || x + w < 0) {
					base[c] += v;
					continue;
				}
				const a = y0 - base[c] / this.most * high;
				const b = y0 - (base[c] + v) / this.most * high;

				/* Ends on pixels, or some bars look darker. */
				const left = Math.round(x * ratio) / ratio;
				const right = Math.round((x + w) * ratio) / ratio;

				ctx.fillRect(left, b, Math.max(0.6, right - left -
					(w > 4 ? 1 : 0)), Math.max(a - b, 0.7));
				base[c] += v;
			}
		}
	}

	/* What another view has in view, as a frame around it. */
	paintSight(ctx, ink)
	{
		const sight = this.options.view?.()?.window;

		if (!sight || sight.from <= this.window.from &&
		    sight.to >= this.window.to)
			return;
		const a = Math.max(1, this.x(sight.from));
		const b = Math.min(this.width - 1, this.x(sight.to));

		ctx.strokeStyle = ink.second;
		ctx.lineWidth = 2;
		ctx.strokeRect(a, 1, Math.max(2, b - a),
			       this.height - this.axis - 2);
	}

	paintRange(ctx, ink)
	{
		const r = this.range();
		const y = this.height - this.axis;

		if (!r)
			return;
		const a = Math.max(-2, this.x(r.from));
		const b = Math.min(this.width + 2, this.x(r.to));

		ctx.fillStyle = ink.shade;
		ctx.fillRect(0, 0, Math.max(0, a), y);
		ctx.fillRect(b, 0, Math.max(0, this.width - b), y);
		ctx.fillStyle = ink.accent;
		ctx.fillRect(a - 1, 0, 2, y);
		ctx.fillRect(b - 1, 0, 2, y);
		for (const x of [a, b]) {
			ctx.beginPath();
			ctx.roundRect(x - 3, y / 2 - 8, 6, 16, 3);
			ctx.fill();
		}
	}

	paintHover(ctx, ink)
	{
		const d = this.data;
		const size = { width: this.width, height: this.height };

		if (this.drag && this.drag.range) {
			const r = this.drag.range;

			drawNote(ctx, ink, [this.scale.range(r.from, r.to)],
				 { x: this.x(r.to), y: 4 }, size);
			return;
		}
		if (!this.hover || !d || !d.columns)
			return;
		const at = this.window.from + this.hover.x *
			(this.window.to - this.window.from) / this.width;
		const c = Math.floor((at - d.from) / d.width);

		if (c < 0 || c >= d.columns)
			return;
		ctx.fillStyle = ink.text;
		ctx.globalAlpha = 0.5;
		ctx.fillRect(Math.round(this.hover.x), 0, 1,
			     this.height - this.axis);
		ctx.globalAlpha = 1;
		drawNote(ctx, ink, this.noteOf(c), { x: this.hover.x, y: 4 }, size);
	}

	noteOf(c)
	{
		const d = this.data;
		const { value, count } = this.column(c);
		const lines = [`${this.scale.text(d.from + c * d.width, d.width)}: ` +
			`${valueText(value, d.unit)} in ${duration(d.width)}, ` +
			counted(count, "observation")];

		if (this.height > 100 && d.series.length > 1)
			for (const s of d.series)
				if (s.values[c])
					lines.push(`${s.text}: ` +
						valueText(s.values[c], d.unit));
		return lines.slice(0, Math.floor((this.height - 12) / 15));
	}
}
