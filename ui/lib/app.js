// SPDX-License-Identifier: Apache-2.0
/* app.js: the page around the views. It has the state, which is in the address,
 * and gives each view the part of the page that is its own.
 *
 * A view is a class with
 *	static key, title    its name in the address and on its tab
 *	static ownTime       it has a time chart of its own
 *	constructor(app)
 *	element              what is shown in the middle of the page
 *	async show(signal)   loads and draws what app.state asks for
 * and, where it wants them,
 *	tools                elements for the bar beside the tabs
 *	resize(), theme(dark), key(event) -> true if it was for the view
 *	keys, touches        [["k", "what it does"], ...] for the help
 *	takes                keys of the page that do something else in it
 *	walk(by)             goes to the next or the previous match of a search
 *	leave()              another view is shown
 *	pictures()           flame graphs that Export can draw; else
 *	canvas               what it takes as it is in sight
 *	exported()           what it downloads, if not app.selection()
 */
import { make, makeButton, stored } from "./dom.js";
import { BYTES, TIMES, valueText } from "./text.js";
import { State } from "./state.js";
import { Head } from "./head.js";
import { FilterBar } from "./filters.js";
import { Help } from "./help.js";
import { closeMenu } from "./menu.js";

/* Less than that is not worth the sight of a wait. */
const PATIENCE = 200; /* ms */

export class App {
	/* classes: the views, in the order of their tabs; Chart: the class of
	 * the time chart above them, if there is to be one */
	constructor(source, classes, Chart = null)
	{
		this.source = source;
		this.overview = null;
		this.history = new State(() => this.update());
		this.head = new Head(this, classes.filter(
			(c) => source.has(c.key)));
		this.filters = new FilterBar(this);
		this.main = make("main");
		this.main.id = "main";
		this.help = new Help(this);
		this.strip = Chart ? new Chart(this, { height: 52,
			view: () => this.view }) : null;
		this.build();
		this.views = classes.filter((c) => source.has(c.key))
			.map((c) => new c(this));
		this.view = null;
		this.shown = ""; /* the type whose facts are shown */
		this.abort = new AbortController();
		this.listen();
		this.setTheme(this.wantsDark());
	}

	get state()
	{
		return this.history.values;
	}

	build()
	{
		const footer = make("footer");

		this.detailBox = make("div");
		this.detailBox.id = "detail";
		this.detailBox.setAttribute("aria-live", "polite");
		this.legendBox = make("div");
		this.legendBox.id = "legend";
		footer.append(this.detailBox, this.legendBox);
		this.notice = make("div", undefined, "notice");
		this.notice.hidden = true;
		this.notice.setAttribute("role", "status");
		this.main.append(this.notice);
		document.body.append(this.head.element, this.head.tabs,
				     this.filters.element, this.main, footer,
				     this.help.element);
		if (this.strip) {
			this.strip.element.classList.add("strip");
			this.main.before(this.strip.element);
		}
		this.detail(null);
	}

	/* --- start --- */

	async start()
	{
		this.wait("Loading\u2026");
		try {
			this.overview = await this.source.overview();
		} catch (e) {
			this.fail(e);
			return;
		}
		this.opened();
		this.source.listen?.(() => this.reload(),
				     (lost) => this.lost(lost));
	}

	opened()
	{
		this.head.fill(this.overview);
		if (!this.overview.types.length) {
			this.empty("There is no profile in this file.");
			return;
		}
		this.update();
	}

	/* Data were added. */
	async reload()
	{
		try {
			this.overview = await this.source.overview();
		} catch {
			return;
		}
		this.quiet = true; /* what is there stays until there is more */
		this.opened();
		this.quiet = false;
	}

	lost(isLost)
	{
		const root = document.documentElement;

		if (root.hasAttribute("data-lost") === isLost)
			return;
		root.toggleAttribute("data-lost", isLost);
		this.say(isLost ? "The connection to otprof is lost: is it " +
			"still running?" : "");
	}

