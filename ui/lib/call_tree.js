// SPDX-License-Identifier: Apache-2.0
/* call_tree.js: the calls as a tree of rows that open and close. A row that has
 * one child only opens that too, as far as it goes. */
import { make, makeToggle, setPressed } from "./dom.js";
import { baseName, counted, percent, sumText, totalText } from "./text.js";
import { isInlined } from "./tree.js";
import { foundText, nextMatch } from "./head.js";
import { Rows } from "./rows.js";
import { FRAME_KEYS, detailNodes, frameKey, frameMenu, stackRow, whyEmpty } from "./frame_info.js";

const ROW_HEIGHT = 24;

export class TreeView {
	static key = "tree";
	static title = "Call tree";

	constructor(app)
	{
		this.app = app;
		this.hint = "Arrow keys open and close, * opens all below. " +
			"Press ? for all keys.";
		this.element = make("div", undefined, "tree");
		this.rows = new Rows("tree", "Calls", (row, i) =>
			this.fillRow(row, i));
		this.rows.element.id = "tree-rows";
		this.element.append(this.makeHead(), this.rows.element);
		this.list = []; /* the nodes of the rows */
		this.open = null; /* per node: whether its children are shown */
		this.at = -1; /* the row that is chosen */
		this.keys = TREE_KEYS.filter(([, keys]) => keys)
			.map(([, keys, text]) => [keys, text])
			.concat(FRAME_KEYS);
		this.invert = makeToggle("invert", "Callers",
			"Callers: leaves first (i)", () => this.turn());
		this.collapse = makeToggle("collapse", "Recursion",
			"Collapse recursion (r)", () => this.fold());
		this.tools = [this.invert, this.collapse];
		this.listen();
	}

	makeHead()
	{
		const head = make("div", undefined, "head");

		head.append(make("span", "Total", "value"),
			    make("span", "Self", "value"),
			    make("span", "Function", "name"));
		return head;
	}

	turn()
	{
		this.app.go({ inverted: !this.app.state.inverted, at: "",
			      zoom: "" });
	}

	fold()
	{
		this.app.go({ collapse: !this.app.state.collapse, zoom: "" });
	}

	listen()
	{
		this.rows.listen((i, e) => {
			const again = i === this.at;

			this.choose(i);
			if (e.altKey)
				this.openDeep(i);
			else if (e.target.closest(".twist") || again)
				this.toggle(i);
		}, (i, e) => {
			this.choose(i);
			this.menu(e.clientX, e.clientY);
		});
	}

	/* --- showing --- */

	async show(signal)
	{
		const { app } = this;
		const data = await app.flame();

		if (signal.aborted)
			return;
		const { state } = app;
		const tree = data.tree(Boolean(state.inverted));

		setPressed(this.invert, state.inverted);
		setPressed(this.collapse, state.collapse);
		app.say(`${totalText(data.info)}, ${counted(tree.n - 1, "row")}`);
		app.emptyOrFull(whyEmpty(app, data));
		this.matches = data.matches(state.search || "");
		this.search(data, tree);
		if (this.tree !== tree)
			this.begin(data, tree);
		else
			this.rows.reset(this.list.length, ROW_HEIGHT);
	}

	/* The first look: down to where the values part, or to what was chosen. */
	begin(data, tree)
	{
		const at = data.nodeOf(tree, this.app.state.at);

		Object.assign(this, { data, tree, at: -1 });
		this.open = new Uint8Array(tree.n);
		this.open[0] = 1;
		this.list = this.childrenOf(0);
		if (at) {
			this.openTo(at);
		} else {
			this.openHeavy();
			this.rows.element.scrollTop = 0;
			this.rows.reset(this.list.length, ROW_HEIGHT);
			if (this.list.length)
				this.choose(0, true);
		}
	}

	childrenOf(node)
	{
		const t = this.tree;
		const out = [];

		for (let c = node + 1; c < t.end[node]; c = t.end[c])
			out.push(c);
		return out;
	}

	hasChildren(node)
	{
		return this.tree.end[node] > node + 1;
	}

