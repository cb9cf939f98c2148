// SPDX-License-Identifier: Apache-2.0
/* overview.js: what there is: types, values of labels, files, facts, and how
 * much of it when. A click selects a type or adds a filter. */
import { breakable, fillSelect, make, makeButton, makeSelect, makeChip } from "./dom.js";
import { withLine } from "./state.js";
import { counted, duration, number, percent, valueText } from "./text.js";
import { TimeChart } from "./time_chart.js";
import { TimeScale, stateRange } from "./time_axis.js";
import { part, seriesColour } from "./time_parts.js";
import { labelWhere } from "./lane_rows.js";

const FEW_VALUES = 8;
const MANY_VALUES = 200;
const MOST_LABELS = 24;

export class OverviewView {
	static key = "overview";
	static title = "Overview";
	static ownTime = true;

	keys = [["drag on the chart", "select a range of time"]];

	touches = [["two fingers on the chart", "zoom in time"]];

	get hint()
	{
		return "Click a type to show it, a value to keep only its samples" +
			(this.chartCard.hidden ? "." :
				", and drag over the chart to select a time.");
	}

	constructor(app)
	{
		this.app = app;
		this.wide = new Set(); /* labels with all their values */
		this.chart = new TimeChart(app, { height: 168,
			by: () => app.state.stack || "",
			loaded: (data) => this.fillKey(data) });
		this.stack = makeSelect("stack", "Stack the chart by", [],
			(value) => app.go({ stack: value }));
		this.chartKey = part("div", "over-key");
		this.when = part("span", "quiet");
		this.peak = part("span", "quiet");
		this.chartCard = part("section", "card wide",
			part("div", "card-head", part("h2", "", "Over time"),
			     this.when, this.peak, part("span", "gap"),
			     this.stack),
			this.chart.element, this.chartKey);
		this.types = part("section", "card");
		this.facts = part("section", "card");
		this.labels = part("div", "over-labels");
		this.cards = new Map(); /* of labels */
		this.element = part("div", "over", this.chartCard, this.types,
				    this.facts, this.labels);
		this.element.tabIndex = 0;
	}

	async show(signal)
	{
		const { app } = this;
		const { overview } = app;
		const timed = app.type().timed && overview.duration > 0;

		app.full();
		this.chartCard.hidden = !timed;
		this.fillTypes();
		this.fillFacts();
		this.fillStack();
		app.detail(null);
		app.say(this.sum());
		await Promise.all([timed ? this.chart.show(signal) : null,
				   this.fillLabels(signal)]);
	}

	sum()
	{
		const { files } = this.app.overview;
		const types = this.app.types();
		const n = types.reduce((a, t) => a + t.observations, 0);

		const nr = this.app.file() ? 1 : files.length;

		return `${nr > 1 ? `${number(nr)} files, ` : ""}` +
			`${counted(types.length, "type")}, ` +
			counted(n, "observation");
	}

	resize()
	{
		this.chart.resize();
	}

	theme()
	{
		this.chart.theme();
		if (this.chart.data)
			this.fillKey(this.chart.data);
	}

	/* --- types --- */

	fillTypes()
	{
		const { app } = this;
		const table = part("table", "over-table");
		const own = app.type();

		table.append(part("tr", "", part("th", "", "Type"),
				  part("th", "value", "Total"),
				  part("th", "value", "Observations")));
		app.types().forEach((t) => {
			const b = makeButton(t.type || "profile",
				`Show ${t.type}`, () => app.go(app.typeState(t)),
				"link");
			const row = part("tr", t === own ? "chosen" : "",
				part("td", "", b, part("span", "quiet", " ",
					...breakable([t.unit !== "count" ?
						t.unit : "", t.event].filter((s) => s)
						.join(" \u00b7 ")))),
				part("td", "value", valueText(t.total, t.unit)),
				part("td", "value", number(t.observations),
				     t.timed ? "" : part("span", "quiet",
							 " no times")));

			b.setAttribute("aria-pressed", String(t === own));
			table.append(row);
		});
		this.types.replaceChildren(part("h2", "", "Types"),
					   part("div", "card-scroll", table));
	}

	/* --- facts --- */

	fillFacts()
	{
		const { overview } = this.app;
		const list = part("dl");
		const times = new TimeScale(overview);
		const { from, to } = this.app.span();
		const add = (key, value) => list.append(make("dt", key),
			part("dd", "", ...breakable(value)));

		if (overview.duration && times.isDate(from))
			add("begin", `${times.date(from)} ${times.text(from)} UTC`);
		if (overview.duration)
			add("duration", valueText(to - from, "ns"));
		overview.files.forEach((f, i) => {
			const kept = String(i) === this.app.state.file;
			const b = makeButton(f.name, kept ? "Show all files" :
				"Show only this file", () => this.app.go(
				{ file: kept ? "" : String(i), zoom: "" }), "link");
			const dd = part("dd", "", ...overview.files.length > 1 ?
				[b] : breakable(f.name),
				part("span", "quiet", ` ${f.format}${f.bytes ?
					`, ${valueText(f.bytes, "bytes")}` : ""}`));

			list.append(make("dt", i ? "" : overview.files.length > 1 ?
				"files" : "file"), dd);
		});
		for (const [key, value] of overview.facts)
			add(key, value);
		if (this.app.source.open)
			list.append(make("dt", ""), part("dd", "",
				this.app.openButton("Open another file\u2026",
						    "link")));
		this.facts.replaceChildren(part("h2", "", "Facts"),
			...overview.notes.map((n) => part("p", "over-note", n)),
			part("div", "card-scroll", list));
	}

