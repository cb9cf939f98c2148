// SPDX-License-Identifier: Apache-2.0
/* page_times.js: the observations in the page, and what a selection of them
 * adds up to: what the query layer (src/query) answers where there is a server,
 * by the same rules. A type has one or more profiles, whose samples and nodes
 * are numbered as if they were one. */
import { matchGroups } from "./conditions.js";
import { labelWhere } from "./lane_rows.js";
import { regexOf } from "./text.js";

/* "+5ns", as conditions of time have it. */
function timeOf(text, otherwise)
{
	const found = /^\+(\d+)ns$/.exec(text || "");

	return found ? Number(found[1]) : otherwise;
}

/* The samples of one profile of a type as columns. */
class PageSamples {
	constructor(type, profile, offset)
	{
		const { columns, each, samples, at, ...rest } = profile.times;
		const nr = samples.length / 5;
		const total = samples.reduce((a, n, i) => a + (i % 5 === 2 ? n : 0), 0);

		Object.assign(this, rest, { type, nr, each });
		this.lasts = columns.includes("length");
		this.node = new Int32Array(nr);
		this.group = new Int32Array(nr);
		this.first = new Int32Array(nr + 1);
		this.untimed = new Float64Array(nr); /* observations */
		this.rest = new Float64Array(nr); /* their value */
		this.time = new Float64Array(total);
		this.length = this.lasts ? new Float64Array(total) : null;
		this.value = columns.includes("value") ? new Float64Array(total) :
			this.length;
		for (let s = 0, k = 0; s < nr; s++) {
			const row = samples.slice(5 * s, 5 * s + 5);

			this.node[s] = row[0] && row[0] + offset;
			this.group[s] = row[1];
			this.untimed[s] = row[3];
			this.rest[s] = row[4];
			this.first[s + 1] = this.first[s] + row[2];
			k = this.read(at, k, s, columns.length);
		}
	}

	/* A time is relative to the one before it. */
	read(at, k, s, width)
	{
		let time = 0;

		for (let i = this.first[s]; i < this.first[s + 1]; i++, k += width) {
			time += at[k];
			this.time[i] = time;
			if (this.length)
				this.length[i] = at[k + 1];
			if (this.value !== this.length)
				this.value[i] = at[k + width - 1];
		}
		return k;
	}
}

/* What of a value belongs to the first x of d nanoseconds. */
function shareOf(value, d, x)
{
	return value === d ? x : Math.trunc(value * x / d);
}

export class PageTimes {
	/* types: each has its profiles, with what is added to their nodes;
	 * passes(type, sel): which nodes a stack may end in, or null for all */
	constructor(times, types, passes)
	{
		this.times = times;
		this.types = types;
		this.passes = passes;
		this.made = new Map();
		this.masks = new Map();
	}

	/* The parts of a type. */
	parts(type)
	{
		if (!this.made.has(type))
			this.made.set(type, type.profiles.map(([p, offset]) =>
				new PageSamples(type, p, offset)));
		return this.made.get(type);
	}

	/* Whether samples of a part are selected, whatever their times. */
	chooser(part, { where = "", ...sel })
	{
		const pass = this.passes(part.type, sel);

		if (!this.masks.has(where)) {
			if (this.masks.size > 20)
				this.masks.clear();
			this.masks.set(where, matchGroups(this.times, where));
		}
		const mask = this.masks.get(where);

		return (s) => mask[part.group[s]] && (!pass || pass[part.node[s]]);
	}

	range(sel)
	{
		const from = timeOf(sel.from, -Infinity);
		const to = timeOf(sel.to, Infinity);

		return { from, to, isWhole: from === -Infinity && to === Infinity };
	}

	/* Calls take(part, sample, time, length, value) for each observation that
	 * is selected, cut to the range unless it is to stay whole. */
	each(part, sel, take, isCut = true)
	{
		const isChosen = this.chooser(part, sel);
		const { from, to } = this.range(sel);

		for (let s = 0; s < part.nr; s++) {
			if (!isChosen(s))
				continue;
			for (let i = part.first[s]; i < part.first[s + 1]; i++) {
				const time = part.time[i];
				const length = part.lasts ? part.length[i] : 0;
				const value = part.value ? part.value[i] : part.each;
				const end = time + length;

				if (time >= to || (length ? end <= from : time < from))
					continue;
				if (!isCut || !length || (time >= from && end <= to)) {
					take(part, s, time, length, value);
					continue;
				}
				const a = Math.max(time, from);
				const b = Math.min(end, to);
				const kept = shareOf(value, length, b - time) -
					shareOf(value, length, a - time);

				if (kept)
					take(part, s, a, b - a, kept);
			}
		}
	}

