// SPDX-License-Identifier: Apache-2.0
/* flame_view.js: the flame graph, with a table of functions beside it. */
import { fillSelect, isNarrow, isTouched, make, makeButton, makeSelect, makeToggle, setPressed } from "./dom.js";
import { allText, counted, number, percent, totalText } from "./text.js";
import { FlameCanvas } from "./flame_canvas.js";
import { foundText, nextMatch } from "./head.js";
import { Table } from "./table_view.js";
import { listenPointer } from "./pointer.js";
import { FRAME_KEYS, FRAME_TOUCHES, colourMode, detailNodes, exactly, frameKey, frameMenu, legendChips, stackRow, whyEmpty } from "./frame_info.js";

const BY = [["function", "by function"], ["line", "by line"],
	    ["module", "by binary"], ["file", "by file"],
	    ["thread,function", "by thread"], ["class,function", "by class"]];

/* What a source can group by. */
export function groupings(app)
{
	const labels = app.labels().map((l) => l.name);

	return BY.filter(([by]) => {
		const [first, second] = by.split(",");

		if (by === "function")
			return true;
		if (second)
			return labels.includes(first);
		return app.source.has(by);
	});
}

export class FlameView {
	static key = "flame";
	static title = "Flame graph";

	constructor(app)
	{
		this.app = app;
		this.hint = isTouched() ?
			"Tap a frame for its numbers, tap it again to zoom in." :
			"Point at a frame for its numbers, click it to zoom " +
			"in. Press ? for all keys.";
		this.element = make("div", undefined, "split");
		this.canvas = new FlameCanvas("Flame graph: arrow keys move, " +
			"Enter zooms, ? lists keys");
		this.canvas.scroll.id = "scroll";
		this.table = new Table(app, (frame) => this.lookUp(frame));
		this.element.append(this.canvas.scroll, this.table.element);
		this.found = null; /* nodes that match, the largest first */
		this.foundAt = -1;
		this.keys = VIEW_KEYS.filter(([, keys]) => keys)
			.map(([, keys, text]) => [keys, text])
			.concat(FRAME_KEYS);
		this.touches = FRAME_TOUCHES;
		this.makeTools();
		listenPointer(this.canvas, {
			point: (i) => this.point(i),
			click: (i) => this.zoom(i),
			menu: (i, x, y) => this.menu(i, x, y),
		});
	}

	makeTools()
	{
		const { app } = this;
		const flip = (key) => () => app.go({ [key]: !app.state[key] });

		this.by = makeSelect("by", "What frames stand for", [],
				     (by) => app.go({ by: by === "function" ?
					     "" : by, zoom: "", fn: "" }));
		this.colour = makeSelect("colour", "What colors stand for", [
			["", "auto colors"], ["kind", "color by kind"],
			["package", "color by package"],
			["module", "color by binary"]],
			(colour) => app.go({ colour }));
		this.invert = makeToggle("invert", "Callers",
			"Callers: leaves first (i)", () => this.turn());
		this.flip = makeToggle("flip", "Flip",
			"Root at the bottom (o)", flip("flip"));
		this.sort = makeToggle("sort", "A\u2013Z", "Sort by name (s)",
			() => app.go({ order: app.state.order ? "" : "name" }));
		this.collapse = makeToggle("collapse", "Recursion",
			"Collapse recursion (r)", () => app.go(
				{ collapse: !app.state.collapse, zoom: "" }));
		this.by.hidden = true; /* until there are data */
		this.tableOn = makeToggle("table", "Table",
			"Table of functions (t)", flip("table"));
		this.tools = [this.by, this.colour, this.invert, this.collapse,
			      this.flip, this.sort, this.tableOn];
	}

	turn()
	{
		this.app.go({ inverted: !this.app.state.inverted, zoom: "" });
	}

	/* --- showing --- */

	async show(signal)
	{
		const { app, canvas } = this;
		const data = await app.flame();

		if (signal.aborted)
			return;
		const { state } = app;
		const tree = data.tree(Boolean(state.inverted),
				       state.order === "name");
		const isNew = canvas.tree !== tree;
		const kept = isNew ? this.keep() : null;

		this.data = data;
		this.updateTools(data);
		canvas.setMode(colourMode(data, state.colour ||
			(state.by === "module" ? "module" : "")));
		canvas.rootLabel = `all \u00b7 ${allText(data.info)}`;
		if (canvas.flipped !== Boolean(state.flip)) {
			canvas.flipped = Boolean(state.flip);
			if (!isNew)
				canvas.layRoom();
		}
		this.element.classList.toggle("with-table", Boolean(state.table));
		if (isNew)
			canvas.show(data, tree);
		this.place(data.nodeOf(tree, state.zoom), isNew);
		this.search();
		this.keepAgain(kept, tree);
		this.describe();
		if (isNew || canvas.width !== canvas.scroll.clientWidth)
			canvas.resize();
		canvas.draw();
		this.showTable();
	}

