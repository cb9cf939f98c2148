// SPDX-License-Identifier: Apache-2.0
/* frame_info.js: what can be said about a frame and done with it, the same in
 * each view. */
import { make, makeButton, makeChip, copyText } from "./dom.js";
import { KINDS, number, percent, sumText, valueText, escapeRegex, kindColour, diffColour, groupColour } from "./text.js";
import { openMenu } from "./menu.js";

export function exactly(name)
{
	return `^${escapeRegex(name)}$`;
}

/* Why there are no calls to see; "" if there are some. */
export function whyEmpty(app, data)
{
	if (data.tree().n > 1)
		return "";
	if (data.info.before_total || data.info.after_total)
		return "Both sides are the same.";
	if (data.info.total)
		return "The samples of this type have no stacks.";
	return app.filters.isActive() ? "No sample matches the filters." :
		"There are no samples of this type.";
}

/* --- details --- */

/* place: data, tree, node, zoom (a node), inverted, base (of other percents) */
export function detailNodes(app, place, onMenu)
{
	const { data, tree, node } = place;
	const f = tree.frame[node];
	const head = make("div", undefined, "name");
	const name = make("span", f < 0 ? "all" : data.frames.name[f]);

	head.append(name);
	if (onMenu && f > 0) {
		const b = makeButton("", "Actions (m)", onMenu, "more");

		b.setAttribute("aria-label", "Actions for this frame");
		head.append(b);
	}
	const nodes = [head, numberLine(place)];

	if (f >= 0)
		nodes.push(make("div", originText(place), "quiet"));
	return nodes;
}

function numberLine({ data, tree: t, node: i, zoom, inverted, whole })
{
	const show = (v) => sumText(v, data.info);
	const line = make("div", undefined, "numbers");
	const all = whole || t.weight[0];
	const parts = [];

	line.append(make("b", show(t.total[i])));
	if (valueText(t.total[i], data.info.unit) !== number(t.total[i]))
		line.append(` (${number(t.total[i])})`);
	if (data.info.diff)
		parts.push(`${percent(t.weight[i], all)} of all change`);
	else
		parts.push(`${percent(t.total[i], all)} of all`);
	if (zoom && i > zoom && i < t.end[zoom])
		parts.push(`${percent(t.weight[i], t.weight[zoom])} ` +
			   "of what is zoomed");
	if (t.parent[i] > 0)
		parts.push(`${percent(t.weight[i], t.weight[t.parent[i]])} of ` +
			   (inverted ? "its callee" : "its caller"));
	if (!inverted)
		parts.push(`self ${show(t.self[i])} (${percent(t.self[i], all)})`);
	line.append(` \u00b7 ${parts.join(" \u00b7 ")}`);
	return line;
}

function originText({ data, tree: t, node: i })
{
	const f = t.frame[i];
	const { kind, module, file } = data.frames;
	const parts = [];

	if (kind[f] !== "other")
		parts.push(KINDS[kind[f]][0]);
	if (t.inlined[i])
		parts.push(`${percent(t.inlined[i], t.total[i])} inlined`);
	if (module[f])
		parts.push(module[f]);
	if (file[f])
		parts.push(file[f]);
	return parts.join(" \u00b7 ");
}

/* --- actions --- */

/* Key, text, run. What is done to a frame, in the menu and by keys. */
const FRAME_ACTIONS = [
	["e", "Callers and callees (sandwich)",
	 (app, name) => app.go({ view: "sandwich", fn: name, zoom: "" })],
	["f", "Focus: only stacks with it",
	 (app, name) => app.filters.add("focus", exactly(name))],
	["x", "Ignore: no stack with it",
	 (app, name) => app.filters.add("ignore", exactly(name))],
	["h", "Hide: take it out of stacks",
	 (app, name) => app.filters.add("hide", exactly(name))],
	["F", "Show from: take its callers away",
	 (app, name) => app.filters.add("show_from", exactly(name))],
	["c", "Copy the name", (app, name) => copyText(name, (text) => app.hint(
		text))],
];

export const FRAME_KEYS = [
	["e", "callers and callees of the function (sandwich)"],
	["f, x", "focus on the function, ignore stacks with it"],
	["h, F", "hide the function, show stacks from it"],
	["r", "collapse recursion"],
	["c", "copy the name"],
	["m", "menu of the frame"],
];

export const FRAME_TOUCHES = [
	["tap, tap again", "numbers of a frame, then as a click"],
	["long press", "menu of the frame"],
	["drag, two fingers", "move, scale what is in view"],
];

/* The key of an action on a frame: whether it was one. */
export function frameKey(app, key, name)
{
	const action = FRAME_ACTIONS.find(([k]) => k === key);

	if (!action || !name)
		return false;
	action[2](app, name);
	return true;
}

/* A row of the menu: the names from the outermost caller to a node, one on each
 * line. */
export function stackRow(app, data, tree, node)
{
	const names = [];

	for (let i = node; i > 0; i = tree.parent[i])
		names.unshift(data.frames.name[tree.frame[i]]);
	return ["Copy the stack", () => copyText(names.join("\n"),
						 (text) => app.hint(text))];
}

/* more: rows for the top of the menu, as openMenu() takes them */
export function frameMenu(app, { name, x, y, more = [] })
{
	const rows = FRAME_ACTIONS.map(([key, text, run]) => [
		text, () => run(app, name), key]);

	if (app.showSource)
		rows.push(["Lines and source text", () => app.showSource(name)]);
	openMenu(x, y, [...more, ...(more.length ? [null] : []), ...rows],
		 "What to do with the frame");
}

/* --- colours --- */

/* What colours stand for where nothing is chosen: the kinds of frames, where
 * there is more than one worth telling apart, else packages. */
export function colourMode(data, chosen)
{
	const kinds = data.kinds().filter(([kind]) => kind !== "cut" &&
		kind !== "thread" && kind !== "inlined");
	const all = kinds.reduce((sum, [, w]) => sum + w, 0);

	if (chosen)
		return { kind: "kind", package: "packages",
			 module: "modules" }[chosen] || "kind";
	return kinds.filter(([, w]) => w > all * 0.02).length > 1 ? "kind" :
		"packages";
}

/* What the colours mean, the largest first. */
export function legendChips(data, mode, dark)
{
	if (data.info.diff)
		return [[1, "more"], [0, "the same"], [-1, "less"]].map(
			([ratio, text]) => makeChip(diffColour(ratio, dark), text));
	if (mode === "kind")
		return data.kinds().map(([kind]) => makeChip(
			kindColour(kind, "", dark), KINDS[kind][0],
			kind === "inlined" ? "inlined" : ""));
	return [...data.slots(mode)].map(([group, slot]) => {
		/* The end of a path says most. */
		const chip = makeChip(groupColour(group, slot, group, dark),
				      group.split("/").slice(-2).join("/"));

		chip.title = group;
		return chip;
	});
}