	/* What the samples of a part add up to, of a state the last. Without a
	 * range also what has no time. */
	sums(part, sel)
	{
		const out = new Float64Array(part.nr);
		const isLast = part.adds === "last";

		this.each(part, sel, (_, s, time, length, value) => {
			out[s] = isLast ? value : out[s] + value;
		});
		const isChosen = this.chooser(part, sel);

		if (this.range(sel).isWhole)
			part.rest.forEach((v, s) => {
				if (v && isChosen(s))
					out[s] += v;
			});
		return out;
	}

	/* Self values by node. */
	selves(type, sel, nr)
	{
		const self = new Float64Array(nr);

		for (const part of this.parts(type))
			this.sums(part, sel).forEach((v, s) => {
				self[part.node[s]] += v;
			});
		return self;
	}

	label(group, name)
	{
		const { labels, groups, texts } = this.times;

		return texts[groups[group * labels.length + labels.indexOf(name)]];
	}

	/* What the groups of some labels add up to, the largest first. */
	totals(type, sel, names)
	{
		const rows = new Map();
		const rowOf = (group) => {
			const texts = names.map((n) => this.label(group, n));
			const key = texts.join("\n");

			if (!rows.has(key))
				rows.set(key, { texts, value: 0, observations: 0,
						first: Infinity, last: -Infinity });
			return rows.get(key);
		};
		const { isWhole } = this.range(sel);

		for (const part of this.parts(type)) {
			const sums = this.sums(part, sel);
			const of = new Map();
			const get = (s) => {
				const g = part.group[s];

				if (!of.has(g))
					of.set(g, rowOf(g));
				return of.get(g);
			};

			sums.forEach((v, s) => {
				if (v)
					get(s).value += v;
				if (isWhole && part.untimed[s] && v)
					get(s).observations += part.untimed[s];
			});
			this.each(part, sel, (_, s, time, length) => {
				const row = get(s);

				row.observations++;
				row.first = Math.min(row.first, time);
				row.last = Math.max(row.last, time + (length || 1));
			});
		}
		return [...rows.values()].sort((a, b) =>
			Math.abs(b.value) - Math.abs(a.value) ||
			b.observations - a.observations ||
			(a.texts.join("\n") < b.texts.join("\n") ? -1 : 1));
	}

	/* --- the questions of views --- */

	values(type, sel)
	{
		const match = sel.match ? regexOf(sel.match) : null;
		const limit = sel.limit || 100;

		if (!this.hasLabel(sel.label))
			throw new Error(`This page knows no label ${sel.label}.`);

		const all = this.totals(type, sel, [sel.label]);
		const rows = all.filter((r) => !match || match.test(r.texts[0]));
		const sum = (list) => list.reduce((a, r) => a + r.value, 0);

		return { label: sel.label, total: sum(all), nr: rows.length,
			 values: rows.slice(0, limit).map((r) => ({
				text: r.texts[0], value: r.value,
				observations: r.observations,
				where: labelWhere(sel.label, r.texts[0]) })),
			 rest: { nr: Math.max(0, rows.length - limit),
				 value: sum(rows.slice(limit)) } };
	}

	/* From the first observation to the end of the last; null without any. */
	extent(parts, sel)
	{
		let from = Infinity;
		let to = -Infinity;

		for (const part of parts)
			this.each(part, sel, (_, s, time, length) => {
				from = Math.min(from, time);
				to = Math.max(to, time + (length || 1));
			});
		return from < to ? { from, to } : null;
	}

	/* Columns of time: by their number, or of a width, with rows in each. */
	buckets(extent, { columns = 600, width = 0, rows = 1 })
	{
		const { from, to } = extent || { from: 0, to: 0 };
		const wide = width || Math.max(1, Math.ceil((to - from) / columns));
		const nr = extent ? Math.floor((to - from - 1) / wide) + 1 : 0;

		return {
			from, to, width: nr && wide, columns: nr, rows, nr: nr * rows,
			at: (time) => {
				const c = Math.floor((time - from) / wide);

				return c * rows + Math.floor((time - from - c * wide) *
					rows / wide);
			},
			begin: (i) => (i >= nr * rows ? to : Math.min(to, from +
				Math.floor(i / rows) * wide +
				Math.ceil((i % rows) * wide / rows))),
		};
	}

	axis(b)
	{
		return { from: b.from, width: b.width, columns: b.columns,
			 range_to: b.to };
	}

	untimed(parts, sel)
	{
		const out = { observations: 0, value: 0 };

		for (const part of this.range(sel).isWhole ? parts : []) {
			const isChosen = this.chooser(part, sel);

			part.rest.forEach((v, s) => {
				if (!part.untimed[s] || !isChosen(s))
					return;
				out.value += v;
				out.observations += part.untimed[s];
			});
		}
		return out;
	}