	fillRow(row, i)
	{
		const t = this.tree;
		const node = this.list[i];
		const { frames } = this.data;
		const f = t.frame[node];
		const isOpen = this.open[node] === 1;
		const name = make("span", undefined, "name");
		const twist = make("span", this.hasChildren(node) ?
			(isOpen ? "\u25be" : "\u25b8") : "", "twist");

		name.style.paddingLeft = `calc(${Math.min(t.depth[node] - 1, 60)
			} * var(--step))`;
		name.append(twist, make("span", frames.name[f], this.nameClass(node)));
		if (frames.module[f])
			name.append(make("span", baseName(frames.module[f]),
					 "module"));
		row.id = `tree-row-${i}`;
		row.setAttribute("role", "treeitem");
		row.setAttribute("aria-level", t.depth[node]);
		row.setAttribute("aria-selected", String(i === this.at));
		if (this.hasChildren(node))
			row.setAttribute("aria-expanded", String(isOpen));
		else
			row.removeAttribute("aria-expanded");
		row.replaceChildren(this.cell(t.total[node], t.weight[node]),
				    this.cell(t.self[node]), name);
	}

	nameClass(node)
	{
		const t = this.tree;

		return [this.matches?.[t.frame[node]] ? "hit" : "",
			isInlined(t, node) ? "inlined" : ""]
			.join(" ").trim();
	}

	cell(v, weight)
	{
		const all = this.tree.weight[0];
		const e = make("span", undefined, "value");

		if (!v && weight === undefined)
			return e;
		e.append(`${sumText(v, this.data.info)} `,
			 make("small", percent(v, all)));
		if (weight !== undefined) {
			const bar = make("i");

			bar.style.width = `${all ? 100 * weight / all : 0}%`;
			e.append(bar);
		}
		return e;
	}

	/* --- opening and closing --- */

	toggle(i)
	{
		const node = this.list[i];

		if (!this.hasChildren(node))
			return;
		if (this.open[node])
			this.close(i);
		else
			this.expand(i);
	}

	expand(i)
	{
		const node = this.list[i];

		if (this.open[node] || !this.hasChildren(node))
			return;
		this.openRow(i);
		this.openChain(i + 1);
		this.rows.reset(this.list.length, ROW_HEIGHT);
	}

	openRow(i)
	{
		const node = this.list[i];

		this.open[node] = 1;
		this.list = this.list.slice(0, i + 1).concat(
			this.childrenOf(node), this.list.slice(i + 1));
	}

	/* From the first row on, as long as one child has most of the values. */
	openHeavy()
	{
		const { weight } = this.tree;

		for (let i = 0; i < this.list.length; i++) {
			const node = this.list[i];

			if (2 * weight[node] < weight[0] || !this.hasChildren(node))
				break;
			this.openRow(i);
		}
	}

	/* From a row on, as long as there is one child. */
	openChain(i)
	{
		while (i < this.list.length) {
			const node = this.list[i];
			const parent = this.tree.parent[node];

			if (this.tree.end[node] !== this.tree.end[parent] ||
			    node !== parent + 1 || this.open[node] ||
			    !this.hasChildren(node))
				break;
			this.openRow(i++);
		}
	}

	close(i)
	{
		const node = this.list[i];
		const end = this.tree.end[node];
		let n = 0;

		while (i + 1 + n < this.list.length && this.list[i + 1 + n] < end)
			n++;
		this.list.splice(i + 1, n);
		this.open.fill(0, node, end);
		this.rows.reset(this.list.length, ROW_HEIGHT);
	}

	openDeep(i)
	{
		const node = this.list[i];
		const end = this.tree.end[node];
		const rest = this.list.filter((k) => k >= end);

		this.list.length = i + 1;
		for (let k = node; k < end; k++) {
			this.open[k] = this.hasChildren(k) ? 1 : 0;
			if (k > node)
				this.list.push(k);
		}
		this.list = this.list.concat(rest);
		this.rows.reset(this.list.length, ROW_HEIGHT);
	}

	/* Opens what is on the way to a node and chooses it. */
	openTo(node)
	{
		const t = this.tree;
		const path = [];

		for (let i = t.parent[node]; i > 0; i = t.parent[i])
			path.unshift(i);
		for (const step of path)
			if (!this.open[step])
				this.openRow(this.list.indexOf(step));
		this.rows.reset(this.list.length, ROW_HEIGHT);
		this.choose(this.list.indexOf(node));
	}

	/* --- the row that is chosen --- */

