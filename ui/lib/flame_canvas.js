// SPDX-License-Identifier: Apache-2.0
/* flame_canvas.js: draws a tree on a canvas as large as what can be seen of it,
 * and knows which node stands where. Only nodes that are wide enough and in view
 * are drawn, so that the work follows the size of the screen and not of the
 * profile. */
import { make } from "./dom.js";
import { isInlined } from "./tree.js";
import { kindColour, diffColour, groupColour, boxPixel } from "./text.js";

export const ROW = 20;
export const LEAST = 0.3; /* pixels of a node that is drawn */
/* How much of its colour a node has: as it is, a match, no match, above what is
 * zoomed. */
const PARTS = [1, 1, 0.4, 0.6];
export const FONT = "12px system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', " +
	"sans-serif";

export class FlameCanvas {
	constructor(label)
	{
		this.scroll = make("div", undefined, "scroll");
		this.canvas = make("canvas");
		this.room = make("div");
		this.scroll.tabIndex = 0;
		this.scroll.setAttribute("role", "group");
		this.scroll.setAttribute("aria-label", label);
		this.canvas.setAttribute("aria-hidden", "true");
		this.scroll.append(this.canvas, this.room);
		this.ctx = this.canvas.getContext("2d");
		this.widths = new Map();
		this.colours = []; /* per frame, inlined ones behind */
		this.shades = []; /* pixels, by frame and how they stand */
		this.data = null;
		this.frames = null;
		this.mode = "kind"; /* what colours stand for */
		this.tree = null;
		this.isDiff = false;
		this.flipped = false; /* root at the bottom */
		this.focus = 0;
		this.hover = -1;
		this.selected = -1;
		this.matches = null; /* per frame, or null */
		this.from = 0; /* what is in view, in units of weight */
		this.to = 1;
		this.pending = 0;
		this.moving = 0;
		this.calm = matchMedia("(prefers-reduced-motion: reduce)");
		this.scroll.addEventListener("scroll", () => this.draw());
	}

	/* data: FlameData; tree: one of its trees */
	show(data, tree)
	{
		if (this.frames !== data.frames)
			this.colours = [];
		this.shades = [];
		this.data = data;
		this.frames = data.frames;
		this.tree = tree;
		this.isDiff = data.info.diff;
		this.focus = 0;
		this.hover = this.selected = -1;
		cancelAnimationFrame(this.moving);
		this.from = 0;
		this.to = tree.weight[0] || 1;
		this.resize();
	}

	setTheme(dark)
	{
		this.dark = dark;
		this.colours = [];
		this.shades = [];
		this.draw();
	}

	/* kind, packages or modules; a difference has its own colours */
	setMode(mode)
	{
		if (this.mode === mode)
			return;
		this.mode = mode;
		this.colours = [];
		this.shades = [];
		this.draw();
	}

	resize()
	{
		const ratio = devicePixelRatio || 1;

		this.width = this.scroll.clientWidth;
		this.height = this.scroll.clientHeight;
		this.canvas.width = Math.round(this.width * ratio);
		this.canvas.height = Math.round(this.height * ratio);
		this.canvas.style.width = `${this.width}px`;
		this.canvas.style.height = `${this.height}px`;
		this.ratio = ratio;
		if (this.tree)
			this.layRoom();
		this.draw();
	}

	/* The canvas takes part in the height of what is scrolled. */
	layRoom()
	{
		const rows = this.tree.rows * ROW + 4;

		this.tall = Math.max(rows, this.height);
		this.room.style.height = `${this.tall - this.height}px`;
		this.reveal(this.focus);
	}

	rowY(depth)
	{
		if (this.flipped)
			return this.tall - (depth + 1) * ROW;
		return depth * ROW;
	}

	/* Scrolls so that a node's row can be seen, with room on the side where
	 * its children are. */
	reveal(node)
	{
		const y = this.rowY(this.tree.depth[node]);
		const top = this.scroll.scrollTop;

		if (this.flipped && !node)
			this.scroll.scrollTop = this.tall;
		else if (y < top + ROW || y + 2 * ROW > top + this.height)
			this.scroll.scrollTop = this.flipped ?
				y - this.height + 5 * ROW : y - 4 * ROW;
	}

	draw()
	{
		if (!this.pending)
			this.pending = requestAnimationFrame(() => {
				this.pending = 0;
				if (this.tree)
					this.paint();
			});
	}

	/* --- zoom --- */

	/* at: whether it is there at once */
	zoom(node, at)
	{
		const t = this.tree;

		this.focus = node;
		this.atOnce = at;
		this.moveTo(t.x[node], t.x[node] + (t.weight[node] || 1));
		this.reveal(node);
	}

