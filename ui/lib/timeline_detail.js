// SPDX-License-Identifier: Apache-2.0
/* What the fixed place of details says about a lane, a box or a span. */
import { make, makeButton } from "./dom.js";
import { counted, duration, number, percent } from "./text.js";
import { part } from "./time_parts.js";

export function laneDetail(view, lane, x)
{
	const n = view.numbers(lane);
	const { states } = view.wide;
	const span = view.window.to - view.window.from;
	const head = make("div", lane.process ?
		`${lane.thread} \u00b7 process ${lane.process}` : lane.thread,
			  "name");
	const parts = [];

	if (n.busy || n.waiting)
		parts.push(`busy ${duration(n.busy)} ` +
			   `(${percent(n.busy, span)} of the time in view)`,
			   `waiting ${duration(n.waiting)}`);
	if (n.points)
		parts.push(counted(n.points, "observation"));
	if (n.intervals)
		parts.push(counted(n.intervals, "interval"));
	head.append(makeButton("Flame graph", "Of this thread and the time in " +
		"view (f)", () => view.flameOf(lane), "act"));
	const line = n.parts.slice(0, 6).map((p) => `${states[p.state].text} ${
		p.time ? duration(p.time) : number(p.points)}`)
		.concat(cellText(view, lane, x) || []);

	return [head, make("div", parts.join(" \u00b7 ") ||
			   "idle in the time in view", "numbers"),
		part("div", "quiet", line.join(" \u00b7 "))];
}

/* The state at the pointer. */
function cellText(view, lane, x)
{
	const data = view.fine || view.wide;
	const cells = view.fine ? lane.fine?.cells : lane.cells;
	const c = Math.floor((view.time(x) - data.from) / data.width);

	if (!cells || x < view.gutter || c < 0 || c >= data.columns ||
	    cells[2 * c] < 0)
		return "";
	return `here ${view.wide.states[cells[2 * c]].text} ` +
		`${percent(cells[2 * c + 1], 1)} of ${duration(data.width)}`;
}

export function boxDetail(view, box)
{
	const { frames, tree } = box.boxes;
	const f = tree.frame[box.node];
	const state = box.boxes.state >= 0 ?
		` \u00b7 ${view.wide.states[box.boxes.state].text}` : "";
	const origin = [frames.module[f], frames.file[f]].filter((s) => s);

	return [make("div", frames.name[f], "name"),
		make("div", `${duration(box.to - box.from)} from ` +
			view.scale.text(box.from, box.to - box.from) + state,
		     "numbers"),
		make("div", origin.join(" \u00b7 "), "quiet")];
}

export function spanDetail(view, span)
{
	return [make("div", `span ${span.span}`, "name"),
		make("div", `${view.scale.range(span.first, span.last)} \u00b7 ` +
			`${view.app.valueText(span.value)} in ` +
			counted(span.observations, "observation"), "numbers"),
		make("div", `${(span.threads || []).join(", ")} \u00b7 click to ` +
			"show only this span", "quiet")];
}
