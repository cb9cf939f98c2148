// SPDX-License-Identifier: Apache-2.0
"use strict";

/* Draws a tree on a canvas as large as what can be seen of it, and knows which
 * node stands where. Only nodes that are wide enough and in view are drawn, so
 * that the work follows the size of the screen and not of the profile. */
const ROW = 20;
const LEAST = 0.3; /* pixels of a node that is drawn */
const FONT = "12px system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', " +
	"sans-serif";

class View {
	constructor(scroll, canvas, room, frames)
	{
		this.scroll = scroll;
		this.canvas = canvas;
		this.room = room;
		this.frames = frames;
		this.ctx = canvas.getContext("2d");
		this.widths = new Map();
		this.colours = []; /* per frame, inlined ones behind */
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
		scroll.addEventListener("scroll", () => this.draw());
	}

	show(tree, isDiff)
	{
		this.tree = tree;
		this.isDiff = isDiff;
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

	zoom(node)
	{
		const t = this.tree;

		this.focus = node;
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
			const done = this.calm.matches ? 1 :
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

	/* --- painting --- */

	paint()
	{
		const ctx = this.ctx;
		const t = this.tree;
		const perUnit = this.width / (this.to - this.from);
		const top = this.scroll.scrollTop;
		/* Per row: the last pixel that something narrower than one was
		 * drawn on; of those that share a pixel one is enough. */
		const last = new Int32Array(t.rows).fill(-1);

		ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		ctx.clearRect(0, 0, this.width, this.height);
		ctx.font = FONT;
		ctx.textBaseline = "middle";
		for (let i = 0; i < t.n;) {
			const w = t.weight[i] * perUnit;
			const x = (t.x[i] - this.from) * perUnit;
			const y = this.rowY(t.depth[i]) - top;
			const past = this.flipped ? y + ROW < 0 :
				y > this.height;

			if (i && (w < LEAST || x > this.width || x + w < 0 ||
				  past)) {
				i = t.end[i];
				continue;
			}
			if (w < 1) {
				if (last[t.depth[i]] === Math.floor(x)) {
					i = t.end[i];
					continue;
				}
				last[t.depth[i]] = Math.floor(x);
			}
			if (y > -ROW && y < this.height)
				this.box(i, x, y, w);
			i++;
		}
		this.outline(this.selected, perUnit, top, 2);
		this.outline(this.hover, perUnit, top, 1);
	}

	kind(i)
	{
		const t = this.tree;

		if (!i)
			return "root";
		return t.inlined[i] * 2 > t.total[i] ? "inlined" :
			this.frames.kind[t.frame[i]];
	}

	colour(i)
	{
		const t = this.tree;
		const f = t.frame[i];
		const key = t.inlined[i] * 2 > t.total[i] ?
			this.frames.nr + f : f;
		let c;

		if (this.isDiff)
			return diffColour(t.weight[i] ?
				t.total[i] / t.weight[i] : 0, this.dark);
		c = this.colours[key];
		if (!c) {
			c = kindColour(this.kind(i), i ? this.frames.name[f] : "",
				       this.dark);
			this.colours[key] = c;
		}
		return c;
	}

	box(i, x, y, w)
	{
		const ctx = this.ctx;
		const t = this.tree;
		const left = Math.max(0, x);
		const right = Math.min(this.width, x + w);
		const isMatch = this.matches && i && this.matches[t.frame[i]];
		const isAbove = t.depth[i] < t.depth[this.focus];

		ctx.globalAlpha = this.matches && !isMatch ? 0.4 :
			isAbove ? 0.6 : 1;
		ctx.fillStyle = isMatch ?
			(this.dark ? "hsl(300 55% 48%)" : "hsl(300 74% 74%)") :
			this.colour(i);
		ctx.fillRect(left, y + 1,
			     Math.max(right - left - (w > 3 ? 1 : 0.2), 0.3),
			     ROW - 1);
		if (right - left > 22) {
			ctx.globalAlpha = this.matches && !isMatch ? 0.65 : 1;
			ctx.fillStyle = this.dark ? "#f3f1ee" : "#26221e";
			this.label(i, left + 5, y + 1 + ROW / 2,
				   right - left - 9);
		}
		ctx.globalAlpha = 1;
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

	label(i, x, y, room)
	{
		const f = this.tree.frame[i];
		let text = i ? this.frames.name[f] : this.rootLabel || "all";
		let full = this.textWidth(text);

		if (full > room && i) {
			text = this.frames.short[f];
			full = this.textWidth(text);
		}
		if (full > room) {
			const n = Math.floor(text.length * (room - 7) / full);

			if (n < 2)
				return;
			text = `${text.slice(0, n)}\u2026`;
		}
		this.ctx.fillText(text, x, y);
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
