// SPDX-License-Identifier: Apache-2.0
/* sandwich.js: one function in the middle, who calls it above, what it calls
 * below. The table beside them chooses the function; a click on a frame goes
 * on from there. */
import { isNarrow, make, makeButton } from "./dom.js";
import { number, percent, totalText, valueText } from "./text.js";
import { nextMatch } from "./head.js";
import { FlameCanvas } from "./flame_canvas.js";
import { Table } from "./table_view.js";
import { listenPointer } from "./pointer.js";
import { FRAME_KEYS, FRAME_TOUCHES, colourMode, detailNodes, frameKey, frameMenu, legendChips, whyEmpty } from "./frame_info.js";

export class SandwichView {
	static key = "sandwich";
	static title = "Sandwich";

	constructor(app)
	{
		this.app = app;
		this.hint = "Choose a function in the table. Click a frame to go " +
			"on to that function.";
		this.element = make("div", undefined, "split sandwich with-table");
		this.table = new Table(app, (f) => this.choose(f));
		this.callers = this.half("Callers", true);
		this.callees = this.half("Callees", false);
		this.middle = make("h2");
		this.middle.id = "middle";
		this.none = make("p", undefined, "choose");
		this.body = make("div", undefined, "halves");
		this.body.append(this.callers.scroll, this.middle,
				 this.callees.scroll);
		this.again = makeButton("All functions", "Choose another function",
					() => app.go({ fn: "" }));
		this.again.id = "again";
		this.element.append(this.table.element, this.body, this.none,
				    this.again);
		this.keys = [["arrows", "go from frame to frame"],
			     ["Enter or click", "go on to that function"],
			     ["t", "the table, at phone width"]]
			.concat(FRAME_KEYS);
		this.touches = FRAME_TOUCHES;
		this.active = this.callees;
	}

	half(title, flipped)
	{
		const canvas = new FlameCanvas(`${title}: arrow keys move, ` +
			"Enter goes on to that function");

		canvas.scroll.id = title.toLowerCase();
		canvas.flipped = flipped;
		canvas.inverted = flipped;
		canvas.scroll.addEventListener("focus", () => {
			this.active = canvas;
		});
		listenPointer(canvas, {
			point: (i) => this.point(canvas, i),
			click: (i) => this.pivot(canvas, i),
			menu: (i, x, y) => this.menu(canvas, i, x, y),
		});
		return canvas;
	}

	/* --- showing --- */

	async show(signal)
	{
		const { app } = this;
		const data = await app.flame();

		if (signal.aborted)
			return;
		this.data = data;
		app.say(totalText(data.info));
		app.emptyOrFull(whyEmpty(app, data));
		this.showTable();
		if (!app.state.fn && this.table.ids.length && !isNarrow()) {
			app.go({ fn: this.table.nameOf(this.table.ids[0]) },
			       { replace: true });
			return;
		}
		this.frame = app.state.fn ? data.frameNamed(app.state.fn) : -1;
		this.isThere = this.frame >= 0;
		this.none.hidden = this.isThere;
		this.body.hidden = !this.isThere;
		this.none.textContent = app.state.fn ?
			`${app.state.fn} is not in this selection. Choose another ` +
			"function in the table." : "";
		this.element.classList.toggle("chosen", this.isThere);
		if (this.isThere)
			this.fill();
	}

	fill()
	{
		const { app, data, frame } = this;
		const trees = data.sandwich(frame);
		/* Of all calls, also those below another one of its own. */
		const { self, total } = data.top(data.tree(), 0);
		const all = data.tree().weight[0];
		const mode = colourMode(data, app.state.colour);
		const matches = data.matches(app.state.search || "");

		const text = (v) => `${valueText(v, data.info.unit)} (${
			percent(v, all)})`;

		this.middle.replaceChildren(
			make("span", data.frames.name[frame], "name"),
			make("span", `total ${text(total[frame])} \u00b7 self ${
				text(self[frame])}`, "quiet"),
			make("span", "\u25b4 callers \u00b7 \u25be callees",
			     "quiet side"));
		for (const [canvas, tree] of [[this.callers, trees.callers],
					      [this.callees, trees.callees]]) {
			canvas.setMode(mode);
			canvas.matches = matches;
			if (canvas.tree !== tree)
				canvas.show(data, tree);
			else
				canvas.resize();
		}
		app.legend(legendChips(data, mode, app.dark));
		this.found();
	}