	choose(i, quietly)
	{
		const before = this.at;
		const { app, data, tree } = this;

		this.at = i;
		this.rows.refresh(before);
		this.rows.refresh(i);
		this.rows.reveal(i);
		this.rows.element.setAttribute("aria-activedescendant",
					       `tree-row-${i}`);
		app.detail(detailNodes(app, {
			data, tree, node: this.list[i],
			inverted: app.state.inverted,
		}, (e) => this.menu(e.clientX, e.clientY)));
		if (!quietly)
			app.history.change({ at: data.pathText(
				tree, this.list[i]) }, true);
	}

	nameChosen()
	{
		const f = this.at >= 0 ? this.tree.frame[this.list[this.at]] : 0;

		return f > 0 ? this.data.frames.name[f] : "";
	}

	menu(x, y)
	{
		const at = this.at;

		if (this.nameChosen())
			frameMenu(this.app, { name: this.nameChosen(), x, y, more: [
				["Open all below", () => this.openDeep(at), "*"],
				["Show in the flame graph", () => this.toGraph(),
				 "g"],
				stackRow(this.app, this.data, this.tree,
					 this.list[at])] });
	}

	toGraph()
	{
		if (this.at >= 0)
			this.app.go({ view: "", at: "", zoom: this.data.pathText(
				this.tree, this.list[this.at]) });
	}

	/* --- search --- */

	search(data, tree)
	{
		const query = this.app.state.search || "";
		const key = `${query} ${tree.n}`;

		if (this.searched === key)
			return;
		this.searched = key;
		this.found = null;
		this.foundAt = -1;
		if (!query)
			return;
		const found = data.found(query, tree);

		this.found = found.nodes;
		this.share = found.share;
		this.app.head.found(foundText(found.share, found.nodes.length));
	}

	walk(by)
	{
		const n = this.found?.length;

		if (!n)
			return;
		this.foundAt = nextMatch(this.foundAt, by, n);
		this.openTo(this.found[this.foundAt]);
		this.app.head.found(foundText(this.share, n, this.foundAt));
	}

	/* --- keyboard --- */

	focus()
	{
		this.rows.element.focus({ preventScroll: true });
	}

	resize()
	{
		this.rows.paint();
	}

	leave()
	{
		this.searched = null;
	}

	moveBy(by)
	{
		if (this.list.length)
			this.choose(Math.max(0, Math.min(this.list.length - 1,
							 this.at + by)));
	}

	/* Closed: opens. Open: its first child. */
	right()
	{
		const node = this.list[this.at];

		if (!this.open[node])
			this.expand(this.at);
		else if (this.hasChildren(node))
			this.moveBy(1);
	}

	left()
	{
		const node = this.list[this.at];
		const parent = this.tree.parent[node];

		if (this.open[node] && this.hasChildren(node))
			this.close(this.at);
		else if (parent > 0)
			this.choose(this.list.indexOf(parent));
	}

	page()
	{
		return Math.max(1, Math.floor(this.rows.element.clientHeight /
					      ROW_HEIGHT) - 1);
	}

	key(e)
	{
		const row = TREE_KEYS.find(([key]) => key === e.key);

		if (e.altKey || !this.tree || !this.list.length)
			return false;
		if (!row)
			return frameKey(this.app, e.key, this.nameChosen());
		row[3](this);
		return true;
	}
}

const TREE_KEYS = [
	["ArrowDown", "arrows", "go from row to row; right opens, left closes",
	 (view) => view.moveBy(1)],
	["ArrowUp", null, null, (view) => view.moveBy(-1)],
	["ArrowRight", null, null, (view) => view.right()],
	["ArrowLeft", null, null, (view) => view.left()],
	["PageDown", null, null, (view) => view.moveBy(view.page())],
	["PageUp", null, null, (view) => view.moveBy(-view.page())],
	["Home", "Home, End", "the first row, the last",
	 (view) => view.moveBy(-Infinity)],
	["End", null, null, (view) => view.moveBy(Infinity)],
	["Enter", "Enter", "open or close", (view) => view.toggle(view.at)],
	["*", "* or Alt-click", "open all below",
	 (view) => view.openDeep(view.at)],
	["g", "g", "show it in the flame graph", (view) => view.toGraph()],
	["i", "i", "callers: leaves first", (view) => view.turn()],
	["r", null, null, (view) => view.fold()],
	["m", null, null, (view) => view.menu(
		innerWidth / 3, innerHeight / 3)],
	["ContextMenu", null, null, (view) => view.menu(
		innerWidth / 3, innerHeight / 3)],
];
