// SPDX-License-Identifier: Apache-2.0
"use strict";

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);

/* Frames as columns; frame 0 stands for what was too small to be written. */
const frames = (() => {
	const nr = data.frames.length / 4;
	const f = { nr, name: [], module: [], file: [], kind: [], short: [] };

	for (let i = 0; i < nr; i++) {
		const [name, type, module, file] =
			data.frames.slice(4 * i, 4 * i + 4)
				.map((s) => data.strings[s]);

		f.name.push(name);
		f.module.push(module);
		f.file.push(file);
		f.kind.push(kindOf(type, name));
		f.short.push(shortName(name, f.kind[i]));
	}
	return f;
})();

const view = new View(byId("scroll"), byId("canvas"), byId("room"), frames);
const state = {
	profile: data.first,
	inverted: false,
	sorted: false,
	table: false,
	tableBy: "self",
	query: "",
	found: null, /* nodes that match, the largest first */
	foundAt: -1,
	regex: null,
};
const trees = new Map(); /* by profile, inverted, sorted */
let rank = null;

function make(tag, text, className)
{
	const e = document.createElement(tag);

	if (text !== undefined)
		e.textContent = text;
	if (className)
		e.className = className;
	return e;
}

/* --- trees --- */

function nameRank()
{
	if (!rank) {
		const ids = Array.from(frames.name.keys());

		ids.sort((a, b) => frames.name[a] < frames.name[b] ? -1 :
			frames.name[a] > frames.name[b] ? 1 : a - b);
		rank = new Int32Array(frames.nr);
		ids.forEach((id, i) => {
			rank[id] = i;
		});
	}
	return rank;
}

function treeFor(profile, inverted, sorted)
{
	const key = `${profile} ${inverted} ${sorted}`;
	let t = trees.get(key);

	if (t)
		return t;
	if (sorted) {
		const plain = treeFor(profile, inverted, false);

		t = orderTree(plain, byName(plain, nameRank()));
	} else if (inverted) {
		t = invertTree(treeFor(profile, false, false));
	} else {
		t = decodeTree(data.profiles[profile]);
		if (t.hasCut || data.profiles[profile].diff)
			t = orderTree(t, bySize(t));
	}
	if (trees.size > 12)
		trees.clear();
	trees.set(key, t);
	return t;
}

const profile = () => data.profiles[state.profile];
const show = (v) => valueText(v, profile().unit);

/* Shows the tree that the state asks for. */
function load()
{
	const p = profile();
	const t = treeFor(state.profile, state.inverted, state.sorted);

	view.rootLabel = `all \u00b7 ${show(p.total)}`;
	view.show(t, p.diff);
	byId("profile").selectedIndex = state.profile;
	byId("total").textContent = totalText(p);
	search(state.query);
	crumbs();
	legend();
	facts();
	detail(-1);
	if (state.table)
		table();
	remember();
}

function totalText(p)
{
	const nr = number(treeFor(state.profile, false, false).n - 1);
	const as = p.period && p.period_unit !== p.unit &&
		Object.hasOwn(TIMES, p.period_unit) ?
		` \u2248 ${valueText(p.total * p.period, p.period_unit)}` : "";

	return `${p.diff ? "net change " : ""}${show(p.total)}${as}, ${nr} frames`;
}

/* --- details, in a fixed place --- */

function detail(i)
{
	const box = byId("detail");
	const t = view.tree;

	box.replaceChildren();
	box.className = i < 0 ? "empty" : "";
	if (i < 0) {
		box.textContent = "Point at a frame for its numbers, click it to " +
			"zoom in. Press ? for all keys.";
		return;
	}
	box.append(make("div", i ? frames.name[t.frame[i]] : "all", "name"));
	box.append(numbers(i));
	if (i)
		box.append(make("div", origin(i), "quiet"));
}

function numbers(i)
{
	const t = view.tree;
	const line = make("div", undefined, "numbers");
	const all = t.weight[0];
	const parts = [];

	line.append(make("b", show(t.total[i])));
	if (show(t.total[i]) !== number(t.total[i]))
		line.append(` (${number(t.total[i])})`);
	if (profile().diff)
		parts.push(`${percent(t.weight[i], all)} of all change`);
	else
		parts.push(`${percent(t.total[i], all)} of all`);
	if (view.focus && i > view.focus && i < t.end[view.focus])
		parts.push(`${percent(t.weight[i], t.weight[view.focus])} ` +
			   "of what is zoomed");
	if (i)
		parts.push(`${percent(t.weight[i], t.weight[t.parent[i]])} of ` +
			   (state.inverted ? "its callee" : "its caller"));
	if (!state.inverted)
		parts.push(`self ${show(t.self[i])} ` +
			   `(${percent(t.self[i], all)})`);
	line.append(` \u00b7 ${parts.join(" \u00b7 ")}`);
	return line;
}

