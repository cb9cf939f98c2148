// SPDX-License-Identifier: Apache-2.0
/* diff_view.js: what changed between two files, ranges or sets of labels. Each
 * side has a form; below are the functions by the size of their change and the
 * flame graph of the difference. */
import { fillSelect, makeButton, makeInput, makeSelect, makeToggle, setPressed } from "./dom.js";
import { FlameView } from "./flame_view.js";
import { exactly } from "./frame_info.js";
import { linesOf } from "./state.js";
import { baseName, changeText, counted, number, percent, valueText } from "./text.js";
import { TimeChart } from "./time_chart.js";
import { TimeScale, stateRange } from "./time_axis.js";
import { part, partMessage } from "./time_parts.js";

const DIFF_ROWS = 200; /* of a list */
const SIDE_KEYS = ["file", "from", "to", "where"];
/* What is done to the stacks of both sides, as they would not compare. */
const BOTH_KEYS = ["focus", "ignore", "hide", "show_from", "collapse"];

/* The state with the same filters of frames before as after. */
function evenState(state)
{
	const both = BOTH_KEYS.map((key) => [`before.${key}`, state[key] || ""]);

	return { ...state, ...Object.fromEntries(both) };
}

/* Whether a state has two sides. */
export function isDiff(state)
{
	return SIDE_KEYS.some((key) => state[`before.${key}`]);
}

/* One side of the comparison: which file, which time, which labels. */
class DiffSide {
	constructor(app, prefix, title)
	{
		this.app = app;
		this.prefix = prefix;
		this.file = makeSelect(`${prefix}diff-file`, `File ${title}`, [],
			(value) => this.go({ file: value }));
		this.chart = new TimeChart(app, { height: 62, prefix,
			selection: () => this.selection() });
		this.where = makeInput(`${prefix}diff-where`,
			'Labels, as thread=~"http.*"', `Conditions ${title}`);
		this.where.addEventListener("change", () => this.go(
			{ where: this.where.value.trim() }));
		this.range = part("span", "diff-range");
		this.total = part("b", "diff-total");
		this.element = part("section", `card diff-side ${prefix ?
			"before" : "after"}`,
			part("div", "card-head", part("h2", "", title), this.total,
			     part("span", "gap"), this.range),
			this.chart.element,
			part("div", "diff-form", this.file, this.where));
	}

	/* before.from 0 is all the time: something has to say that there are
	 * two sides. */
	go(changes)
	{
		const all = {};

		for (const [key, value] of Object.entries(changes))
			all[this.prefix + key] = value;
		this.app.go({ ...all, zoom: "" });
	}

	/* As if it were the only selection. */
	selection()
	{
		const { state, source } = this.app;
		const own = {};

		for (const key of SIDE_KEYS)
			if (state[this.prefix + key])
				own[key] = state[this.prefix + key];
		for (const key of BOTH_KEYS)
			own[key] = state[key] || "";
		return source.selection({ ...own, type: this.app.type().select });
	}

	async show(signal)
	{
		const { overview, state } = this.app;
		const files = overview.files;
		const range = stateRange(state, overview.duration, this.prefix);

		this.file.hidden = files.length < 2;
		fillSelect(this.file.select, [["", "all files"],
			...files.map((f, i) => [i, baseName(f.name)])]);
		this.file.select.value = state[`${this.prefix}file`] || "";
		if (document.activeElement !== this.where)
			this.where.value = linesOf(state[`${this.prefix}where`])
				.join(", ");
		const isTimed = overview.duration > 0 && this.app.type().timed;

		this.range.textContent = !isTimed ? "" : range ?
			new TimeScale(overview).range(range.from, range.to) :
			"all the time: drag to select";
		this.chart.element.hidden = !isTimed;
		if (!this.chart.element.hidden)
			await this.chart.show(signal);
	}
}

export class DiffView {
	static key = "diff";
	static title = "Diff";
	static ownTime = true;

	hint = "Point at a frame or a row for its numbers. Red is more than " +
		"before, blue is less.";