	/* Makes the view narrower or wider around a place on the screen. */
	scale(by, atX)
	{
		const all = this.tree.weight[0] || 1;
		const at = this.from + (this.to - this.from) * atX / this.width;
		const span = Math.min(all, Math.max(all * 1e-9,
						    (this.to - this.from) * by));
		const from = Math.min(all - span, Math.max(
			0, at - span * atX / this.width));

		cancelAnimationFrame(this.moving);
		this.from = from;
		this.to = from + span;
		this.draw();
	}

	pan(pixels)
	{
		const all = this.tree.weight[0] || 1;
		const span = this.to - this.from;
		const step = span * pixels / this.width;

		cancelAnimationFrame(this.moving);
		this.from = Math.min(all - span, Math.max(0, this.from + step));
		this.to = this.from + span;
		this.draw();
	}

	moveTo(from, to)
	{
		const start = performance.now();
		const [from0, to0] = [this.from, this.to];
		const step = (now) => {
			const done = this.calm.matches || this.atOnce ? 1 :
				Math.min(1, Math.max(0, (now - start) / 160));
			const part = 1 - (1 - done) ** 3;

			this.from = from0 + (from - from0) * part;
			this.to = to0 + (to - to0) * part;
			if (done < 1)
				this.moving = requestAnimationFrame(step);
			else
				[this.from, this.to] = [from, to];
			this.paint();
		};

		cancelAnimationFrame(this.moving);
		this.moving = requestAnimationFrame(step);
	}

	/* --- finding --- */

	nodeAt(px, py)
	{
		const t = this.tree;
		const y = py + this.scroll.scrollTop;
		const depth = Math.floor((this.flipped ? this.tall - y : y) / ROW);
		const scale = (this.to - this.from) / this.width;
		const at = this.from + px * scale;
		let i = 0;

		if (depth < 0 || depth >= t.rows)
			return -1;
		while (t.depth[i] < depth) {
			let c = i + 1;

			while (c < t.end[i] && t.x[c] + t.weight[c] <= at)
				c = t.end[c];
			if (c >= t.end[i] || t.x[c] > at ||
			    t.weight[c] < LEAST * scale)
				return -1;
			i = c;
		}
		return i;
	}

	/* The node that an arrow key leads to from another; -1: none. */
	neighbour(i, key)
	{
		const t = this.tree;
		const inwards = this.flipped ? "ArrowUp" : "ArrowDown";
		let before = -1;

		if (key === inwards)
			return this.widestChild(i);
		if (key !== "ArrowLeft" && key !== "ArrowRight")
			return t.parent[i];
		if (!i)
			return -1;
		if (key === "ArrowRight")
			return t.end[i] < t.end[t.parent[i]] ? t.end[i] : -1;
		for (let c = t.parent[i] + 1; c < i; c = t.end[c])
			before = c;
		return before;
	}

	widestChild(i)
	{
		const t = this.tree;
		let best = -1;

		for (let c = i + 1; c < t.end[i]; c = t.end[c])
			if (best < 0 || t.weight[c] > t.weight[best])
				best = c;
		return best;
	}

	/* Where a node is in view. */
	spotOf(i)
	{
		const x = (this.tree.x[i] - this.from) * this.width /
			(this.to - this.from);

		return [Math.min(this.width - 40, Math.max(20, x + 20)),
			this.rowY(this.tree.depth[i]) + ROW -
			this.scroll.scrollTop];
	}

	/* --- painting --- */

	paint()
	{
		const { ctx, ratio } = this;
		const top = this.scroll.scrollTop;
		const perUnit = this.width / (this.to - this.from);
		const labels = [];

		if (!this.width || !this.height)
			return;
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.paintBoxes(top, labels);
		ctx.font = FONT;
		ctx.textBaseline = "middle";
		for (const [i, box] of labels)
			this.label(ctx, i, box);
		ctx.globalAlpha = 1;
		this.outline(this.selected, perUnit, top, 2);
		this.outline(this.hover, perUnit, top, 1);
	}