function origin(i)
{
	const t = view.tree;
	const f = t.frame[i];
	const parts = [];

	if (frames.kind[f] !== "other")
		parts.push(KINDS[frames.kind[f]][0]);
	if (t.inlined[i])
		parts.push(`${percent(t.inlined[i], t.total[i])} inlined`);
	if (frames.module[f])
		parts.push(frames.module[f]);
	if (frames.file[f])
		parts.push(frames.file[f]);
	return parts.join(" \u00b7 ");
}

/* The kinds of frames that there are, the most frequent first. */
function legend()
{
	const t = view.tree;
	const weight = new Map();
	const box = byId("legend");

	box.replaceChildren();
	if (profile().diff) {
		for (const [ratio, text] of [[1, "more"], [0, "the same"],
					     [-1, "less"]])
			box.append(chip(diffColour(ratio, view.dark), text));
		return;
	}
	for (let i = 1; i < t.n; i++) {
		const kind = view.kind(i);

		weight.set(kind, (weight.get(kind) || 0) + t.weight[i]);
	}
	if (weight.size < 2 && weight.has("other"))
		return;
	for (const [kind] of [...weight].sort((a, b) => b[1] - a[1]))
		box.append(chip(kindColour(kind, "", view.dark),
				KINDS[kind][0]));
}

function chip(colour, text)
{
	const s = make("span");
	const i = make("i");

	i.style.background = colour;
	s.append(i, text);
	return s;
}

/* --- zoom --- */

function zoom(i)
{
	view.zoom(i);
	crumbs();
	if (state.table)
		table();
}

function crumbs()
{
	const t = view.tree;
	const bar = byId("crumbs");
	const path = [];

	for (let i = view.focus; i > 0; i = t.parent[i])
		path.unshift(i);
	bar.replaceChildren(crumb(0, "all"));
	if (path.length > 7) {
		const gone = path.splice(2, path.length - 6);

		path.splice(2, 0, -gone.length);
	}
	for (const i of path) {
		bar.append("\u203a");
		if (i < 0)
			bar.append(`\u2026 ${-i} \u2026`);
		else
			bar.append(crumb(i, frames.short[t.frame[i]]));
	}
	bar.lastChild.setAttribute("aria-current", "true");
}

function crumb(i, text)
{
	const b = make("button", text);

	b.title = i ? frames.name[view.tree.frame[i]] : "Reset the zoom (0)";
	b.addEventListener("click", () => zoom(i));
	return b;
}

/* --- search --- */

/* A text that is no regular expression is looked for as it is. Without capital
 * letters their case does not matter. */
function regexOf(query)
{
	const flags = query === query.toLowerCase() ? "i" : "";

	try {
		return new RegExp(query, flags);
	} catch {
		return new RegExp(query.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"),
				  flags);
	}
}

function search(query)
{
	const t = view.tree;

	state.query = query;
	state.found = null;
	state.foundAt = -1;
	view.matches = null;
	byId("matched").textContent = "";
	if (query) {
		const regex = regexOf(query);
		const matches = new Uint8Array(frames.nr);

		for (let i = 0; i < frames.nr; i++)
			matches[i] = regex.test(frames.name[i]) ? 1 : 0;
		const found = findNodes(t, matches);

		view.matches = matches;
		state.found = found.nodes;
		byId("matched").textContent = found.nodes.length ?
			`${percent(found.share, 1)} in ` +
			`${number(found.nodes.length)}` : "no match";
	}
	view.draw();
	if (state.table)
		table();
}

/* Zooms to the next or the previous match, the largest first. */
function walk(by)
{
	const n = state.found ? state.found.length : 0;

	if (!n)
		return;
	state.foundAt = state.foundAt < 0 && by < 0 ? n - 1 :
		(state.foundAt + by + n) % n;
	const i = state.found[state.foundAt];

	byId("matched").textContent = byId("matched").textContent
		.replace(/ in .*/, ` in ${number(state.foundAt + 1)}/${number(n)}`);
	select(i);
	zoom(i);
}