	/* What stays when data were added to a recording: the frame that is
	 * selected and how far the graph is scrolled. */
	keep()
	{
		const { canvas, data } = this;
		const key = JSON.stringify([this.app.selection(),
					    this.app.state.inverted]);
		const isSame = this.keptKey === key;

		this.keptKey = key;
		return isSame && canvas.tree ? {
			top: canvas.scroll.scrollTop,
			path: canvas.selected > 0 ? data.pathText(
				canvas.tree, canvas.selected) : "",
		} : null;
	}

	keepAgain(kept, tree)
	{
		const { canvas, data } = this;
		const at = kept?.path ? data.nodeOf(tree, kept.path) : 0;

		if (!kept)
			return;
		if (at && data.pathText(tree, at) === kept.path)
			canvas.selected = at;
		canvas.scroll.scrollTop = kept.top;
	}

	updateTools(data)
	{
		const { state } = this.app;

		fillSelect(this.by.select, groupings(this.app));
		this.by.select.value = state.by || "function";
		this.by.hidden = this.by.select.options.length < 2;
		this.colour.select.value = state.colour || "";
		this.colour.hidden = Boolean(data.info.diff);
		setPressed(this.invert, state.inverted);
		setPressed(this.collapse, state.collapse);
		setPressed(this.flip, state.flip);
		setPressed(this.sort, state.order === "name");
		setPressed(this.tableOn, state.table);
	}

	/* Zooms, and keeps what was selected. */
	place(node, isNew)
	{
		const { canvas } = this;

		if (isNew || node !== canvas.focus)
			canvas.zoom(node, isNew);
		this.crumbs();
	}

	describe()
	{
		const { app, canvas, data } = this;
		const { cut } = data.info;

		app.say(`${totalText(data.info)}, ${
			counted(data.tree().n - 1, "frame")}${
			cut?.frames ? ` (${percent(cut.value, data.info.total)} ` +
			`in ${number(cut.frames)} smaller ones)` : ""}`);
		app.legend(legendChips(data, canvas.mode, app.dark));
		app.emptyOrFull(whyEmpty(app, data));
		this.detail(canvas.hover >= 0 ? canvas.hover : canvas.selected);
	}

	showTable()
	{
		const { app, canvas, data } = this;
		const { state } = app;

		if (!state.table)
			return;
		this.table.show(data, state.inverted ?
			{ tree: data.tree(), root: 0 } :
			{ tree: canvas.tree, root: canvas.focus });
	}

	pictures()
	{
		return [this.canvas];
	}

	resize()
	{
		this.canvas.resize();
		this.table.resize();
	}

	theme(dark)
	{
		this.canvas.setTheme(dark);
		if (this.data && this.app.view === this)
			this.app.legend(legendChips(this.data, this.canvas.mode,
						    dark));
	}

	focus()
	{
		this.canvas.scroll.focus({ preventScroll: true });
	}

	/* --- details --- */

	detail(i)
	{
		const { app, canvas } = this;

		if (i < 0 || i >= canvas.tree.n) {
			app.detail(null);
			return;
		}
		app.detail(detailNodes(app, {
			data: this.data, tree: canvas.tree, node: i,
			zoom: canvas.focus, inverted: app.state.inverted,
		}, i === canvas.selected ? (e) => this.menu(
			i, e.clientX, e.clientY) : null));
	}

	point(i)
	{
		this.canvas.hover = i;
		this.detail(i >= 0 ? i : this.canvas.selected);
		this.canvas.draw();
	}

	nameOf(i)
	{
		const f = i > 0 ? this.canvas.tree.frame[i] : 0;

		return f > 0 ? this.data.frames.name[f] : "";
	}

	menu(i, x, y)
	{
		const name = this.nameOf(i);

		if (!name)
			return;
		this.canvas.selected = i;
		this.point(i);
		frameMenu(this.app, { name, x, y, more: [
			["Zoom in", () => this.zoom(i), "Enter"],
			stackRow(this.app, this.data, this.canvas.tree, i)] });
	}

	/* --- zoom --- */

	zoom(i)
	{
		const { canvas, data } = this;

		if (i > 0)
			canvas.selected = i;
		this.app.go({ zoom: data.pathText(canvas.tree, i) });
	}

	up()
	{
		const { canvas } = this;

		if (canvas.focus)
			this.zoom(canvas.tree.parent[canvas.focus]);
	}