	/* Boxes without their names. A row looks the same on each of its lines
	 * but the first, so two lines are made of it and copied: that is quicker
	 * by far than a canvas is with thousands of boxes. */
	paintBoxes(top, labels)
	{
		const { ratio, tall } = this;
		const wide = this.canvas.width, high = this.canvas.height;
		const first = Math.floor((this.flipped ? tall - top - this.height :
			top) / ROW);
		const nr = Math.ceil(this.height / ROW) + 1;
		const lines = this.newLines(2 * nr * wide);

		this.eachBox({ width: this.width, height: this.height, top, tall },
			     (i, b) => {
			const row = this.tree.depth[i] - first;
			const from = Math.round(b.x * ratio);
			const to = Math.max(from + 1,
					    Math.round((b.x + b.w) * ratio));
			const at = 2 * row * wide;
			const colour = this.pixel(i, b.w * ratio < 0.7);

			if (row < 0 || row >= nr)
				return;
			lines.fill(colour, at + from, at + to);
			if (i && this.isInlined(i))
				lines.fill(colour, at + wide + from,
					   at + wide + to);
			if (b.wide > 22)
				labels.push([i, { ...b }]);
		});
		this.copyLines(lines, { first, nr, wide, high, top });
		this.ctx.putImageData(this.image, 0, 0);
	}

	newLines(n)
	{
		const { width, height } = this.canvas;

		if (this.image?.width !== width || this.image?.height !== height) {
			this.image = new ImageData(width, height);
			this.pixels = new Uint32Array(this.image.data.buffer);
		}
		this.pixels.fill(0);
		if (this.lines?.length !== n)
			this.lines = new Uint32Array(n);
		else
			this.lines.fill(0);
		return this.lines;
	}

	/* Of each row the line between it and its caller's, then the others. */
	copyLines(lines, { first, nr, wide, high, top })
	{
		const { ratio, pixels } = this;
		const gap = Math.round(ratio);

		for (let row = 0; row < nr; row++) {
			const begin = Math.round((this.rowY(first + row) - top) *
						 ratio);
			const end = begin + Math.round(ROW * ratio);
			const at = 2 * row * wide;
			const body = lines.subarray(at, at + wide);
			const edge = lines.subarray(at + wide, at + 2 * wide);

			for (let y = Math.max(0, begin); y < Math.min(end, high); y++)
				pixels.set((this.flipped ? y >= end - gap :
					y < begin + gap) ? edge : body, y * wide);
		}
	}

	/* The colour of a node as a pixel, faint where it stands back or is
	 * thinner than a pixel. */
	pixel(i, isThin)
	{
		const f = this.tree.frame[i] + 1;
		const state = this.isMatch(i) ? 1 : this.matches ? 2 :
			this.tree.depth[i] < this.tree.depth[this.focus] ? 3 : 0;
		const key = 16 * f + 4 * state + (isThin ? 2 : 0) +
			(this.isInlined(i) ? 1 : 0);
		const part = PARTS[state] * (isThin ? 0.5 : 1);

		if (this.isDiff)
			return boxPixel(this.fill(i), part, this.dark);
		if (this.shades[key] === undefined)
			this.shades[key] = boxPixel(this.fill(i), part,
						    this.dark);
		return this.shades[key];
	}

	/* How tall a picture of all rows in view is. */
	tallOf()
	{
		let rows = 1;

		this.eachBox({ width: this.width, top: 0, height: Infinity,
			       tall: Infinity }, (i) => {
			rows = Math.max(rows, this.tree.depth[i] + 1);
		});
		return rows * ROW + 4;
	}

	/* Draws a page of rows: top is scrolled away of tall. */
	paintOn(ctx, page)
	{
		ctx.font = FONT;
		ctx.textBaseline = "middle";
		this.eachBox(page, (i, b) => this.box(ctx, i, b));
		ctx.globalAlpha = 1;
	}

	/* Calls with each node that is drawn on a page and its box. */
	eachBox({ width, height, top, tall }, put)
	{
		const t = this.tree;
		const { flipped, from } = this;
		const perUnit = width / (this.to - from);
		/* Per row: the last pixel that something narrower than one was
		 * drawn on; of those that share a pixel one is enough. */
		const last = new Int32Array(t.rows).fill(-1);
		const b = { x: 0, y: 0, w: 0, h: ROW - 1, wide: 0 };

		for (let i = 0; i < t.n;) {
			const depth = t.depth[i];
			const w = t.weight[i] * perUnit;
			const x = (t.x[i] - from) * perUnit;
			const y = (flipped ? tall - (depth + 1) * ROW :
				depth * ROW) - top;

			if (i && (w < LEAST || x > width || x + w < 0 ||
				  (flipped ? y + ROW < 0 : y > height))) {
				i = t.end[i];
				continue;
			}
			if (w < 1) {
				const pixel = Math.floor(x);

				if (last[depth] === pixel) {
					i = t.end[i];
					continue;
				}
				last[depth] = pixel;
			}
			if ((y > -ROW && y < height) || height === Infinity) {
				b.x = Math.max(0, x);
				b.wide = Math.min(width, x + w) - b.x;
				b.y = y;
				b.w = Math.max(b.wide - (w > 3 ? 1 : 0.2), 0.3);
				put(i, b);
			}
			i++;
		}
	}

