// SPDX-License-Identifier: Apache-2.0
/* api_source.js: data from the server of this page, which is asked below the
 * page's own address. */
import { FlameData } from "./flame_data.js";
import { linesOf } from "./state.js";
import { quoted } from "./text.js";

/* Several regular expressions as one that matches where any does. */
function anyOf(text)
{
	const list = linesOf(text);

	return list.length > 1 ? list.map((r) => `(?:${r})`).join("|") :
		list.join("");
}

export class ApiSource {
	constructor()
	{
		this.asked = new Map(); /* answers of lately, by address */
	}

	has()
	{
		return true;
	}

	/* The parameters of a selection, from the keys of the state that begin
	 * with before. */
	selection(state, before = "")
	{
		const key = (name) => state[before + name] || "";
		const [focus, ...more] = linesOf(key("focus"));
		const where = linesOf(key("where")).concat(more.map(
			(r) => `function=~${quoted(r)}`));

		return Object.fromEntries(Object.entries({
			type: key("type"), where: where.join(","),
			from: timeText(key("from")), to: timeText(key("to")),
			focus: focus || "", ignore: anyOf(key("ignore")),
			hide: anyOf(key("hide")), show_from: key("show_from"),
			collapse: key("collapse"), file: key("file"),
			by: before ? "" : key("by"),
		}).filter(([, value]) => value).map(
			([name, value]) => [before + name, value]));
	}

	address(name, params)
	{
		const text = new URLSearchParams(params).toString();

		return `api/${name}${text ? `?${text}` : ""}`;
	}

	/* An error says what to do. */
	async ask(address, options)
	{
		try {
			return await fetch(address, options);
		} catch (e) {
			if (e.name === "AbortError")
				throw e;
			throw new Error("otprof does not answer. If it has ended, " +
				"start it again: it prints a new address.");
		}
	}

	/* The answer as JSON; an error says what the server said. */
	async get(name, params, signal)
	{
		return this.read(await this.ask(this.address(name, params),
						{ signal }));
	}

	async read(answer)
	{
		let body = null;

		try {
			body = await answer.json();
		} catch (e) {
			if (e.name === "AbortError")
				throw e;
		}
		if (!answer.ok || !body)
			throw new Error(body?.error ||
				`the server answered ${answer.status}`);
		return body;
	}

	/* The same, kept until data change. */
	kept(name, params, make)
	{
		const key = this.address(name, params);

		if (!this.asked.has(key)) {
			const answer = this.get(name, params).then(make);

			if (this.asked.size > 20)
				this.asked.delete(this.asked.keys().next().value);
			this.asked.set(key, answer);
			answer.catch(() => this.asked.delete(key));
		}
		return this.asked.get(key);
	}

	forget()
	{
		this.asked.clear();
	}

	overview(signal)
	{
		return this.get("overview", {}, signal);
	}

	flame(sel)
	{
		return this.kept("flame", sel,
				 (answer) => FlameData.of(answer, sel.by || ""));
	}

	top(sel, signal)
	{
		return this.get("top", sel, signal);
	}

	values(sel, signal)
	{
		return this.get("values", sel, signal);
	}

	series(sel, signal)
	{
		return this.get("series", sel, signal);
	}

	heatmap(sel, signal)
	{
		return this.get("heatmap", sel, signal);
	}

	lanes(sel, signal)
	{
		return this.get("lanes", sel, signal);
	}

	chart(sel, signal)
	{
		return this.get("chart", sel, signal);
	}

	traces(sel, signal)
	{
		return this.get("traces", sel, signal);
	}

	spans(sel, signal)
	{
		return this.get("spans", sel, signal);
	}

	lines(sel, signal)
	{
		return this.get("lines", sel, signal);
	}

	/* The text of a source file. */
	text(file, signal)
	{
		return this.get("source", { file }, signal);
	}

	download(format, sel)
	{
		const params = { ...sel, format };

		/* A file has all of its frames. */
		delete params.by;
		return this.address("download", params);
	}

	/* The same as a blob, with the name of the file and what it lacks. */
	async file(address)
	{
		const answer = await this.ask(address);

		if (!answer.ok)
			await this.read(answer);
		return { blob: await answer.blob(),
			 name: /filename="([^"]*)"/.exec(answer.headers.get(
				 "Content-Disposition"))?.[1],
			 note: answer.headers.get("Otprof-Note") };
	}

	async open(file)
	{
		const answer = await this.ask(
			this.address("open", { name: file.name }),
			{ method: "POST", body: file });

		this.forget();
		return this.read(answer);
	}

	/* Calls when data were added; keeps the server running. */
	listen(onChange, onLost)
	{
		const events = new EventSource("api/events");

		events.addEventListener("change", (e) => {
			this.forget();
			onChange(JSON.parse(e.data));
		});
		events.addEventListener("open", () => onLost(false));
		events.addEventListener("error", () => onLost(true));
	}
}

/* The state has nanoseconds from the origin; conditions have "+5ns". */
function timeText(ns)
{
	return /^\d+$/.test(ns) ? `+${ns}ns` : ns;
}
