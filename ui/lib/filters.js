// SPDX-License-Identifier: Apache-2.0
/* filters.js: what is left out of the data, as chips that can be removed, with
 * a form to add more; beside them the path of the zoom. */
import { fillSelect, make, makeButton, makeInput, makeSelect } from "./dom.js";
import { baseName, escapeRegex, number, percent } from "./text.js";
import { linesOf, withLine, withoutLine } from "./state.js";

const MOST_THREADS = 500;

/* Key of the state, what its chip begins with, what it does. */
export const FILTERS = [
	["where", "where", "Only samples with labels, as thread=~\"http.*\" or " +
		"state=lock"],
	["focus", "focus", "Only stacks with a matching frame"],
	["ignore", "ignore", "No stack with a matching frame"],
	["hide", "hide", "Take matching frames out of the stacks"],
	["show_from", "show from", "Take callers of matching frames away"],
];

export class FilterBar {
	constructor(app)
	{
		this.app = app;
		this.element = make("section", undefined, "filters");
		this.element.setAttribute("aria-label", "Filters and zoom");
		this.chips = make("div", undefined, "chips");
		this.chips.id = "chips";
		this.crumbs = make("nav");
		this.crumbs.id = "crumbs";
		this.crumbs.setAttribute("aria-label", "Zoom");
		this.form = this.makeForm();
		this.adder = makeButton("+ Filter", "Add a filter",
					() => this.openForm(), "adder");
		this.adder.id = "add-filter";
		this.adder.setAttribute("aria-expanded", "false");
		this.thread = makeSelect("thread", "Only this thread (. and ,)", [],
					 (where) => this.pickThread(where));
		this.thread.hidden = true;
		this.element.append(this.adder, this.form, this.thread, this.chips,
				    this.crumbs);
		addEventListener("pointerdown", (e) => {
			if (!this.element.contains(e.target))
				this.hideForm();
		});
	}

	makeForm()
	{
		const form = make("form");

		this.kinds = FILTERS.filter(([key]) => key !== "where" ||
			this.app.source.has("where"));
		this.kind = makeSelect("filter-kind", "Kind of filter",
				       this.kinds.map(([key, text]) => [key, text]),
				       () => this.explain());
		this.kind.select.value = "focus";
		this.text = makeInput("filter-text", "", "");
		this.text.setAttribute("list", "filter-values");
		this.text.autocomplete = "off";
		this.list = make("datalist");
		this.list.id = "filter-values";
		form.hidden = true;
		this.about = make("p", "", "quiet");
		form.append(this.kind, this.text, this.list,
			    make("button", "Add"), this.about);
		form.addEventListener("submit", (e) => {
			e.preventDefault();
			this.add(this.kind.select.value, this.text.value.trim());
			this.closeForm();
		});
		form.addEventListener("keydown", (e) => {
			if (e.key === "Escape") {
				e.preventDefault();
				this.closeForm();
			}
		});
		this.text.addEventListener("input", () => this.complete());
		return form;
	}

	openForm()
	{
		if (!this.form.hidden) {
			this.closeForm();
			return;
		}
		this.form.hidden = false;
		this.adder.setAttribute("aria-expanded", "true");
		this.explain();
		this.text.focus();
	}

	closeForm()
	{
		this.hideForm();
		this.adder.focus();
	}

	hideForm()
	{
		this.form.hidden = true;
		this.text.value = "";
		this.adder.setAttribute("aria-expanded", "false");
	}

	isOpen()
	{
		return !this.form.hidden;
	}

	explain()
	{
		const [, , text] = FILTERS.find(
			([key]) => key === this.kind.select.value);

		this.about.textContent = text;
		this.text.placeholder = this.kind.select.value === "where" ?
			'thread=~"http.*"' : "regular expression";
		this.text.setAttribute("aria-label", text);
		this.complete();
	}

	/* Names of functions; of conditions labels, then their values. */
	async complete()
	{
		const { app, text } = this;
		const kind = this.kind.select.value;
		const label = /^\s*([\w.]+)\s*=[=~]?/.exec(text.value);
		let rows = [];

		if (kind === "where" && !label)
			rows = app.labels().map((l) => `${l.name}=`);
		else if (kind === "where")
			rows = await this.valuesOf(label[1]);
		else
			rows = await this.functions();
		fillSelect(this.list, rows.slice(0, 100).map((r) => [r, ""]));
	}