	found()
	{
		const { app, data } = this;
		const query = app.state.search || "";

		if (!query)
			return;
		const { share } = data.found(query, data.tree());
		const [above, below] = [this.callers, this.callees].map(
			(c) => data.found(query, c.tree).nodes.length);

		app.head.found(`${percent(share, 1)} \u00b7 ${number(above)} ` +
			`above, ${number(below)} below`);
	}

	showTable()
	{
		this.table.show(this.data, { tree: this.data.tree(), root: 0 });
	}

	/* To the next or previous function in the table, which has the matches. */
	walk(by)
	{
		const { ids } = this.table;

		if (!this.app.state.search || !ids.length)
			return;
		const at = nextMatch(ids.indexOf(this.frame), by, ids.length);

		this.choose(ids[at]);
		this.table.rows.reveal(at);
	}

	pictures()
	{
		return this.isThere ? [this.callers, this.callees] : [];
	}

	resize()
	{
		this.callers.resize();
		this.callees.resize();
		this.table.resize();
	}

	theme(dark)
	{
		this.callers.setTheme(dark);
		this.callees.setTheme(dark);
		if (this.data && this.app.view === this)
			this.app.legend(legendChips(this.data, this.callees.mode,
						    dark));
	}

	focus()
	{
		this.table.rows.element.focus({ preventScroll: true });
	}

	/* --- frames --- */

	choose(frame)
	{
		this.app.go({ fn: this.data.frames.name[frame] });
	}

	pivot(canvas, i)
	{
		if (this.nameOf(canvas, i) && i)
			this.app.go({ fn: this.nameOf(canvas, i) });
	}

	nameOf(canvas, i)
	{
		const f = i >= 0 && canvas.tree ? canvas.tree.frame[i] : 0;

		return f > 0 ? this.data.frames.name[f] : "";
	}

	point(canvas, i)
	{
		const { app } = this;
		const at = i >= 0 ? i : canvas.selected;

		canvas.hover = i;
		this.active = canvas;
		canvas.draw();
		if (at < 0) {
			app.detail(null);
			return;
		}
		app.detail(detailNodes(app, {
			data: this.data, tree: canvas.tree, node: at,
			inverted: canvas.inverted,
			whole: this.data.tree().weight[0],
		}, at === canvas.selected ? (e) => this.menu(
			canvas, at, e.clientX, e.clientY) : null));
	}

	menu(canvas, i, x, y)
	{
		const name = this.nameOf(canvas, i);

		canvas.selected = i;
		this.point(canvas, i);
		if (name)
			frameMenu(this.app, { name, x, y });
	}

	/* --- keyboard --- */

	key(e)
	{
		const canvas = this.active;
		const at = canvas.hover >= 0 ? canvas.hover : canvas.selected;
		const inGraph = this.body.contains(document.activeElement);

		if (e.altKey || !this.data)
			return false;
		if (e.key === "t" || (e.key === "Escape" && isNarrow() &&
				      !this.app.state.search)) {
			this.app.go({ fn: "" });
			return true;
		}
		if (e.key === "r") {
			this.app.go({ collapse: !this.app.state.collapse });
			return true;
		}
		if (!this.isThere)
			return false;
		if (e.key === "m" || e.key === "ContextMenu") {
			this.openMenu(canvas, at);
			return true;
		}
		if (inGraph && e.key.startsWith("Arrow")) {
			this.move(canvas, e.key);
			return true;
		}
		if (inGraph && e.key === "Enter") {
			this.pivot(canvas, at);
			return true;
		}
		return frameKey(this.app, e.key,
				this.nameOf(canvas, at) || this.app.state.fn);
	}

	/* Of the frame that is chosen, or of the function in the middle. */
	openMenu(canvas, at)
	{
		const box = this.middle.getBoundingClientRect();

		if (this.nameOf(canvas, at))
			this.menu(canvas, at, box.left + 20, box.bottom);
		else
			frameMenu(this.app, { name: this.app.state.fn,
					      x: box.left + 20, y: box.bottom });
	}

	move(canvas, key)
	{
		const to = canvas.selected < 0 ? 0 :
			canvas.neighbour(canvas.selected, key);

		if (to < 0)
			return;
		canvas.selected = to;
		canvas.reveal(to);
		this.point(canvas, -1);
	}
}