	constructor(app)
	{
		this.app = app;
		this.before = new DiffSide(app, "before.", "Before");
		this.after = new DiffSide(app, "", "After");
		this.flame = new FlameView(this.inner());
		this.swapper = makeButton("\u21c4 Swap", "Exchange before and after",
					  () => this.swap());
		this.sides = part("div", "diff-sides", this.before.element,
				  this.after.element);
		this.sum = part("div", "diff-sum");
		this.lists = part("div", "diff-lists");
		this.body = part("div", "diff-body", this.lists, this.flame.element);
		this.element = part("div", "diff", this.sides, this.sum, this.body);
		this.makeTools();
		this.keys = [["x", "exchange before and after"],
			     ...this.flame.keys];
		this.touches = this.flame.touches;
	}

	/* The app as the flame graph in here is to see it. */
	inner()
	{
		const { app } = this;
		const own = { flame: () => this.data, go: (...a) => app.go(...a) };
		const inner = Object.create(app);

		for (const [name, run] of Object.entries(own))
			Object.defineProperty(inner, name, { value: run });
		Object.defineProperty(inner, "state", {
			get: () => ({ ...app.state, table: "" }) });
		return inner;
	}

	makeTools()
	{
		const { app } = this;

		this.normal = makeToggle("normalize", "Normalize",
			"Scale before to the total of after",
			() => app.go({ normalize: !app.state.normalize }));
		this.cum = makeSelect("diff-by", "Which change", [
			["", "change of self"], ["cum", "change of total"]],
			(value) => app.go({ change: value }));
		this.shape = makeSelect("diff-lists", "How changes are listed", [
			["", "more and less"], ["one", "one list"]],
			(value) => app.go({ list: value }));
		this.tools = [this.swapper, this.normal, this.cum, this.shape,
			      this.flame.invert, this.flame.flip];
	}

	/* --- data --- */

	async show(signal)
	{
		const { app } = this;
		const { state } = app;

		app.full();
		setPressed(this.normal, state.normalize);
		this.cum.select.value = state.change || "";
		this.shape.select.value = state.list || "";
		const sides = Promise.all([this.before.show(signal),
					   this.after.show(signal)]);

		for (const tool of this.tools)
			tool.hidden = !isDiff(state);
		if (!isDiff(state)) {
			this.ask();
			await sides;
			return;
		}
		this.element.replaceChildren(this.sides, this.sum, this.body);
		const params = this.params();
		const top = app.source.top({ ...params, limit: 2 * DIFF_ROWS,
			sort: state.change === "cum" ? "cum" : "flat" }, signal);

		this.data = app.source.flame(params).then((data) => {
			data.info.scaled = Boolean(state.normalize);
			return data;
		});
		await Promise.all([sides, top.then((t) => this.fill(t)),
				   this.flame.show(signal)]);
	}

	params()
	{
		const { app } = this;
		const { source, state } = app;
		const { type, ...after } = app.selection();
		const before = source.selection(evenState(state), "before.");
		const params = { ...after, ...before };

		if (type)
			params.type = type;
		delete params["before.type"];
		if (state.normalize)
			params.normalize = "1";
		return params;
	}

	/* There is one side only: says how to get two. */
	ask()
	{
		const { app } = this;
		const { files, duration } = app.overview;
		const { from, to } = app.span();
		const half = Math.round((from + to) / 2);
		const isTimed = duration > 0 && app.type().timed;
		const ways = [...isTimed ? ["drag over its time chart",
			"select two ranges in the heat map"] : [],
			...files.length > 1 ? ["choose its file"] :
				app.source.open ?
					["drop a second file on this page"] : [],
			"write conditions on labels"];
		const actions = [];

		if (files.length > 1)
			actions.push(makeButton(`${baseName(files[0].name)} with ` +
				baseName(files[1].name), "", () => app.go(
				{ "before.file": "0", file: "1" })));
		if (isTimed)
			actions.push(makeButton("The first half of the time with " +
				"the second", "", () => app.go({
				"before.from": String(Math.round(from)),
				"before.to": String(half),
				"before.where": app.state.where || "",
				"before.file": app.state.file || "",
				from: String(half), to: "" })));
		if (app.source.open)
			actions.push(app.openButton("Open a file\u2026"));
		this.total(null);
		this.element.replaceChildren(this.sides, partMessage(
			"Nothing to compare with yet",
			`Choose what was before: ${ways.join(", or ")}.`, ...actions));
	}