	/* --- state --- */

	/* Changes keys of the state and shows what it asks for. */
	go(changes, { replace = false } = {})
	{
		this.history.change(changes, replace);
		this.update();
	}

	/* Of one file with its type, which may not be that of all files. */
	selection()
	{
		return this.source.selection(this.file() ? { ...this.state,
			type: this.type().select } : this.state);
	}

	/* The same for views with all of the time, or with a range of their own. */
	timelessSelection(selection = this.selection())
	{
		const { from: _f, to: _t, by: _b, ...rest } = selection;

		return rest;
	}

	/* The only file that is shown, if there is one. */
	file()
	{
		return this.overview.files[this.state.file || -1];
	}

	/* The types that there are in the files that are shown: the first, then
	 * work, time, bytes and the rest, of each the largest first. */
	types()
	{
		const first = this.firstType();
		const rank = (t) => t === first ? 0 :
			/^(cpu|samples)$/.test(t.type) ? 1 : TIMES[t.unit] ? 2 :
				BYTES[t.unit] ? 3 : 4;

		return [...this.ownTypes()].sort((a, b) => rank(a) - rank(b) ||
			b.total - a.total || 0);
	}

	/* The same in the order of the overview. */
	ownTypes()
	{
		const { types } = this.overview;
		const file = this.file();

		return file ? file.types.map((i) => types[i]) : types;
	}

	/* The labels of the files that are shown. */
	labels()
	{
		const own = this.file()?.labels;

		return this.overview.labels.filter(
			(l) => !own || own.includes(l.name));
	}

	firstType()
	{
		const { first, types } = this.overview;

		return types[this.file()?.first ?? first] || types[0];
	}

	/* The type that is shown, as the overview has it. */
	type()
	{
		return this.ownTypes().find((t) => t.select === this.state.type) ||
			this.firstType();
	}

	/* The time of the files that are shown, of those that have the type:
	 * others may be from another day. */
	span(prefix = "")
	{
		const { duration = 0, files, types } = this.overview;
		const one = files[this.state[`${prefix}file`] || -1];
		const type = types.indexOf(this.type());
		const shown = (one ? [one] : files.filter(
			(f) => f.types.includes(type))).filter((f) => f.from < f.to);
		const from = Math.max(0, Math.min(...shown.map((f) => f.from)));
		const to = Math.min(duration, Math.max(...shown.map((f) => f.to)));

		return shown.length && to - from < duration / 2 ? { from, to } :
			{ from: 0, to: duration };
	}

	/* The state in which a type is shown. */
	typeState(type)
	{
		return { type: type === this.firstType() ? "" : type.select,
			 zoom: "" };
	}

	/* The calls of the selection, as FlameData. */
	flame()
	{
		return this.source.flame(this.selection());
	}

	/* A value of the type that is shown, as people say it. */
	valueText(v)
	{
		return valueText(v, this.type().unit);
	}

	update()
	{
		if (!this.overview?.types.length)
			return;
		const wanted = this.views.find(
			(v) => v.constructor.key === this.state.view);

		this.turnTo(wanted || this.firstView());
		this.head.update();
		this.filters.update();
		this.help.update();
		this.showStrip();
		this.draw();
	}

	/* The time chart, unless the view has one of its own. */
	showStrip()
	{
		const { strip, view } = this;

		if (!strip)
			return;
		strip.element.hidden = view.constructor.ownTime ||
			!this.type().timed || !this.overview.duration;
		if (!strip.element.hidden)
			strip.show(new AbortController().signal).catch(() => {});
	}

	/* The view of an address without one. */
	firstView()
	{
		return this.views.find((v) => v.constructor.key === "flame") ||
			this.views[0];
	}

	turnTo(view)
	{
		if (this.view === view)
			return;
		closeMenu();
		this.filters.hideForm();
		this.view?.leave?.();
		this.view?.element.remove();
		this.view = view;
		this.detail(null);
		this.legend([]);
		this.crumbs([]);
		this.head.found("");
		this.say("");
		this.main.prepend(view.element);
		this.head.tools(view.tools || []);
	}