	crumbs()
	{
		const { canvas, data } = this;
		const t = canvas.tree;
		const path = [];

		for (let i = canvas.focus; i > 0; i = t.parent[i])
			path.unshift(i);
		const nodes = [this.crumb(0, "all")];

		/* Outermost and innermost calls stay if there are too many. */
		const [outer, inner] = isNarrow() ? [0, 1] : [2, 4];
		const gone = path.length - outer - inner;

		if (gone > 1)
			path.splice(outer, gone, -gone);
		for (const i of path)
			nodes.push("\u203a", i < 0 ? `\u00a0\u2026 ${-i} \u2026\u00a0` :
				this.crumb(i, data.frames.short[t.frame[i]]));
		nodes.at(-1).setAttribute("aria-current", "true");
		this.app.crumbs(nodes);
	}

	crumb(i, text)
	{
		return makeButton(text, i ? this.nameOf(i) :
			"Reset the zoom (0)", () => this.zoom(i));
	}

	/* --- search --- */

	search()
	{
		const { app, canvas, data } = this;
		const { fn } = app.state;
		const query = app.state.search || (fn ? exactly(fn) : "");
		const key = `${query} ${canvas.tree.n}`;

		canvas.matches = data.matches(query);
		if (this.searched === key && this.searchedTree === canvas.tree)
			return;
		this.searched = key;
		this.searchedTree = canvas.tree;
		this.found = null;
		this.foundAt = -1;
		if (!query) {
			app.head.found("");
			return;
		}
		const found = data.found(query, canvas.tree);

		this.found = found.nodes;
		this.share = found.share;
		app.head.found(foundText(found.share, found.nodes.length));
	}

	/* Zooms to the next or the previous match, the largest first. */
	walk(by)
	{
		const n = this.found?.length;

		if (!n)
			return;
		this.foundAt = nextMatch(this.foundAt, by, n);
		const i = this.found[this.foundAt];

		this.select(i);
		this.zoom(i);
		this.app.head.found(foundText(this.share, n, this.foundAt));
	}

	/* From a row of the table to the graph, where the function is lit up. */
	lookUp(frame)
	{
		const isNarrow = this.canvas.scroll.clientWidth === 0;

		this.app.go({ fn: this.data.frames.name[frame],
			      table: isNarrow ? "" : "1" });
	}

	leave()
	{
		this.searched = null;
	}

	/* --- keyboard --- */

	select(i)
	{
		const { canvas } = this;

		canvas.selected = i;
		canvas.hover = -1;
		if (i >= 0)
			canvas.reveal(i);
		this.detail(i);
		canvas.draw();
	}

	chosen()
	{
		const { canvas } = this;

		return canvas.hover >= 0 ? canvas.hover : canvas.selected;
	}

	move(key)
	{
		const { canvas } = this;

		if (canvas.selected < 0) {
			this.select(canvas.focus);
			return;
		}
		const to = canvas.neighbour(canvas.selected, key);

		if (to >= 0)
			this.select(to);
	}

	openMenu()
	{
		const i = this.chosen();
		const box = this.canvas.scroll.getBoundingClientRect();

		if (i > 0)
			this.menu(i, ...this.canvas.spotOf(i).map(
				(v, k) => v + (k ? box.top : box.left)));
	}

	key(e)
	{
		const row = VIEW_KEYS.find(([key]) => key === e.key);

		if (e.altKey || !this.data)
			return false;
		if (row)
			row[3](this, e.key);
		else
			return frameKey(this.app, e.key,
					this.nameOf(this.chosen()));
		return true;
	}
}

const goMove = (view, key) => view.move(key);
const goUp = (view) => view.up();

/* What a key does; the texts are for the list that ? shows. */
const VIEW_KEYS = [
	["Enter", "Enter or click", "zoom in",
	 (view) => view.zoom(Math.max(0, view.chosen()))],
	["Backspace", "Backspace or u", "zoom out by one", goUp],
	["u", null, null, goUp],
	["0", "0 or Home", "reset the zoom", (view) => view.zoom(0)],
	["Home", null, null, (view) => view.zoom(0)],
	["ArrowUp", "arrows", "go to caller, callee and neighbours", goMove],
	["ArrowDown", null, null, goMove],
	["ArrowLeft", null, null, goMove],
	["ArrowRight", null, null, goMove],
	["+", "+, - or Ctrl-wheel", "scale what is in view; drag to move it",
	 (view) => view.canvas.scale(0.7, view.canvas.width / 2)],
	["-", null, null,
	 (view) => view.canvas.scale(1 / 0.7, view.canvas.width / 2)],
	["i", "i", "callers: leaves first", (view) => view.turn()],
	["o", "o", "root at the bottom or at the top",
	 (view) => view.flip.click()],
	["s", "s", "sort by name or by size", (view) => view.sort.click()],
	["t", "t", "table of functions", (view) => view.tableOn.click()],
	["r", null, null, (view) => view.collapse.click()],
	["m", null, null, (view) => view.openMenu()],
	["ContextMenu", null, null, (view) => view.openMenu()],
];