	swap()
	{
		const { app } = this;
		const changes = { zoom: "" };

		for (const key of SIDE_KEYS) {
			changes[key] = app.state[`before.${key}`] || "";
			changes[`before.${key}`] = app.state[key] || "";
		}
		if (!SIDE_KEYS.some((key) => changes[`before.${key}`]))
			changes["before.from"] = "0";
		app.go(changes);
	}

	/* --- the lists --- */

	total(top)
	{
		const text = (v) => (top ? this.app.valueText(v) : "");

		this.before.total.textContent = text(top?.before_total);
		this.after.total.textContent = text(top?.total);
	}

	fill(top)
	{
		const { app } = this;
		const { state } = app;
		const key = state.change === "cum" ? "cum" : "flat";
		const change = top.total - top.before_total;
		const rows = top.rows.map((r) => ({ ...r,
			was: r[`before_${key}`] || 0, is: r[key],
			by: r[key] - (r[`before_${key}`] || 0) }))
			.filter((r) => r.by)
			.sort((a, b) => Math.abs(b.by) - Math.abs(a.by));

		this.total(top);
		this.sum.replaceChildren(...state.normalize ?
			[part("span", "quiet", "Before is scaled to the total " +
				"of after: what changed is its parts.")] :
			[part("span", change > 0 ? "more" : "less",
			      `${signed(app, change)} (${top.before_total ?
				`${change > 0 ? "+" : ""}${percent(change,
					top.before_total)}` : "new"})`)]);
		this.most = Math.max(1, ...rows.map((r) => Math.abs(r.by)));
		const lists = state.list === "one" ? [["Changes", rows, ""]] :
			[["More", rows.filter((r) => r.by > 0), "more"],
			 ["Less", rows.filter((r) => r.by < 0), "less"]];

		this.lists.replaceChildren(...lists.map((l) => this.list(...l)));
		if (top.rest && top.rest.nr)
			this.lists.append(part("p", "quiet",
				`and ${number(top.rest.nr)} functions with smaller ` +
				"changes"));
	}

	list(title, rows, kind)
	{
		const table = part("table", "diff-table", part("tr", "",
			part("th", "value", "Change"), part("th", "value", "Before"),
			part("th", "value", "After"), part("th", "", "Function")));
		const sum = rows.reduce((a, r) => a + r.by, 0);

		for (const r of rows.slice(0, DIFF_ROWS))
			table.append(this.row(r));
		return part("section", "card diff-list",
			part("h2", kind, title, part("span", "quiet",
				` ${signed(this.app, sum)} in ` +
				counted(rows.length, "function"))),
			rows.length ? table : part("p", "quiet", "nothing"),
			rows.length > DIFF_ROWS ? part("p", "quiet", `${number(
				rows.length - DIFF_ROWS)} more`) : "");
	}

	row(r)
	{
		const { app } = this;
		const text = (v) => part("td", "value", valueText(v,
			app.type().unit));
		const b = makeButton(r.name, `${r.name} ${r.module}`, () => app.go(
			{ search: exactly(r.name) }), "link");
		const change = part("td", `value change ${r.by > 0 ? "more" : "less"}`,
				    signed(app, r.by));

		change.style.setProperty("--part",
			`${100 * Math.abs(r.by) / this.most}%`);
		return part("tr", "", change, text(r.was), text(r.is),
			    part("td", "name", b));
	}

	/* --- the page --- */

	pictures()
	{
		return isDiff(this.app.state) ? this.flame.pictures() : [];
	}

	/* The difference. */
	exported()
	{
		return isDiff(this.app.state) ? this.params() : null;
	}

	resize()
	{
		this.before.chart.resize();
		this.after.chart.resize();
		this.flame.resize();
	}

	theme(dark)
	{
		this.flame.theme(dark);
		this.before.chart.theme();
		this.after.chart.theme();
	}

	walk(by)
	{
		if (isDiff(this.app.state))
			this.flame.walk(by);
	}

	key(e)
	{
		if (e.key === "x" && isDiff(this.app.state)) {
			this.swap();
			return true;
		}
		return isDiff(this.app.state) && this.flame.key(e);
	}

	leave()
	{
		this.flame.leave();
	}
}

function signed(app, v)
{
	return changeText(v, app.type().unit);
}
