// SPDX-License-Identifier: Apache-2.0
/* help.js: the keys of what is shown and facts about the profile. */
import { breakable, isTouched, make, makeButton } from "./dom.js";
import { duration, number, valueText } from "./text.js";

export class Help {
	constructor(app)
	{
		this.app = app;
		this.element = make("dialog");
		this.element.id = "about";
		this.element.setAttribute("aria-label", "Keys and facts");
		this.keys = make("dl");
		this.keys.id = "keys";
		this.facts = make("dl");
		this.facts.id = "facts";
		const close = makeButton("\u00d7", "Close",
					 () => this.element.close(), "close");

		close.setAttribute("aria-label", "Close");
		this.by = make("p", "", "by");
		this.element.append(close, make("h2", "Keys and gestures"), this.keys,
				    make("h2", "This profile"), this.facts, this.by);
		this.element.addEventListener("click", (e) => {
			if (e.target === this.element)
				this.element.close();
		});
	}

	isOpen()
	{
		return this.element.open;
	}

	open()
	{
		if (!this.element.open)
			this.element.showModal();
	}

	update()
	{
		const { keys = [], touches = [] } = this.app.view;
		const byKey = this.app.keyRows().concat(
			[["1, 2, \u2026", "the views in the order of their tabs"]],
			keys);
		const rows = isTouched() ? touches.concat(byKey) :
			byKey.concat(touches);

		this.keys.replaceChildren(...rows.flatMap(([keys, text]) => {
			const dt = make("dt");

			dt.append(make("kbd", keys));
			return [dt, make("dd", text)];
		}));
		this.facts.replaceChildren(...this.factRows().flatMap(
			([key, value]) => {
				const dd = make("dd");

				dd.append(...breakable(value));
				return [make("dt", key), dd];
			}));
		this.by.textContent = this.app.source.open ?
			"Served by otprof on this machine. " +
			"Nothing leaves it." :
			"Written by otprof. Nothing leaves this page.";
	}

	factRows()
	{
		const { overview } = this.app;
		const t = this.app.type();
		const rows = [["type", `${t.type}/${t.unit}`]];

		for (const f of overview.files)
			rows.push(["file", `${f.name} (${f.format}, ` +
				`${valueText(f.bytes, "bytes")})`]);
		if (t.scope)
			rows.push(["scope", t.scope]);
		if (t.time)
			rows.push(["begin", new Date(t.time).toISOString()]);
		if (overview.has_date)
			rows.push(["begin", new Date(overview.origin / 1e6)
				.toISOString()]);
		if (t.duration || overview.duration)
			rows.push(["duration", duration(t.duration ||
							overview.duration)]);
		if (t.period)
			rows.push(["period", valueText(t.period, t.period_unit)]);
		if (t.observations)
			rows.push(["observations", number(t.observations)]);
		for (const note of overview.notes)
			rows.push(["note", note]);
		return rows.concat(t.facts || [], overview.facts);
	}
}
