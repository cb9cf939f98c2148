// SPDX-License-Identifier: Apache-2.0
/* Draws the timeline. The activity of a lane is drawn once, a pixel per cell,
 * and then scaled into its place, so that panning and zooming are a copy per
 * lane; while new cells are loaded the old ones are stretched. */
import { BOX_ROW, LANE_BAR, MOST_SPAN_ROWS, SPAN_ROW } from "./lane_rows.js";
import { TIME_FONT, drawNote, fitCanvas, fitText, stateColours, timeInk } from "./time_parts.js";
import { duration, hashOf, kindColour, number } from "./text.js";

export const AXIS_HIGH = 24;
const BAR_STEPS = 20; /* heights that a share can have */
const PICTURE_MS = 3; /* of a frame for new pictures; the rest comes later */

/* "#rrggbb" as a pixel of an ImageData, little endian. */
function pixelOf(hex)
{
	const v = parseInt(hex.slice(1), 16);

	return (0xff000000 | (v & 0xff) << 16 | (v & 0xff00) |
		v >> 16) >>> 0;
}

/* The cells of a lane as a picture: a column each, as high as its share. */
function lanePicture(cells, columns, pixels)
{
	const canvas = document.createElement("canvas");

	canvas.width = Math.max(1, columns);
	canvas.height = BAR_STEPS;
	const ctx = canvas.getContext("2d");
	const image = ctx.createImageData(canvas.width, BAR_STEPS);
	const out = new Uint32Array(image.data.buffer);

	for (let c = 0; c < columns; c++) {
		const state = cells[2 * c];

		if (state < 0)
			continue;
		const high = Math.max(1, Math.round(cells[2 * c + 1] * BAR_STEPS));

		for (let y = BAR_STEPS - high; y < BAR_STEPS; y++)
			out[y * columns + c] = pixels[state];
	}
	ctx.putImageData(image, 0, 0);
	return canvas;
}

export class TimelinePainter {
	constructor(view)
	{
		this.view = view;
		this.texts = new Map(); /* fitted texts by text and room */
	}

	/* After new data or another theme. */
	setTheme(dark)
	{
		this.ink = timeInk(dark);
		this.dark = dark;
		for (const data of [this.view.wide, this.view.fine])
			if (data)
				this.prepare(data);
	}

	prepare(data)
	{
		this.recolour(data);
		for (const lane of data.lanes)
			lane.picture = null;
	}

	recolour(data)
	{
		data.colours = stateColours(data.states, this.dark);
		data.pixels = Uint32Array.from(data.colours, pixelOf);
	}

	paint()
	{
		const v = this.view;

		this.ctx = fitCanvas(v.canvas, v.width, v.height);
		const ctx = this.ctx;

		ctx.clearRect(0, 0, v.width, v.height);
		ctx.font = TIME_FONT;
		ctx.textBaseline = "middle";
		ctx.textAlign = "left";
		ctx.imageSmoothingEnabled = false;
		this.per = (v.width - v.gutter) / (v.window.to - v.window.from);
		this.until = performance.now() + PICTURE_MS;
		this.grid();
		this.rows();
		this.range();
		this.axis();
		this.marks();
	}

	x(ns)
	{
		return this.view.gutter + (ns - this.view.window.from) * this.per;
	}

	/* --- axis --- */

	grid()
	{
		const v = this.view;
		const ctx = this.ctx;

		this.ticks = v.scale.ticks(v.window.from, v.window.to,
					   v.width - v.gutter);
		ctx.fillStyle = this.ink.faint;
		for (const { at } of this.ticks.list)
			ctx.fillRect(Math.round(this.x(at)), AXIS_HIGH, 1, v.height);
	}

	axis()
	{
		const v = this.view;
		const ctx = this.ctx;

		ctx.fillStyle = this.ink.panel;
		ctx.fillRect(0, 0, v.width, AXIS_HIGH);
		ctx.fillStyle = this.ink.line;
		ctx.fillRect(0, AXIS_HIGH - 1, v.width, 1);
		ctx.fillStyle = this.ink.quiet;
		for (const { at, text } of this.ticks.list) {
			const x = Math.round(this.x(at));

			if (x < v.gutter - 1)
				continue;
			ctx.fillRect(x, AXIS_HIGH - 7, 1, 6);
			if (x + ctx.measureText(text).width + 6 < v.width)
				ctx.fillText(text, x + 4, AXIS_HIGH / 2);
		}
		if (v.gutter) {
			ctx.fillStyle = this.ink.panel;
			ctx.fillRect(0, 0, v.gutter, AXIS_HIGH - 1);
			ctx.fillStyle = this.ink.quiet;
			ctx.fillText(this.fitted(this.ticks.anchor +
				(v.scale.isDate(v.window.from) ? " UTC" : ""),
						 v.gutter - 16),
				     12, AXIS_HIGH / 2);
		}
	}