/* --- table --- */

function table()
{
	const most = 500;
	const t = view.tree;
	const base = treeFor(state.profile, false, false);
	const list = topList(state.inverted ? base : t,
			     state.inverted ? 0 : view.focus, frames.nr);
	const order = { name: (a, b) => nameRank()[a] - nameRank()[b],
			self: (a, b) => list.self[b] - list.self[a],
			total: (a, b) => list.total[b] - list.total[a] };
	const ids = list.used.filter((f) => !view.matches || view.matches[f]);
	const all = state.inverted ? base.weight[0] : t.weight[view.focus];

	ids.sort((a, b) => order[state.tableBy](a, b) ||
		list.total[b] - list.total[a] || a - b);
	byId("rows").replaceChildren(...ids.slice(0, most).map((f) => {
		const row = make("tr");
		const name = make("td", undefined, "name");
		const button = make("button", frames.name[f]);

		button.addEventListener("click", () => lookUp(f));
		name.append(button);
		row.append(cell(list.self[f], all), cell(list.total[f], all), name,
			   make("td", baseName(frames.module[f]), "module"));
		return row;
	}));
	byId("more").textContent = ids.length > most ?
		`${number(ids.length - most)} more functions` : "";
	for (const b of document.querySelectorAll("th button")) {
		if (b.dataset.by === state.tableBy)
			b.parentNode.setAttribute("aria-sort", "other");
		else
			b.parentNode.removeAttribute("aria-sort");
	}
}

function cell(v, all)
{
	const td = make("td", `${show(v)} `, "value");
	const meter = make("meter");

	meter.value = all ? Math.min(1, Math.abs(v) / all) : 0;
	meter.setAttribute("aria-hidden", "true");
	td.append(make("span", percent(v, all)), meter);
	return td;
}

/* From a row of the table to the graph, where the function is lit up. */
function lookUp(f)
{
	const text = frames.name[f].replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

	toggle("table");
	byId("search").value = `^${text}$`;
	search(`^${text}$`);
}

/* --- keyboard --- */

function select(i)
{
	view.selected = i;
	view.hover = -1;
	if (i >= 0)
		view.reveal(i);
	detail(i);
	view.draw();
}

/* The widest child; where nothing is in view of it, none. */
function childOf(i)
{
	const t = view.tree;
	let best = -1;

	for (let c = i + 1; c < t.end[i]; c = t.end[c])
		if (best < 0 || t.weight[c] > t.weight[best])
			best = c;
	return best;
}

function siblingOf(i, by)
{
	const t = view.tree;
	let before = -1;

	if (!i)
		return -1;
	if (by > 0)
		return t.end[i] < t.end[t.parent[i]] ? t.end[i] : -1;
	for (let c = t.parent[i] + 1; c < i; c = t.end[c])
		before = c;
	return before;
}

function move(key)
{
	const down = view.flipped ? "ArrowUp" : "ArrowDown";
	let to;

	if (view.selected < 0)
		return select(view.focus);
	if (key === "ArrowLeft" || key === "ArrowRight")
		to = siblingOf(view.selected, key === "ArrowRight" ? 1 : -1);
	else
		to = key === down ? childOf(view.selected) :
			view.tree.parent[view.selected];
	if (to >= 0)
		select(to);
	return undefined;
}

function chosen()
{
	return view.hover >= 0 ? view.hover : view.selected;
}

function copyName()
{
	const i = chosen();
	const text = i > 0 ? frames.name[view.tree.frame[i]] : "";
	const done = () => {
		byId("detail").lastChild.textContent = "copied";
	};

	if (!text)
		return;
	if (navigator.clipboard)
		navigator.clipboard.writeText(text).then(done, () => {});
}

function escape()
{
	if (state.query) {
		byId("search").value = "";
		search("");
	} else {
		zoom(0);
	}
	byId("scroll").focus();
}

function pick(n)
{
	const nr = data.profiles.length;

	state.profile = (n + nr) % nr;
	load();
}

const TOGGLES = {
	invert: () => {
		state.inverted = !state.inverted;
		load();
	},
	flip: () => {
		view.flipped = !view.flipped;
		view.layRoom();
		view.draw();
	},
	sort: () => {
		const at = view.focus;

		state.sorted = !state.sorted;
		load();
		if (state.sorted && view.tree.now)
			zoom(view.tree.now[at]);
	},
	table: () => {
		state.table = !state.table;
		byId("list").hidden = !state.table;
		byId("scroll").hidden = state.table;
		if (state.table)
			table();
		else
			view.resize();
	},
};