	isInlined(i)
	{
		return isInlined(this.tree, i);
	}

	kind(i)
	{
		if (!i && this.tree.frame[0] < 0)
			return "root";
		return this.isInlined(i) ? "inlined" :
			this.frames.kind[this.tree.frame[i]];
	}

	colour(i)
	{
		const t = this.tree;
		const f = t.frame[i];
		const key = this.isInlined(i) ? this.frames.nr + f : f;
		let c;

		if (this.isDiff)
			return diffColour(t.weight[i] ?
				t.total[i] / t.weight[i] : 0, this.dark);
		c = this.colours[key];
		if (!c) {
			c = this.newColour(i, f);
			this.colours[key] = c;
		}
		return c;
	}

	newColour(i, f)
	{
		if (f <= 0 || this.mode === "kind")
			return kindColour(this.kind(i), f < 0 ? "" :
				this.frames.name[f], this.dark);
		const group = this.data[this.mode]()[f];

		return groupColour(group, this.data.slots(this.mode).get(group),
				   this.frames.name[f], this.dark);
	}

	isMatch(i)
	{
		const f = this.tree.frame[i];

		return this.matches && f > 0 && this.matches[f] === 1;
	}

	fill(i)
	{
		if (this.isMatch(i))
			return this.dark ? "hsl(300 55% 48%)" :
				"hsl(300 74% 74%)";
		return this.colour(i);
	}

	ink()
	{
		return this.dark ? "#f3f1ee" : "#26221e";
	}

	/* An inlined call is joined with its caller and has a slanted name. */
	box(ctx, i, b)
	{
		const isFaint = this.matches && !this.isMatch(i);
		const isAbove = this.tree.depth[i] < this.tree.depth[this.focus];
		const joined = i && this.isInlined(i) ? 1 : 0;

		ctx.globalAlpha = isFaint ? 0.4 : isAbove ? 0.6 : 1;
		ctx.fillStyle = this.fill(i);
		ctx.fillRect(b.x, b.y + 1 - (this.flipped ? 0 : joined), b.w,
			     b.h + joined);
		if (b.wide > 22)
			this.label(ctx, i, b);
	}

	label(ctx, i, b)
	{
		const text = this.fitted(i, b.wide - 9);
		const slanted = i && this.isInlined(i);

		if (!text)
			return;
		ctx.globalAlpha = this.matches && !this.isMatch(i) ? 0.65 : 1;
		ctx.fillStyle = this.ink();
		if (slanted)
			ctx.font = `italic ${FONT}`;
		ctx.fillText(text, b.x + 5, b.y + 1 + ROW / 2);
		if (slanted)
			ctx.font = FONT;
	}

	textWidth(text)
	{
		let w = this.widths.get(text);

		if (w === undefined) {
			w = this.ctx.measureText(text).width;
			if (this.widths.size > 50000)
				this.widths.clear();
			this.widths.set(text, w);
		}
		return w;
	}

	/* As much of a name as there is room for. */
	fitted(i, room)
	{
		const f = this.tree.frame[i];
		let text = f < 0 ? this.rootLabel || "all" : this.frames.name[f];
		let full = this.textWidth(text);

		if (full > room && f >= 0) {
			text = this.frames.short[f];
			full = this.textWidth(text);
		}
		if (full <= room)
			return text;
		let n = Math.floor(text.length * (room - 7) / full);

		/* Letters are not all of one width. */
		while (n >= 2 && this.textWidth(text.slice(0, n)) > room - 9)
			n -= Math.max(1, n >> 4);
		return n < 2 ? "" : `${text.slice(0, n)}\u2026`;
	}

	outline(i, perUnit, top, thick)
	{
		const t = this.tree;

		if (i < 0 || i >= t.n)
			return;
		const x = Math.max(0, (t.x[i] - this.from) * perUnit);
		const right = Math.min(this.width, (t.x[i] + t.weight[i] -
						    this.from) * perUnit);

		if (right <= 0 || x >= this.width)
			return;
		this.ctx.strokeStyle = this.dark ? "#fff" : "#1d1a17";
		this.ctx.lineWidth = thick;
		this.ctx.strokeRect(x + 0.5, this.rowY(t.depth[i]) - top + 1.5,
				    Math.max(1, right - x - 2), ROW - 2);
	}
}