	/* --- rows --- */

	rows()
	{
		const v = this.view;
		const top = v.scrollTop;
		const list = v.rows.list;

		for (let i = v.rows.indexAt(top); i < list.length; i++) {
			const y = list[i].y - top + AXIS_HIGH;

			if (y > v.height)
				break;
			this.row(list[i], i, y);
		}
	}

	row(row, i, y)
	{
		const v = this.view;
		const ctx = this.ctx;
		const high = v.rows.height(row);
		const dy = y - row.y;

		if (i === v.hoverRow) {
			ctx.fillStyle = this.ink.faint;
			ctx.globalAlpha = 0.6;
			ctx.fillRect(0, y, v.width, high);
			ctx.globalAlpha = 1;
		}
		ctx.save();
		ctx.beginPath();
		ctx.rect(v.gutter, y, v.width - v.gutter, high);
		ctx.clip();
		if (row.kind === "spans")
			this.spans(v.rows.barY(row) + dy);
		else
			this.lane(row, dy);
		ctx.restore();
		this.label(row, dy, high);
		ctx.fillStyle = this.ink.faint;
		ctx.fillRect(0, y + high - 1, v.width, 1);
	}

	lane(row, dy)
	{
		const v = this.view;
		const y = v.rows.barY(row) + dy;
		const ctx = this.ctx;

		ctx.fillStyle = this.ink.faint;
		ctx.fillRect(v.gutter, y + LANE_BAR - 1, v.width - v.gutter, 1);
		this.activity(row.lane, y);
		if (row.chart)
			this.chart(row, v.rows.boxY(row) + dy);
	}

	/* What is in view as it is known best; beside it, and where that has no
	 * picture yet, as it is known of all the time. */
	activity(lane, y)
	{
		const v = this.view;
		const { fine } = v;
		const a = fine ? this.x(fine.sight.from) : v.width;
		const b = fine ? this.x(fine.sight.to) : v.width;

		if (fine && !lane.fine && v.covers())
			return;
		if (!fine || (lane.fine && !this.hasPicture(fine, lane.fine))) {
			this.cells(v.wide, lane, y, v.gutter, v.width);
			return;
		}
		if (!v.covers()) {
			this.cells(v.wide, lane, y, v.gutter, a);
			this.cells(v.wide, lane, y, b, v.width);
		}
		if (lane.fine)
			this.cells(fine, lane.fine, y, v.gutter, v.width);
	}

	/* Makes the picture of a lane unless the time of this frame is over;
	 * then the next frame goes on. */
	hasPicture(data, lane)
	{
		if (!lane.picture && performance.now() < this.until)
			lane.picture = lanePicture(lane.cells, data.columns,
						   data.pixels);
		if (!lane.picture)
			this.view.painter.soon();
		return Boolean(lane.picture);
	}

	/* The part of a lane's picture between two places. */
	cells(data, lane, y, left, right)
	{
		const v = this.view;
		const first = Math.max(left, v.gutter, this.x(data.from));
		const last = Math.min(right, v.width,
				      this.x(data.from + data.columns * data.width));

		if (last <= first || !data.columns || !this.hasPicture(data, lane))
			return;
		const column = (x) => ((x - v.gutter) / this.per +
			v.window.from - data.from) / data.width;
		const from = column(first);

		this.ctx.drawImage(lane.picture, from, 0,
				   Math.max(1e-6, column(last) - from), BAR_STEPS,
				   first, y, last - first, LANE_BAR);
	}