	async draw()
	{
		const { view } = this;
		const abort = new AbortController();
		const late = this.quiet ? 0 :
			setTimeout(() => this.wait("Loading\u2026"), PATIENCE);

		this.abort.abort();
		this.abort = abort;
		try {
			await view.show(abort.signal);
			if (!abort.signal.aborted && !this.notice.dataset.empty)
				this.notice.hidden = true;
			/* Views paint at the next frame. */
			requestAnimationFrame(() =>
				performance.mark("otprof-drawn"));
			if (!abort.signal.aborted)
				this.filters.fillThreads();
		} catch (e) {
			if (!abort.signal.aborted)
				this.fail(e);
		} finally {
			clearTimeout(late);
		}
	}

	/* --- what is said --- */

	/* nodes: elements or texts for the fixed place of details. */
	detail(nodes)
	{
		this.detailBox.className = nodes ? "" : "empty";
		this.detailBox.replaceChildren(...nodes || [
			this.view?.hint || ""]);
	}

	/* chips: elements that say what colours mean */
	legend(chips)
	{
		this.legendBox.replaceChildren(...chips);
	}

	crumbs(nodes)
	{
		this.filters.crumbs.replaceChildren(...nodes);
	}

	/* For a moment in place of the last line of the details. */
	hint(text)
	{
		(this.detailBox.lastElementChild || this.detailBox).textContent =
			text;
	}

	say(text)
	{
		this.head.say(text);
	}

	note(nodes, kind)
	{
		this.notice.hidden = false;
		this.notice.dataset.kind = kind;
		delete this.notice.dataset.empty;
		this.notice.replaceChildren(...nodes);
	}

	wait(text)
	{
		this.note([make("p", text)], "wait");
	}

	/* actions: ways out that are there for this one only */
	fail(error, ...actions)
	{
		this.note([make("h2", "That did not work"),
			   make("p", error.message), ...actions,
			   ...this.wayOut()], "error");
	}

	/* There is nothing to see: why, and what to do. */
	empty(text)
	{
		this.note([make("h2", text), ...this.wayOut()], "empty");
		this.notice.dataset.empty = "1";
	}

	emptyOrFull(why)
	{
		if (why)
			this.empty(why);
		else
			this.full();
	}

	/* There is something again. */
	full()
	{
		delete this.notice.dataset.empty;
		this.notice.hidden = true;
	}

	wayOut()
	{
		const out = [];

		if (this.filters.isActive())
			out.push(makeButton("Remove all filters", "",
					    () => this.filters.clear()));
		out.push(makeButton("Reload", "", () => location.reload()));
		if (this.source.open)
			out.push(this.openButton("Open a file\u2026"),
				 make("p", "You can also drop one on this page.",
				      "quiet"));
		return out;
	}

	/* --- theme --- */

	wantsDark()
	{
		const dark = matchMedia("(prefers-color-scheme: dark)");

		dark.addEventListener("change", (e) => {
			if (!stored("theme"))
				this.setTheme(e.matches);
		});
		return stored("theme") ? stored("theme") === "dark" :
			dark.matches;
	}

	setTheme(dark, keep)
	{
		this.dark = dark;
		document.documentElement.dataset.theme = dark ? "dark" : "light";
		if (keep)
			stored("theme", dark ? "dark" : "light");
		this.strip?.theme();
		for (const view of this.views)
			view.theme?.(dark);
	}

	/* --- events --- */

	listen()
	{
		/* Lines above it may come and go while the window stays. */
		new ResizeObserver(() => {
			this.strip?.resize();
			this.view?.resize?.();
		}).observe(this.main);
		document.addEventListener("keydown", (e) => this.onKey(e));
		if (this.source.open)
			this.listenDrop();
	}