function toggle(id)
{
	const b = byId(id);

	TOGGLES[id]();
	b.setAttribute("aria-pressed",
		       String(b.getAttribute("aria-pressed") !== "true"));
	remember();
}

const openSearch = () => {
	byId("search").focus();
	byId("search").select();
};
const openHelp = () => {
	if (!byId("about").open)
		byId("about").showModal();
};

/* What a key does; the texts are the list that ? shows. */
const KEYS = [
	["/", "/ or Ctrl-F", "search; Enter and Shift-Enter walk the matches",
	 openSearch],
	["n", "n, N", "next, previous match, the largest first", () => walk(1)],
	["N", null, null, () => walk(-1)],
	["Enter", "Enter or click", "zoom in", () => zoom(Math.max(0, chosen()))],
	["Backspace", "Backspace or u", "zoom out by one", () => up()],
	["u", null, null, () => up()],
	["0", "0 or Home", "reset the zoom", () => zoom(0)],
	["Home", null, null, () => zoom(0)],
	["Escape", "Esc", "clear the search, else reset the zoom", escape],
	["ArrowUp", "arrows", "go to caller, callee and neighbours",
	 () => move("ArrowUp")],
	["ArrowDown", null, null, () => move("ArrowDown")],
	["ArrowLeft", null, null, () => move("ArrowLeft")],
	["ArrowRight", null, null, () => move("ArrowRight")],
	["+", "+, - or Ctrl-wheel", "scale what is in view; drag to move it",
	 () => view.scale(0.7, view.width / 2)],
	["-", null, null, () => view.scale(1 / 0.7, view.width / 2)],
	["c", "c", "copy the name of the frame", copyName],
	["i", "i", "callers: leaves first", () => toggle("invert")],
	["o", "o", "root at the bottom or at the top", () => toggle("flip")],
	["s", "s", "sort by name or by size", () => toggle("sort")],
	["t", "t", "table of functions", () => toggle("table")],
	["]", "], [", "next, previous profile", () => pick(state.profile + 1)],
	["[", null, null, () => pick(state.profile - 1)],
	["d", "d", "dark or light", () => setTheme(!view.dark, true)],
	["?", "?", "this list", openHelp],
];

function up()
{
	if (view.focus)
		zoom(view.tree.parent[view.focus]);
}

function onKey(e)
{
	const inText = e.target === byId("search");
	const isFind = (e.ctrlKey || e.metaKey) && e.key === "f";
	const key = KEYS.find((k) => k[0] === (isFind ? "/" : e.key));

	if (!view.tree || byId("about").open || !key || e.target === byId("profile"))
		return;
	if (!isFind && (e.ctrlKey || e.metaKey || e.altKey))
		return;
	if (inText && !isFind && e.key !== "Escape")
		return;
	if (e.target.tagName === "BUTTON" && e.key === "Enter")
		return;
	e.preventDefault();
	key[3]();
}

/* --- mouse --- */

function onPoint(e)
{
	const i = view.nodeAt(e.offsetX, e.offsetY);

	if (i === view.hover)
		return;
	view.hover = i;
	view.canvas.style.cursor = i >= 0 ? "pointer" : "default";
	detail(i >= 0 ? i : view.selected);
	view.draw();
}

/* A press that moves drags; one that does not is a click. */
function listenMouse()
{
	const canvas = view.canvas;
	let from = null;

	canvas.addEventListener("pointerdown", (e) => {
		from = { x: e.clientX, y: e.clientY, moved: false };
	});
	canvas.addEventListener("pointermove", (e) => {
		if (!from || !e.buttons) {
			onPoint(e);
			return;
		}
		if (Math.abs(e.clientX - from.x) > 4)
			from.moved = true;
		if (from.moved) {
			view.pan(from.x - e.clientX);
			from.x = e.clientX;
		}
	});
	canvas.addEventListener("click", (e) => {
		const i = view.nodeAt(e.offsetX, e.offsetY);

		if (from && !from.moved && i >= 0) {
			view.selected = i;
			zoom(i);
		}
		from = null;
	});
	canvas.addEventListener("pointerleave", () => {
		view.hover = -1;
		detail(view.selected);
		view.draw();
	});
	canvas.addEventListener("wheel", (e) => {
		if (e.ctrlKey || e.metaKey) {
			e.preventDefault();
			view.scale(Math.exp(e.deltaY / 300), e.offsetX);
		} else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
			e.preventDefault();
			view.pan(e.deltaX);
		}
	}, { passive: false });
}