	label(row, dy, high)
	{
		const v = this.view;
		const ctx = this.ctx;
		const narrow = !v.gutter;
		const y = narrow ? row.y + dy + 9 : v.rows.barY(row) + dy +
			LANE_BAR / 2;
		const room = (narrow ? v.width : v.gutter) - 34;
		const note = this.noteOf(row);
		const noteWide = note ? ctx.measureText(note).width + 10 : 0;
		const isOpen = row.kind === "spans" || row.chart;

		if (!narrow) {
			ctx.fillStyle = this.ink.back;
			ctx.fillRect(0, row.y + dy, v.gutter - 1, high - 1);
			if (v.rows.list[v.hoverRow] === row) {
				ctx.fillStyle = this.ink.faint;
				ctx.fillRect(0, row.y + dy, v.gutter - 1, high - 1);
			}
			ctx.fillStyle = this.ink.line;
			ctx.fillRect(v.gutter - 1, row.y + dy, 1, high);
		}
		if (v.rows.list[v.selected] === row) {
			ctx.fillStyle = this.ink.accent;
			ctx.fillRect(0, row.y + dy, 3, high - 1);
		}
		this.arrow(12, y, isOpen);
		ctx.fillStyle = this.ink.text;
		ctx.fillText(this.fitted(row.kind === "spans" ? v.spansTitle() :
			row.lane.thread, room - noteWide), 24, y);
		if (note) {
			ctx.fillStyle = this.ink.quiet;
			ctx.textAlign = "right";
			ctx.fillText(note, (narrow ? v.width : v.gutter) - 10, y);
			ctx.textAlign = "left";
		}
	}

	/* What a thread did in the time that is in view. */
	noteOf(row)
	{
		const lane = row.kind === "lane" && this.view.numbers(row.lane);

		return !lane ? "" : lane.busy ? duration(lane.busy) :
			lane.waiting ? "waits" : lane.points ?
				number(lane.points) : "";
	}

	arrow(x, y, isOpen)
	{
		const ctx = this.ctx;

		ctx.fillStyle = this.ink.quiet;
		ctx.beginPath();
		if (isOpen) {
			ctx.moveTo(x - 4, y - 2);
			ctx.lineTo(x + 4, y - 2);
			ctx.lineTo(x, y + 3);
		} else {
			ctx.moveTo(x - 2, y - 4);
			ctx.lineTo(x + 3, y);
			ctx.lineTo(x - 2, y + 4);
		}
		ctx.fill();
	}

	fitted(text, room)
	{
		const key = `${Math.round(room)} ${text}`;
		let short = this.texts.get(key);

		if (short === undefined) {
			short = fitText(this.ctx, text, room);
			if (this.texts.size > 20000)
				this.texts.clear();
			this.texts.set(key, short);
		}
		return short;
	}

	/* --- boxes --- */

	chart(row, y)
	{
		const v = this.view;

		if (row.chart.text) {
			this.ctx.fillStyle = this.ink.quiet;
			this.ctx.fillText(row.chart.text, v.gutter + 10,
					  y + BOX_ROW / 2);
		}
		for (const boxes of row.chart.parts)
			for (let d = 0; d < boxes.rows.length; d++) {
				const at = y + d * BOX_ROW;

				if (at > v.height)
					break;
				if (at > AXIS_HIGH - BOX_ROW)
					this.boxRow(boxes, d, at);
			}
	}

	/* Boxes narrower than a pixel are drawn as one as long as the colour is
	 * the same; of those within a pixel the first stands for all. */
	boxRow(boxes, depth, y)
	{
		const v = this.view;
		const row = boxes.rows[depth];
		const end = v.window.to;

		for (let i = row.after(v.window.from); i < row.to.length;) {
			if (row.from[i] > end)
				break;
			const x = Math.max(v.gutter - 2, this.x(row.from[i]));
			const right = Math.min(v.width + 2, this.x(row.to[i]));

			if (right - x < 1) {
				const pixel = Math.floor(x) + 1;

				this.box(boxes, row.node[i], Math.floor(x), y, 1);
				i = row.after(v.window.from +
					(pixel - v.gutter) / this.per, i + 1);
				continue;
			}
			this.box(boxes, row.node[i], x, y, right - x);
			i++;
		}
	}

	box(boxes, node, x, y, w)
	{
		const ctx = this.ctx;
		const matches = boxes.matches;
		const frame = boxes.tree.frame[node];
		const isMatch = matches && matches[frame];

		ctx.globalAlpha = matches && !isMatch ? 0.35 : 1;
		ctx.fillStyle = isMatch ? this.ink.match : this.colour(boxes, frame);
		ctx.fillRect(x, y, Math.max(0.6, w - (w > 4 ? 1 : 0)), BOX_ROW - 1);
		if (w > 26) {
			ctx.fillStyle = this.dark ? "#f3f1ee" : "#26221e";
			ctx.fillText(this.fitted(w > 160 ? boxes.frames.name[frame] :
				boxes.frames.short[frame], w - 8), x + 4,
				     y + BOX_ROW / 2);
		}
		ctx.globalAlpha = 1;
	}