	/* --- the chart --- */

	fillStack()
	{
		const { app } = this;
		const { overview } = app;
		const at = new TimeScale(overview);

		fillSelect(this.stack.select, [["", "all together"], ...app.labels()
			.map((l) => [l.name, `by ${l.name}`])]);
		this.stack.select.value = app.state.stack || "";
		const { from, to } = stateRange(app.state, overview.duration) ||
			app.span();

		this.when.textContent = at.range(from, to);
	}

	/* What the colours of the chart mean, with totals. */
	fillKey(data)
	{
		const { app } = this;
		const list = [];

		this.peak.textContent = data && this.chart.most ? `at most ${
			valueText(this.chart.most, data.unit)} in ${
			duration(data.width)}` : "";
		if (data && app.state.stack)
			data.series.forEach((s, i) => {
				const others = data.has_others &&
					i === data.series.length - 1;

				list.push(makeChip(seriesColour(i, others, app.dark),
					`${others ? "others" : s.text} ` +
					valueText(s.total, data.unit)));
			});
		if (data && data.untimed && data.untimed.observations)
			list.push(part("span", "quiet",
				`${counted(data.untimed.observations, "observation")
				} without a time`));
		this.chartKey.replaceChildren(...list);
	}

	/* --- labels --- */

	async fillLabels(signal)
	{
		const labels = this.app.labels();
		const shown = labels.slice(0, MOST_LABELS);
		const cards = shown.map((l) => {
			if (!this.cards.has(l.name))
				this.cards.set(l.name, part("section", "card"));
			return this.cards.get(l.name);
		});

		this.labels.replaceChildren(...cards);
		if (labels.length > shown.length)
			this.labels.append(part("p", "quiet", `And ${number(
				labels.length - shown.length)} more labels: ${labels
				.slice(MOST_LABELS).map((l) => l.name).join(", ")}`));
		await Promise.all(shown.map((l, i) =>
			this.fillLabel(l, cards[i], signal)));
		/* Of labels with the same values the first is enough. */
		cards.forEach((card, i) => {
			const same = cards.slice(0, i).find((c) => !c.hidden &&
				c.dataset.values === card.dataset.values);
			const head = same?.querySelector("h2");
			const also = ` also ${shown[i].name}`;

			if (!same)
				return;
			card.hidden = true;
			if (!head.textContent.includes(also))
				head.append(part("span", "quiet", also));
		});
	}

	async fillLabel(label, card, signal)
	{
		const { app } = this;
		const sel = { ...app.selection(), label: label.name, by: "",
			      limit: this.wide.has(label.name) ? MANY_VALUES :
				FEW_VALUES };
		const key = JSON.stringify([sel, app.overview.duration]);

		if (card.dataset.key === key)
			return;
		delete sel.by;
		let data;

		try {
			data = await app.source.values(sel, signal);
		} catch (e) {
			if (signal.aborted)
				throw e;
			delete card.dataset.key;
			card.hidden = false;
			card.replaceChildren(part("h2", "", label.name),
					     part("p", "quiet", e.message));
			return;
		}
		if (signal.aborted)
			return;
		card.dataset.key = key;
		this.showLabel(label.name, card, data);
	}

	showLabel(name, card, data)
	{
		const { app } = this;
		const list = part("ul", "over-values");
		const most = Math.max(1, ...data.values.map((v) => Math.abs(v.value)));

		card.dataset.values = JSON.stringify([data.nr, data.values
			.slice(0, FEW_VALUES).map((v) => [v.text ===
				`(no ${name})` ? "" : v.text, v.value])]);
		/* Samples of another type may have it. */
		card.hidden = data.nr === 1 &&
			data.values[0]?.text === `(no ${name})`;

		for (const v of data.values) {
			const b = part("button", "", part("span", "what", v.text),
				part("span", "value", app.valueText(v.value)),
				part("span", "share quiet",
				     percent(v.value, data.total)));

			b.type = "button";
			b.title = `Keep only ${name}: ${v.text}`;
			b.style.setProperty("--part",
				`${100 * Math.abs(v.value) / most}%`);
			b.addEventListener("click", () => app.go({ zoom: "",
				where: withLine(app.state.where,
						labelWhere(name, v.text)) }));
			list.append(part("li", "", b));
		}
		card.replaceChildren(part("h2", "", name, part("span", "quiet",
			` ${number(data.nr)}`)), list);
		if (!data.rest?.nr)
			return;
		const more = `${number(data.rest.nr)} more` +
			(data.rest.value === undefined ? "" :
				`, ${app.valueText(data.rest.value)}`);

		card.append(this.wide.has(name) ? part("p", "quiet", more) :
			makeButton(more, "", () => {
				this.wide.add(name);
				app.update();
			}, "link"));
	}
}
