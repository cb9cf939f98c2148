// SPDX-License-Identifier: Apache-2.0
/* The observations of a thread as boxes over time: those one after another that
 * share callers share boxes. Boxes stand in rows by depth, sorted by time, so
 * that what is in view is found by halving and the work follows the pixels. */
import { decodeTree } from "./tree.js";
import { frameColumns } from "./flame_data.js";

/* Points that are further apart than this many steps have a gap between. */
const GAP_STEPS = 2.5;

class BoxRow {
	constructor()
	{
		this.from = [];
		this.to = [];
		this.node = [];
	}

	freeze()
	{
		this.from = Float64Array.from(this.from);
		this.to = Float64Array.from(this.to);
		this.node = Int32Array.from(this.node);
		return this;
	}

	/* The first box that ends behind a time, from a box on: gallops, as it
	 * is most often near. */
	after(time, start = 0)
	{
		let step = 1;
		let low = start;
		let high = start;

		while (high < this.to.length && this.to[high] <= time) {
			low = high + 1;
			high += step;
			step *= 2;
		}
		high = Math.min(high, this.to.length);
		while (low < high) {
			const mid = (low + high) >> 1;

			if (this.to[mid] <= time)
				low = mid + 1;
			else
				high = mid;
		}
		return low;
	}
}

export class ChartBoxes {
	/* answer: of api/chart, or with a tree that is decoded and has the
	 * columns of its frames. state: number of the state that the boxes show,
	 * or -1 */
	constructor(answer, state = -1)
	{
		this.nr = answer.nr;
		this.shown = answer.shown;
		this.state = state;
		const { columns, frames, strings } = answer.tree;

		this.frames = columns || frameColumns(frames, strings);
		this.tree = columns ? answer.tree :
			decodeTree({ self: 0, inlined: [], ...answer.tree });
		this.lasts = answer.at.some((v, i) => i % 3 === 1 && v > 0);
		this.rows = [];
		this.colours = [];
		this.build(answer.at, answer.step || 1);
		this.rows.forEach((r) => r.freeze());
	}

	build(at, step)
	{
		const open = []; /* the nodes of the open boxes, by depth */
		let end = -Infinity;

		for (let i = 0; i < at.length; i += 3) {
			const from = at[i];
			const next = i + 3 < at.length ? at[i + 3] : Infinity;
			const path = this.path(at[i + 2]);
			let same = 0;

			if (from <= end)
				while (same < path.length && same < open.length &&
				       open[same] === path[same])
					same++;
			end = at[i + 1] ? from + at[i + 1] :
				next - from <= step * GAP_STEPS ? next :
					from + step;
			for (let d = 0; d < same; d++)
				this.rows[d].to[this.rows[d].to.length - 1] = end;
			open.length = path.length;
			for (let d = same; d < path.length; d++) {
				open[d] = path[d];
				this.add(d, from, end, path[d]);
			}
		}
	}

	add(depth, from, to, node)
	{
		if (depth >= this.rows.length)
			this.rows.push(new BoxRow());
		const row = this.rows[depth];

		row.from.push(from);
		row.to.push(to);
		row.node.push(node);
	}

	path(node)
	{
		const list = [];

		for (let i = node; i > 0; i = this.tree.parent[i])
			list.push(i);
		return list.reverse();
	}

	name(node)
	{
		return this.frames.name[this.tree.frame[node]];
	}

	/* The box at a depth and time, or null. */
	at(depth, time)
	{
		const row = this.rows[depth];

		if (!row)
			return null;
		const i = row.after(time);

		return i < row.to.length && row.from[i] <= time ?
			{ boxes: this, depth, i, from: row.from[i],
			  to: row.to[i], node: row.node[i] } : null;
	}
}