	onKey(e)
	{
		const inText = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
		const isFind = (e.ctrlKey || e.metaKey) && e.key === "f";

		if (!this.view || e.defaultPrevented || this.help.isOpen())
			return;
		if (isFind && this.view.walk) {
			e.preventDefault();
			this.head.openSearch();
			return;
		}
		if (e.ctrlKey || e.metaKey || (inText && e.key !== "Escape"))
			return;
		if (/^(BUTTON|A)$/.test(e.target.tagName) &&
		    (e.key === "Enter" || e.key === " "))
			return;
		if (this.view.key?.(e) || this.ownKey(e))
			e.preventDefault();
	}

	ownKey(e)
	{
		const key = e.altKey ? "" : e.key;
		const own = OWN_KEYS.find(([k]) => k === key);

		if (/^[1-9]$/.test(key) && this.views[key - 1]) {
			this.head.turnTo(this.views[key - 1].constructor.key);
			return true;
		}
		if (!own)
			return false;
		own[3](this);
		return true;
	}

	keyRows()
	{
		return OWN_KEYS.filter(([key, keys]) => keys &&
			!this.view.takes?.includes(key) &&
			(key !== "." || this.filters.hasThreads()))
			.map(([, keys, text]) => [keys, text]);
	}

	/* Escape: first the form or the search, then the function that was looked
	 * up, then the zoom. Filters stay. */
	escape()
	{
		const isLookedUp = this.state.fn && this.view === this.firstView();

		if (this.filters.isOpen())
			this.filters.closeForm();
		else if (this.state.search)
			this.go({ search: "", ...(isLookedUp ? { fn: "" } : {}) });
		else if (isLookedUp)
			this.go({ fn: "" });
		else if (this.state.zoom)
			this.go({ zoom: "" });
		this.view.focus?.();
	}

	pick(by)
	{
		const types = this.types();
		const at = types.indexOf(this.type());

		this.go(this.typeState(types[(at + by + types.length) %
			types.length]));
	}

	/* --- files dropped on the page --- */

	listenDrop()
	{
		const stop = (e) => {
			e.preventDefault();
			document.body.classList.toggle("drop",
						       e.type === "dragover");
		};

		for (const type of ["dragover", "dragleave", "drop"])
			addEventListener(type, stop);
		addEventListener("drop", (e) => this.take(e.dataTransfer.files));
	}

	async take(files)
	{
		try {
			for (const file of files) {
				this.say(`Opening ${file.name}\u2026`);
				await this.source.open(file);
			}
			this.say("");
			await this.reload();
		} catch (e) {
			this.say("");
			this.fail(e, makeButton("Back to the profile", "", () => {
				this.full();
				this.update();
			}));
		}
	}

	/* For those who cannot drop a file. */
	openButton(text, className = "")
	{
		return makeButton(text, "Open files of this machine beside " +
			"those that are here", () => {
			const input = make("input");

			input.type = "file";
			input.multiple = true;
			input.addEventListener("change",
					       () => this.take(input.files));
			input.click();
		}, className);
	}
}

const OWN_KEYS = [
	["/", "/ or Ctrl-F", "search; Enter and Shift-Enter walk the matches, " +
		"Ctrl-Enter keeps only stacks with one",
	 (app) => app.head.openSearch()],
	["n", "n, N", "next, previous match, the largest first",
	 (app) => app.view.walk?.(1)],
	["N", null, null, (app) => app.view.walk?.(-1)],
	["Escape", "Esc", "clear the search, else reset the zoom",
	 (app) => app.escape()],
	[".", "., ,", "next, previous thread", (app) => app.filters.stepThread(1)],
	[",", null, null, (app) => app.filters.stepThread(-1)],
	["]", "], [", "next, previous type", (app) => app.pick(1)],
	["[", null, null, (app) => app.pick(-1)],
	["d", "d", "dark or light", (app) => app.setTheme(!app.dark, true)],
	["?", "?", "this list", (app) => app.help.open()],
];
