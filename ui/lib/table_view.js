// SPDX-License-Identifier: Apache-2.0
/* table_view.js: functions with self and total, in the order of a column. Of a
 * difference it has the size of the change, more and less apart. */
import { isNarrow, make, makeButton, makeSelect } from "./dom.js";
import { baseName, counted, percent, sumText } from "./text.js";
import { Rows } from "./rows.js";
import { frameMenu } from "./frame_info.js";

export class Table {
	/* onPick(frame): a row was clicked */
	constructor(app, onPick)
	{
		this.app = app;
		this.onPick = onPick;
		this.ids = [];
		this.element = make("div", undefined, "table");
		this.head = this.makeHead();
		this.rows = new Rows("listbox", "Functions",
				     (row, i) => this.fillRow(row, i));
		this.rows.element.id = "rows";
		this.more = make("p", "", "more");
		this.element.append(this.head, this.rows.element, this.more);
		this.listen();
	}

	makeHead()
	{
		const head = make("div", undefined, "head");

		this.by = new Map();
		for (const [by, text] of [["self", "Self"], ["total", "Total"],
					  ["name", "Function"]]) {
			const b = makeButton(text, `Sort by ${text.toLowerCase()}`,
					     () => this.sortBy(by));

			b.className = by;
			this.by.set(by, b);
			head.append(b);
		}
		this.base = makeSelect("base", "What percents are of", [
			["", "% of zoomed"], ["all", "% of all"]],
			(base) => this.app.go({ base }, { replace: true }));
		this.sign = makeSelect("sign", "Which changes", [
			["", "all changes"], ["more", "only more"],
			["less", "only less"]],
			(sign) => this.app.go({ sign }, { replace: true }));
		head.append(this.sign, this.base);
		return head;
	}

	listen()
	{
		this.rows.listen((i) => this.onPick(this.ids[i]),
				 (i, e) => frameMenu(this.app, {
			name: this.nameOf(this.ids[i]), x: e.clientX, y: e.clientY }));
		this.rows.element.addEventListener("keydown", (e) => this.onKey(e));
	}

	/* Arrow keys walk the rows. */
	onKey(e)
	{
		const at = this.ids.findIndex((f) => this.isChosen(f));
		const page = Math.floor(this.rows.element.clientHeight /
					this.rows.height);
		const by = { ArrowUp: -1, ArrowDown: 1, PageUp: -page,
			     PageDown: page }[e.key];

		if (!by || !this.ids.length || e.ctrlKey || e.altKey)
			return;
		const to = Math.max(0, Math.min(this.ids.length - 1, at + by));

		e.preventDefault();
		this.onPick(this.ids[to]);
		this.rows.reveal(to);
	}

	sortBy(by)
	{
		this.app.go({ sort: by === "self" ? "" : by }, { replace: true });
	}

	nameOf(frame)
	{
		return this.data.frames.name[frame];
	}

	isChosen(frame)
	{
		return this.app.state.fn === this.nameOf(frame);
	}

	/* where: the tree and the node whose callees are counted */
	show(data, { tree, root })
	{
		const { state } = this.app;
		const list = data.top(tree, root);
		const matches = data.matches(state.search || "");
		const key = [state.sort, state.sign, state.base, state.search,
			     state.fn, root, innerWidth].join("\n");

		if (this.key === key && this.tree === tree)
			return;
		Object.assign(this, { key, tree, data, list });
		this.all = tree.weight[state.base === "all" ? 0 : root];
		this.ids = list.used.filter((f) => (!matches || matches[f]) &&
			this.isWanted(f));
		this.order();
		this.updateHead(root);
		this.rows.reset(this.ids.length, isNarrow() ? 44 : 26);
		this.more.textContent = counted(this.ids.length, "function");
	}

	isWanted(f)
	{
		const { sign } = this.app.state;
		const v = this.list.self[f] || this.list.total[f];

		if (!this.data.info.diff || !sign)
			return true;
		return sign === "more" ? v > 0 : v < 0;
	}

	order()
	{
		const { list, data } = this;
		const bySelf = (a, b) => Math.abs(list.self[b]) -
			Math.abs(list.self[a]);
		const byTotal = (a, b) => Math.abs(list.total[b]) -
			Math.abs(list.total[a]);
		const first = { name: (a, b) => data.rank()[a] - data.rank()[b],
				total: byTotal }[this.app.state.sort] || bySelf;

		this.ids.sort((a, b) => first(a, b) || byTotal(a, b) || a - b);
	}

	updateHead(root)
	{
		const { state } = this.app;
		const { diff } = this.data.info;

		for (const [by, b] of this.by)
			b.setAttribute("aria-pressed",
				       String(by === (state.sort || "self")));
		this.sign.hidden = !diff;
		this.sign.select.value = state.sign || "";
		this.base.hidden = !root;
		this.base.select.value = state.base || "";
	}

	fillRow(row, i)
	{
		const f = this.ids[i];
		const { frames } = this.data;
		const name = make("span", frames.name[f], "name");

		name.title = frames.name[f];
		row.setAttribute("role", "option");
		row.setAttribute("aria-selected", String(this.isChosen(f)));
		row.setAttribute("aria-posinset", i + 1);
		row.setAttribute("aria-setsize", this.ids.length);
		row.replaceChildren(
			this.cell(this.list.self[f], "self"),
			this.cell(this.list.total[f], "total"), name,
			make("span", baseName(frames.module[f]), "module"));
	}

	cell(v, className)
	{
		const { diff } = this.data.info;
		const e = make("span", undefined, `value ${className}`);
		const bar = make("i");

		bar.style.width = `${this.all ?
			Math.min(100, 100 * Math.abs(v) / this.all) : 0}%`;
		if (diff && v)
			e.classList.add(v > 0 ? "worse" : "better");
		e.append(`${sumText(v, this.data.info)} `,
			 make("small", percent(v, this.all)), bar);
		return e;
	}

	resize()
	{
		this.key = "";
		if (this.tree)
			this.app.view.showTable?.();
	}
}
