// SPDX-License-Identifier: Apache-2.0
/* What the timeline shows, one row below the other: the lane of spans, the lane
 * of each thread and, below lanes that are open, their boxes. Knows where a row
 * stands, so that only those in view are looked at. */
import { quoted } from "./text.js";

export const LANE_BAR = 20; /* pixels of what a thread does */
export const BOX_ROW = 17;
export const SPAN_ROW = 17;
export const MOST_SPAN_ROWS = 12;
export const LANE_GAP = 6;

export class LaneRows {
	constructor()
	{
		this.list = [];
		this.top = [0];
		this.labelHigh = 0;
	}

	/* lanes: of the answer; open: lanes by key; spanRows: how many rows */
	set(lanes, open, spanRows)
	{
		this.list = [];
		if (spanRows)
			this.list.push({ kind: "spans", rows: spanRows });
		for (const lane of lanes)
			this.list.push({ kind: "lane", lane,
					 chart: open.get(laneKey(lane)) || null });
		this.lay();
	}

	/* narrow: labels stand above their lanes */
	setNarrow(narrow)
	{
		this.labelHigh = narrow ? 15 : 0;
		this.lay();
	}

	lay()
	{
		let y = 0;

		this.top = [0];
		for (const row of this.list) {
			row.y = y;
			y += this.height(row);
			this.top.push(y);
		}
		this.tall = y;
	}

	height(row)
	{
		const head = this.labelHigh + LANE_GAP;

		if (row.kind === "spans")
			return head + SPAN_ROW * Math.min(row.rows,
							  MOST_SPAN_ROWS) + 4;
		return head + LANE_BAR + (row.chart ? this.depth(row) * BOX_ROW + 6 : 0);
	}

	/* How many rows of boxes a lane has; one for what is to be said. */
	depth(row)
	{
		return Math.max(1, row.chart.deep);
	}

	barY(row)
	{
		return row.y + this.labelHigh + LANE_GAP / 2;
	}

	boxY(row)
	{
		return this.barY(row) + LANE_BAR + 4;
	}

	/* The number of the row at a place, or that of the last. */
	indexAt(y)
	{
		let low = 0;
		let high = this.list.length - 1;

		while (low < high) {
			const mid = (low + high + 1) >> 1;

			if (this.top[mid] <= y)
				low = mid;
			else
				high = mid - 1;
		}
		return low;
	}

	at(y)
	{
		return y >= 0 && y < this.tall ? this.list[this.indexAt(y)] : null;
	}
}

/* A lane in one line, as it stands in the address. */
export function laneKey(lane)
{
	return `${lane.process}/${lane.thread}`.replace(/\n/g, " ");
}

/* --- spans --- */

/* Gives each span the first row that is free, the longest span first among
 * those that begin together. Returns how many rows there are. */
export function layoutSpans(spans)
{
	const ends = [];

	spans.sort((a, b) => a.first - b.first || b.last - a.last);
	for (const s of spans) {
		let row = ends.findIndex((end) => end <= s.first);

		if (row < 0)
			row = ends.push(0) - 1;
		ends[row] = Math.max(s.last, s.first + 1);
		s.row = row;
	}
	return ends.length;
}

/* --- conditions --- */

const QUOTED_TEXT = '"(?:\\\\"|[^"])*"';
const CONDITION = new RegExp(`^\\s*(${QUOTED_TEXT}|[^\\s=!~<>,"']+)\\s*=\\s*` +
	`(${QUOTED_TEXT}|[^\\s,"'~]+)\\s*(?:,|$)`);

/* A condition of equal parts as pairs; null if it is none. */
export function conditionPairs(where)
{
	const pairs = [];

	for (let rest = where; rest;) {
		const m = CONDITION.exec(rest);

		if (!m)
			return null;
		pairs.push([m[1], m[2].startsWith('"') ?
			m[2].slice(1, -1).replace(/\\"/g, '"') : m[2]]);
		rest = rest.slice(m[0].length);
	}
	return pairs;
}

/* One condition for several lanes, from the condition of each: they may differ
 * in one label. null: there is no such condition. */
export function anyWhere(list)
{
	const all = list.map(conditionPairs);
	const [first] = all;

	if (list.length === 1)
		return list[0];
	if (all.some((p) => !p || p.length !== first.length ||
		     p.some(([key], i) => key !== first[i][0])))
		return null;
	const varies = first.map((pair, i) => i).filter((i) =>
		all.some((p) => p[i][1] !== first[i][1]));

	if (varies.length > 1)
		return null;
	return first.map(([key, value], i) => i === varies[0] ?
		`${key}=~${quoted(`^(?:${[...new Set(all.map((p) =>
			p[i][1].replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")))]
			.join("|")})$`)}` :
		`${key}=${quoted(value)}`).join(",");
}

/* The condition for a value of a label as it is shown; "(no thread)" is the
 * empty text. */
export function labelWhere(label, text)
{
	const name = /^[\w./:@+$*-]+$/.test(label) ? label : quoted(label);

	return `${name}=${quoted(text === `(no ${label})` ? "" : text)}`;
}