	async valuesOf(label)
	{
		try {
			const { values } = await this.app.source.values({
				...this.app.selection(), by: "", label,
				limit: 100 });

			return values.map((v) => `${label}=${
				/^[\w./:@+$*-]+$/.test(v.text) ? v.text :
					JSON.stringify(v.text)}`);
		} catch {
			return [];
		}
	}

	async functions()
	{
		const data = await this.app.flame().catch(() => null);
		const typed = this.text.value.toLowerCase();

		if (!data || typed.length < 2)
			return [];
		return data.frames.name.slice(1).filter(
			(n) => n.toLowerCase().includes(typed)).slice(0, 50)
			.map((n) => `^${escapeRegex(n)}$`);
	}

	/* --- threads, which people go through one by one --- */

	/* The sides of a difference have labels of their own. */
	hasThreads()
	{
		const { source, view } = this.app;

		return source.has("where") && view.constructor.key !== "diff" &&
			this.app.labels().some((l) => l.name === "thread" &&
				l.values > 1);
	}

	/* The conditions other than the one that selects a thread. */
	otherWhere()
	{
		return withoutLine(this.app.state.where, this.threadNow());
	}

	threadNow()
	{
		return linesOf(this.app.state.where).find(
			(line) => /^thread="(\\"|[^"])*"$/.test(line)) || "";
	}

	/* The threads that the other filters leave, those with most first. */
	async fillThreads()
	{
		const { app, thread } = this;

		thread.hidden = !this.hasThreads();
		if (thread.hidden)
			return;
		const { by: _, ...sel } = app.source.selection(
			{ ...app.state, where: this.otherWhere(),
			  type: app.type().select });
		const key = JSON.stringify([sel, app.overview.duration]);

		if (key !== this.threadsOf) {
			this.threadsOf = key;
			const answer = await app.source.values({ ...sel,
				label: "thread", limit: MOST_THREADS })
				.catch(() => ({ values: [], nr: 0 }));

			fillSelect(thread.select, [["", answer.nr ?
				`all ${number(answer.nr)} threads` : "no threads"],
				...answer.values.map((v) => [v.where,
				`${v.text} \u00b7 ${percent(v.value, answer.total)}`])]);
		}
		thread.select.value = this.threadNow();
	}

	pickThread(where)
	{
		this.app.go({ where: withLine(this.otherWhere(), where),
			      zoom: "" });
	}

	stepThread(by)
	{
		const { options, selectedIndex } = this.thread.select;
		const n = options.length;

		if (!this.thread.hidden && n)
			this.pickThread(options[(Math.max(0, selectedIndex) + by + n) %
				n].value);
	}

	/* --- the filters that there are --- */

	add(key, text)
	{
		if (!text)
			return;
		this.app.go({ [key]: key === "show_from" ? text :
			withLine(this.app.state[key], text), zoom: "" });
	}

	isActive()
	{
		const { state } = this.app;

		return FILTERS.some(([key]) => state[key]) ||
			Boolean(state.from || state.to || state.collapse ||
				state.file);
	}

	clear()
	{
		this.app.go({ where: "", focus: "", ignore: "", hide: "",
			      show_from: "", from: "", to: "", collapse: "",
			      file: "", zoom: "" });
	}

	update()
	{
		const { state, words } = this.app;
		const chips = [];

		if (words && (state.from || state.to))
			chips.push(this.chip("time", words.range(this.app),
					     { from: "", to: "" }));
		if (state.file)
			chips.push(this.chip("file", baseName(this.app.overview
				.files[state.file]?.name || state.file),
					     { file: "" }));
		for (const [key, text] of this.kinds)
			for (const line of linesOf(state[key]))
				chips.push(this.chip(...(words && key === "where" ?
					words.where(line) : [text, line]), {
					[key]: withoutLine(state[key], line),
				}, `${text} ${line}`));
		if (state.collapse)
			chips.push(this.chip("", "recursion collapsed",
					     { collapse: "" }));
		if (chips.length > 1)
			chips.push(makeButton("clear all", "Remove all filters",
					      () => this.clear(), "link"));
		this.chips.replaceChildren(...chips);
	}

	chip(kind, text, changes, whole = `${kind} ${text}`)
	{
		const b = makeButton("", `Remove this filter: ${whole}`,
				     () => this.app.go({ ...changes, zoom: "" }),
				     "chip");
		const plain = text.replace(/^\^(.*)\$$/, "$1")
			.replace(/\\([\\^$.*+?()[\]{}|])/g, "$1");

		if (kind)
			b.append(make("span", kind, "quiet"));
		b.append(make("span", plain, "what"),
			 make("span", "\u00d7", "cross"));
		return b;
	}
}