	/* By the kind of frame; what waits has the colour of its state. */
	colour(boxes, frame)
	{
		let c = boxes.colours[frame];

		if (!c || boxes.dark !== this.dark) {
			if (boxes.dark !== this.dark)
				boxes.colours = [];
			boxes.dark = this.dark;
			c = boxes.state >= 0 ? this.view.wide.colours[boxes.state] :
				kindColour(boxes.frames.kind[frame],
					   boxes.frames.name[frame], this.dark);
			boxes.colours[frame] = c;
		}
		return c;
	}

	/* --- spans --- */

	spans(y)
	{
		const v = this.view;
		const ctx = this.ctx;

		for (const s of v.spans) {
			const x = Math.max(v.gutter - 2, this.x(s.first));
			const right = Math.min(v.width + 2, this.x(s.last));

			if (right < v.gutter || x > v.width ||
			    s.row >= MOST_SPAN_ROWS)
				continue;
			const hue = hashOf(s.span) * 360;
			const w = Math.max(2, right - x);
			const top = y + s.row * SPAN_ROW;

			ctx.fillStyle = this.dark ? `hsl(${hue} 32% 40%)` :
				`hsl(${hue} 46% 78%)`;
			ctx.beginPath();
			ctx.roundRect(x, top, Math.max(2, w - 1), SPAN_ROW - 3, 3);
			ctx.fill();
			if (w > 40) {
				ctx.fillStyle = this.ink.text;
				ctx.fillText(this.fitted(`${s.span.slice(0, 8)} \u00b7 ` +
					duration(s.last - s.first), w - 8), x + 4,
					     top + (SPAN_ROW - 3) / 2);
			}
		}
	}

	/* --- marks --- */

	/* What is outside of the selected range is paler. */
	range()
	{
		const v = this.view;
		const r = v.range();

		if (!r)
			return;
		const a = Math.max(v.gutter, this.x(r.from));
		const b = Math.min(v.width, this.x(r.to));

		this.ctx.fillStyle = this.ink.shade;
		this.ctx.globalAlpha = 0.7;
		this.ctx.fillRect(v.gutter, AXIS_HIGH, Math.max(0, a - v.gutter),
				  v.height);
		this.ctx.fillRect(b, AXIS_HIGH, Math.max(0, v.width - b), v.height);
		this.ctx.globalAlpha = 1;
	}

	/* The rectangle that is dragged, the box pointed at and the time there. */
	marks()
	{
		const v = this.view;
		const ctx = this.ctx;
		const r = v.area;

		if (r) {
			const x = this.x(r.from);
			const y = r.top - v.scrollTop + AXIS_HIGH;

			ctx.fillStyle = this.ink.select;
			ctx.strokeStyle = this.ink.accent;
			ctx.lineWidth = 1.5;
			ctx.fillRect(x, y, this.x(r.to) - x, r.bottom - r.top);
			ctx.strokeRect(x, y, this.x(r.to) - x, r.bottom - r.top);
			drawNote(ctx, this.ink, v.areaNote(r),
				 { x: this.x(r.to), y: y + 4 }, v);
		}
		if (v.hoverBox)
			this.outline(v.hoverBox);
		if (v.hoverX >= v.gutter && !r) {
			ctx.fillStyle = this.ink.text;
			ctx.globalAlpha = 0.35;
			ctx.fillRect(Math.round(v.hoverX), AXIS_HIGH, 1, v.height);
			ctx.globalAlpha = 1;
			this.cursorTime();
		}
	}

	cursorTime()
	{
		const v = this.view;
		const ctx = this.ctx;
		const text = v.scale.text(v.time(v.hoverX), 1 / this.per);
		const w = ctx.measureText(text).width + 12;
		const x = Math.max(v.gutter, Math.min(v.width - w, v.hoverX - w / 2));

		ctx.fillStyle = this.ink.accent;
		ctx.beginPath();
		ctx.roundRect(x, 3, w, AXIS_HIGH - 6, 4);
		ctx.fill();
		ctx.fillStyle = this.dark ? "#1d1a17" : "#ffffff";
		ctx.fillText(text, x + 6, AXIS_HIGH / 2);
	}

	outline(box)
	{
		const v = this.view;
		const y = v.rows.boxY(box.row) - v.scrollTop + AXIS_HIGH +
			box.depth * BOX_ROW;
		const x = Math.max(v.gutter, this.x(box.from));
		const right = Math.min(v.width, this.x(box.to));

		if (y < AXIS_HIGH || right <= x)
			return;
		this.ctx.strokeStyle = this.dark ? "#ffffff" : "#1d1a17";
		this.ctx.lineWidth = 1;
		this.ctx.strokeRect(x + 0.5, y + 0.5, Math.max(1, right - x - 2),
				    BOX_ROW - 2);
	}
}
