// SPDX-License-Identifier: Apache-2.0
/* head.js: title, type, search and buttons above, and the tabs below them. */
import { make, makeButton, makeInput, makeSelect, fillSelect } from "./dom.js";
import { number, patternOf, percent } from "./text.js";
import { openExport } from "./export.js";

/* A type as it is picked. */
export function typeLabel(t)
{
	const kind = t.unit && t.unit !== "count" ? `${t.type} (${t.unit})` :
		t.type;

	return [kind || "profile", t.event, t.resource]
		.filter((s) => s).join(" \u00b7 ");
}

/* The place of the next or previous of n matches, from none (-1) on, and around
 * the ends. */
export function nextMatch(at, by, n)
{
	return at < 0 && by < 0 ? n - 1 : (at + by + n) % n;
}

/* What a search found: its share of all and how many matches, or which of them
 * is shown. */
export function foundText(share, n, at = -1)
{
	const which = at >= 0 ? `${number(at + 1)} of ${number(n)}` :
		`${number(n)} match${n === 1 ? "" : "es"}`;

	return n ? `${percent(share, 1)} \u00b7 ${which}` : "no match";
}

export class Head {
	constructor(app, classes)
	{
		this.app = app;
		this.element = make("header");
		this.title = make("h1");
		this.title.id = "title";
		this.type = makeSelect("profile", "Type of profile ([ and ])", [],
				       (value) => this.pickType(value));
		this.total = make("span");
		this.total.id = "total";
		this.live = make("span", "live");
		this.live.id = "live";
		this.live.title = "What is recorded is added while it is recorded";
		this.live.hidden = true;
		this.element.append(this.title, this.live, this.type, this.total,
				    make("span", undefined, "gap"),
				    this.searchBox(), this.buttons());
		this.tabs = make("nav", undefined, "tabs");
		this.tabs.setAttribute("aria-label", "Views and how they look");
		this.tabs.append(this.tabList(classes), this.toolBar());
	}

	searchBox()
	{
		const box = make("div", undefined, "search");
		const input = makeInput("search", "Search (regex)",
					"Search frames by regular expression");

		input.type = "search";
		input.autocomplete = "off";
		input.title = "Search: / or Ctrl-F";
		input.addEventListener("input", () => this.app.go(
			{ search: input.value }, { replace: true }));
		input.addEventListener("keydown", (e) => {
			if (e.key === "Enter" && (e.ctrlKey || e.metaKey))
				this.filter();
			else if (e.key === "Enter")
				this.app.view?.walk?.(e.shiftKey ? -1 : 1);
		});
		this.search = input;
		this.matched = make("output");
		this.matched.id = "matched";
		this.matched.setAttribute("aria-live", "polite");
		box.append(input, this.matched,
			   this.walker("prev", "\u2039", "Previous match (N)", -1),
			   this.walker("next", "\u203a", "Next match (n)", 1));
		this.searching = box;
		return box;
	}

	/* Keeps only stacks with a match. */
	filter()
	{
		const { search } = this.app.state;

		if (!search)
			return;
		this.app.go({ search: "" }, { replace: true });
		this.app.filters.add("focus", patternOf(search));
	}

	walker(id, text, title, by)
	{
		const b = makeButton(text, title,
				     () => this.app.view?.walk?.(by));

		b.id = id;
		b.setAttribute("aria-label", title);
		return b;
	}

	buttons()
	{
		const box = make("div", undefined, "buttons");
		const rows = [
			["export", "Export", "Save what is shown",
			 (e) => openExport(this.app, e.currentTarget)],
			["theme", "\u25d0", "Dark or light (d)",
			 () => this.app.setTheme(!this.app.dark, true)],
			["help", "?", "Keys and facts (?)",
			 () => this.app.help.open()],
		];

		for (const [id, text, title, run] of rows) {
			const b = makeButton(text, title, run);

			b.id = id;
			if (id !== "export")
				b.setAttribute("aria-label", title);
			box.append(b);
		}
		return box;
	}

	tabList(classes)
	{
		const list = make("div", undefined, "tablist");

		list.setAttribute("role", "tablist");
		list.setAttribute("aria-label", "Views");
		this.tab = new Map();
		for (const c of classes) {
			const b = makeButton(c.title, "", (e) => {
				this.turnTo(c.key);
				if (e.detail) /* by mouse: keys are for the view */
					this.app.view.focus?.();
			});

			b.setAttribute("role", "tab");
			b.id = `tab-${c.key}`;
			b.setAttribute("aria-controls", "main");
			this.tab.set(c.key, b);
			list.append(b);
		}
		list.addEventListener("keydown", (e) => this.tabKey(e));
		return list;
	}

	/* Arrow keys go from tab to tab. */
	tabKey(e)
	{
		const tabs = [...this.tab.values()];
		const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
		const at = tabs.indexOf(document.activeElement);

		if (!by || at < 0)
			return;
		const to = tabs[(at + by + tabs.length) % tabs.length];

		to.focus();
		to.click();
		e.preventDefault();
		e.stopPropagation();
	}

	toolBar()
	{
		this.bar = make("div", undefined, "tools");
		this.bar.setAttribute("role", "toolbar");
		this.bar.setAttribute("aria-label", "View");
		return this.bar;
	}

	/* --- what is shown --- */

	fill(overview)
	{
		this.title.textContent = overview.title;
		this.title.title = overview.title;
		document.title = overview.title || "otprof";
		this.live.hidden = !overview.live;
	}

	update()
	{
		const { app } = this;

		for (const [key, tab] of this.tab) {
			const on = key === app.view.constructor.key;

			tab.setAttribute("aria-selected", String(on));
			tab.tabIndex = on ? 0 : -1;
			if (on)
				tab.scrollIntoView({ block: "nearest",
						     inline: "nearest" });
		}
		fillSelect(this.type.select, app.types().map(
			(t) => [t.select, typeLabel(t)]));
		this.type.select.value = app.type().select;
		this.searching.classList.toggle("off", !app.view.walk);
		if (this.search.value !== (app.state.search || ""))
			this.search.value = app.state.search || "";
		if (!app.state.search)
			this.found("");
	}

	turnTo(key)
	{
		this.app.go({ view: key === this.app.firstView().constructor.key ?
			"" : key, zoom: "" });
	}

	pickType(value)
	{
		const { app } = this;

		app.go(app.typeState(app.types().find((t) => t.select === value)));
		app.view.focus?.();
	}

	tools(elements)
	{
		this.bar.replaceChildren(...elements);
	}

	found(text, title = "")
	{
		this.matched.textContent = text;
		this.matched.title = title;
	}

	say(text)
	{
		this.total.textContent = text;
	}

	openSearch()
	{
		this.search.focus();
		this.search.select();
	}
}