	/* Adds a part of a type to its cells: points at their time, what lasts to
	 * all that it covers, of a state its last value in each. */
	fill(part, sel, b, rowOf)
	{
		const isLast = part.adds === "last";
		let last = { s: -1, i: -1, value: 0 };

		this.each(part, sel, (_, s, time, length, value) => {
			const row = rowOf(s);
			const i = b.at(time);

			row.counts[i]++;
			if (!length) {
				if (isLast && last.s === s && last.i === i)
					row.values[i] -= last.value;
				row.values[i] += value;
				last = { s, i, value };
				return;
			}
			for (let k = i; k < b.nr && b.begin(k) < time + length; k++) {
				const from = Math.max(b.begin(k), time);
				const to = Math.min(b.begin(k + 1), time + length);

				row.values[k] += shareOf(value, length, to - time) -
					shareOf(value, length, from - time);
			}
		});
	}

	cells(b)
	{
		return { values: new Float64Array(b.nr), counts: new Float64Array(b.nr) };
	}

	series(type, sel)
	{
		const names = (sel.by || "").split(",").filter((n) => n);
		const parts = this.parts(type);
		const b = this.buckets(this.extent(parts, sel), sel);
		const rows = this.totals(type, sel, names);
		const limit = sel.limit || 8;
		const rest = rows.slice(limit);
		const own = (text, total) => ({ text, total, ...this.cells(b) });
		const list = !b.nr ? [] : rows.slice(0, limit).map(
			(r) => own(r.texts.join(", "), r.value));

		if (rest.length && list.length)
			list.push(own(`(${rest.length} others)`, rest.reduce(
				(a, r) => a + r.value, 0)));
		const at = new Map(rows.map((r, i) => [r.texts.join("\n"),
			list[Math.min(i, limit)]]));
		const ofGroup = new Map();

		for (const part of b.nr ? parts : [])
			this.fill(part, sel, b, (s) => {
				const g = part.group[s];

				if (!ofGroup.has(g))
					ofGroup.set(g, at.get(names.map(
						(n) => this.label(g, n)).join("\n")));
				return ofGroup.get(g);
			});
		return { ...this.axis(b), series: list.map((r) => ({ ...r,
				values: [...r.values], counts: [...r.counts] })),
			 has_others: rest.length > 0, untimed: this.untimed(parts, sel),
			 outside: { observations: 0, value: 0 } };
	}

	heatmap(type, sel)
	{
		const parts = this.parts(type);
		const b = this.buckets(this.extent(parts, sel), {
			width: sel.width || 1e9, rows: sel.rows || 50 });
		const cells = this.cells(b);
		const most = (list) => list.reduce((a, v) => Math.max(a, v), 0);

		for (const part of parts)
			this.fill(part, sel, b, () => cells);
		return { ...this.axis(b), rows: b.nr && b.rows, counts: [...cells.counts],
			 values: [...cells.values], max_count: most(cells.counts),
			 max_value: most(cells.values),
			 untimed: this.untimed(parts, sel) };
	}

	/* --- traces --- */

	hasLabel(name)
	{
		return this.times.labels.includes(name);
	}

	traces(type, sel)
	{
		if (!this.hasLabel("trace"))
			return { nr: 0, traces: [], rest: { nr: 0, value: 0 } };
		const rows = this.totals(type, sel, ["trace"]).filter(
			(r) => r.texts[0] !== "(no trace)");

		return { nr: rows.length, rest: { nr: 0, value: 0 },
			 traces: rows.map((r) => ({ ...r, trace: r.texts[0] })) };
	}

	spans(type, sel)
	{
		const names = ["trace", "span", "thread"].filter((n) => this.hasLabel(n));
		const limit = sel.limit || 2000;
		const by = new Map();

		for (const r of this.hasLabel("trace") ?
			this.totals(type, sel, names) : []) {
			const [trace, span] = names.includes("span") ? r.texts :
				[r.texts[0], "(no span)"];
			const key = `${trace} ${span}`;

			if (trace === "(no trace)" || (sel.trace && sel.trace !== trace))
				continue;
			const row = by.get(key) || { trace, span: span === "(no span)" ?
				"" : span, value: 0, observations: 0,
				first: Infinity, last: -Infinity, threads: [] };

			row.value += r.value;
			row.observations += r.observations;
			row.first = Math.min(row.first, r.first);
			row.last = Math.max(row.last, r.last);
			row.threads.push(r.texts.at(-1));
			by.set(key, row);
		}
		const list = [...by.values()].sort((a, b) => b.value - a.value);

		for (const row of list.filter((r) => r.first > r.last))
			row.first = row.last = null;
		return { spans: list.slice(0, limit), nr: list.length,
			 rest: { nr: Math.max(0, list.length - limit), value: 0 } };
	}
}