/* --- the page --- */

/* A page from disk may have no storage. */
function stored(value)
{
	try {
		if (value !== undefined)
			localStorage.setItem("otprof-theme", value);
		return localStorage.getItem("otprof-theme");
	} catch {
		return null;
	}
}

function setTheme(dark, keep)
{
	document.documentElement.dataset.theme = dark ? "dark" : "light";
	if (keep)
		stored(dark ? "dark" : "light");
	view.setTheme(dark);
	if (view.tree)
		legend();
}

/* What is shown is in the address, so that it can be passed on. */
function remember()
{
	const parts = new URLSearchParams();

	if (state.profile !== data.first)
		parts.set("profile", state.profile);
	for (const id of Object.keys(TOGGLES))
		if (byId(id).getAttribute("aria-pressed") === "true")
			parts.set(id, 1);
	if (state.query)
		parts.set("search", state.query);
	try {
		history.replaceState(null, "", `#${parts}`);
	} catch {
		/* Some browsers allow none for a file. */
	}
}

function recall()
{
	const parts = new URLSearchParams(location.hash.slice(1));
	const nr = Number(parts.get("profile"));

	if (parts.has("profile") && data.profiles[nr])
		state.profile = nr;
	state.query = parts.get("search") || "";
	byId("search").value = state.query;
	return Object.keys(TOGGLES).filter((id) => parts.has(id));
}

function label(p)
{
	const kind = p.unit && p.unit !== "count" ? `${p.type} (${p.unit})` :
		p.type;

	return [kind || "profile", p.event, p.resource]
		.filter((s) => s).join(" \u00b7 ");
}

function fillLists()
{
	for (const p of data.profiles)
		byId("profile").append(make("option", label(p)));
	for (const [, keys, text] of KEYS) {
		if (!keys)
			continue;
		const dt = make("dt");

		dt.append(make("kbd", keys));
		byId("keys").append(dt, make("dd", text));
	}
}

function facts()
{
	const p = profile();
	const list = [["type", `${p.type}/${p.unit}`], ["scope", p.scope]];

	if (p.time)
		list.push(["begin", new Date(p.time).toISOString()]);
	if (p.duration)
		list.push(["duration", duration(p.duration)]);
	if (p.period)
		list.push(["period", valueText(p.period, p.period_unit)]);
	byId("facts").replaceChildren();
	for (const [key, value] of list.concat(p.facts))
		byId("facts").append(make("dt", key), make("dd", value));
}

function listen()
{
	for (const id of Object.keys(TOGGLES))
		byId(id).addEventListener("click", () => toggle(id));
	byId("theme").addEventListener("click", () => setTheme(!view.dark, true));
	byId("help").addEventListener("click", openHelp);
	byId("next").addEventListener("click", () => walk(1));
	byId("prev").addEventListener("click", () => walk(-1));
	byId("profile").addEventListener("change", (e) => {
		pick(e.target.selectedIndex);
		byId("scroll").focus();
	});
	byId("search").addEventListener("input", (e) => {
		search(e.target.value);
		remember();
	});
	byId("search").addEventListener("keydown", (e) => {
		if (e.key === "Enter")
			walk(e.shiftKey ? -1 : 1);
	});
	for (const b of document.querySelectorAll("th button"))
		b.addEventListener("click", () => {
			state.tableBy = b.dataset.by;
			table();
		});
	document.addEventListener("keydown", onKey);
	addEventListener("resize", () => view.resize());
	listenMouse();
}

function start()
{
	const dark = matchMedia("(prefers-color-scheme: dark)");
	const wanted = recall();

	byId("title").textContent = data.title;
	fillLists();
	setTheme(stored() ? stored() === "dark" : dark.matches);
	dark.addEventListener("change", (e) => {
		if (!stored())
			setTheme(e.matches);
	});
	listen();
	if (!data.profiles.length) {
		byId("detail").textContent = "There is no profile in this file.";
		return;
	}
	load();
	wanted.forEach(toggle);
}

start();
