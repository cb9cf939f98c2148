// SPDX-License-Identifier: Apache-2.0
/* timed_source.js: data from the page itself, where it has the times of its
 * observations: all that ApiSource answers, but for source code and downloads.
 * Profiles of one type are one, as for a server. */
import { PageSource } from "./source.js";
import { FlameData } from "./flame_data.js";
import { PageTimes } from "./page_times.js";
import { pageChart, pageLanes } from "./page_lanes.js";
import { Children, decodeTree, filterTree, keepNodes, passingNodes, sumsOf, treeOf } from "./tree.js";
import { linesOf } from "./state.js";
import { kindOf } from "./text.js";

const VIEWS = ["overview", "timeline", "heatmap", "diff", "where"];

/* Profiles whose values add up. */
function typeKey(p)
{
	return JSON.stringify([p.type, p.unit, p.event || "",
			       p.unit === "count" && p.period ? p.period_type : ""]);
}

/* One tree of all, as columns: a node of tree k is offsets[k] further on. The
 * same call may be there more than once. */
function chainTrees(profiles)
{
	const trees = profiles.map(decodeTree);
	const offsets = [];
	const out = { n: 1, self: [0], frame: [-1], parent: [-1], depth: [0],
		      inlined: [0] };

	for (const t of trees) {
		offsets.push(out.n - 1);
		out.self[0] += t.self[0];
		for (let i = 1; i < t.n; i++) {
			out.frame.push(t.frame[i]);
			out.parent.push(t.parent[i] && t.parent[i] + out.n - 1);
			out.depth.push(t.depth[i]);
			out.self.push(t.self[i]);
			out.inlined.push(t.inlined[i]);
		}
		out.n += t.n - 1;
	}
	return { tree: { ...out, total: sumsOf(out, out.self) }, offsets };
}

export class TimedPageSource extends PageSource {
	constructor(data)
	{
		super(data);
		this.types = [];
		for (const p of data.profiles) {
			const type = this.types.find((t) => typeKey(t.like) ===
				typeKey(p));

			if (type)
				type.profiles.push(p);
			else
				this.types.push({ like: p, profiles: [p] });
		}
		for (const type of this.types)
			this.complete(type);
		this.passing = new Map();
		this.times = new PageTimes(data.times, this.types,
					   (type, sel) => this.passes(type, sel));
		this.selects = this.types.map((t) => this.selector(t));
	}

	/* What a type is by all its profiles. */
	complete(type)
	{
		const { like, profiles } = type;
		const sum = (of) => profiles.reduce((a, p) => a + of(p), 0);
		const count = (p, k) => p.times.samples.reduce(
			(a, n, i) => a + (i % 5 === k ? n : 0), 0);
		const { tree, offsets } = chainTrees(profiles);
		const timed = sum((p) => count(p, 2));

		Object.assign(type, { ...like, tree,
			profiles: profiles.map((p, i) => [p, offsets[i]]),
			total: sum((p) => p.total), timed: timed > 0,
			observations: timed + sum((p) => count(p, 3)),
			samples: sum((p) => p.times.samples.length / 5) });
	}

	/* The shortest name that no other type has. */
	selector(type)
	{
		const forms = [(t) => t.type, (t) => t.event || t.type,
			       (t) => `${t.type}/${t.unit}`,
			       (t) => `${t.type}/${t.unit}/${t.event || ""}`];
		const form = forms.find((f) => this.types.every(
			(t) => t === type || f(t) !== f(type)));

		return form ? form(type) : `${type.type}.${this.types.indexOf(type)}`;
	}

	has(name)
	{
		return VIEWS.includes(name) || super.has(name);
	}

	typeOf(sel)
	{
		const i = this.selects.indexOf(sel.type);
		const first = this.data.profiles[this.data.first];

		return i >= 0 ? this.types[i] : this.types.find(
			(t) => t.profiles.some(([p]) => p === first));
	}

	async overview()
	{
		const { origin, has_date, duration, labels, groups } = this.data.times;
		const first = this.typeOf({});
		const counted = labels.map((name, k) => ({ name, values: new Set(
			groups.filter((_, i) => i % labels.length === k).filter(
				(t) => this.data.times.texts[t] !==
					`(no ${name})`)).size }));

		return { ...await super.overview(), origin, has_date, duration,
			 facts: first.facts, more_labels: false,
			 first: this.types.indexOf(first),
			 labels: counted.filter((l) => l.values),
			 types: this.types.map(({ tree: _t, profiles: _p, like: _l,
						  times, ...rest }, i) => ({
				...rest, select: this.selects[i],
				adds: times.adds })) };
	}

	/* The parameters of a selection, as ApiSource has them. */
	selection(state, before = "")
	{
		const at = (ns) => (/^\d+$/.test(ns || "") ? `+${ns}ns` : "");
		const key = (name) => state[before + name] || "";
		const plain = super.selection({ type: key("type"), by: key("by"),
			focus: key("focus"), ignore: key("ignore"),
			hide: key("hide"), show_from: key("show_from"),
			collapse: key("collapse") });

		return Object.fromEntries(Object.entries({ ...plain,
			by: before ? "" : plain.by,
			where: linesOf(key("where")).join(","),
			from: at(key("from")), to: at(key("to")),
		}).map(([name, value]) => [before + name, value]));
	}

	/* Which nodes stacks may end in, by focus, ignore and show from. */
	passes(type, { focus = [], ignore = [], show_from = "" })
	{
		const key = JSON.stringify([this.types.indexOf(type), focus, ignore,
					    show_from]);

		if (!focus.length && !ignore.length && !show_from)
			return null;
		if (!this.passing.has(key)) {
			if (this.passing.size > 20)
				this.passing.clear();
			this.passing.set(key, passingNodes(type.tree, this.matchers({
				focus, ignore, show_from, hide: [] })).pass);
		}
		return this.passing.get(key);
	}

	/* --- calls --- */

	/* The other side of a difference: its keys begin with "before.", and nothing
	 * is taken over from the first but the type. */
	side(sel)
	{
		const rows = Object.entries(sel).filter(
			([key]) => key.startsWith("before."));

		return rows.length ? { type: sel.type, ...Object.fromEntries(rows.map(
			([key, value]) => [key.slice(7), value])) } : null;
	}

	/* Self values by node, of both sides; before is scaled if that is asked
	 * for. */
	sides(type, sel)
	{
		const before = this.side(sel);
		const of = (side) => this.times.selves(type, side, type.tree.n);
		const sum = (list) => list.reduce((a, v) => a + v, 0);
		const now = of(sel);
		const was = before ? of(before) : new Float64Array(type.tree.n);
		const scale = sel.normalize && sum(was) ? sum(now) / sum(was) : 1;

		return { now, was: was.map((v) => v * scale) };
	}

	calls(sel)
	{
		const type = this.typeOf(sel);

		if (!this.side(sel))
			return this.flameOf(type, sel, this.times.selves(
				type, sel, type.tree.n));
		const { now, was } = this.sides(type, sel);

		return this.flameOf(type, sel, now.map((v, i) => v - was[i]),
				    { diff: true });
	}

	/* FlameData of self values. */
	flameOf(type, sel, self, info = {})
	{
		const [label, frame] = /,/.test(sel.by) ? sel.by.split(",") : [];
		const [tree, frames] = label ? this.labelled(type, sel, label) :
			this.shape(keepNodes(type.tree, self, () => true, false), sel);

		return new FlameData({ ...type, ...info, total: tree.total[0], frame },
				     frames, tree);
	}

	/* The values of a label are the outermost frames. */
	labelled(type, sel, label)
	{
		const { tree } = type;
		const nodes = { frame: [-1], parent: [-1], self: [0], inlined: [0] };
		const children = new Children(nodes);
		const { nr, ...columns } = this.frames;
		const frames = Object.fromEntries(Object.entries(columns).map(
			([key, list]) => [key, [...list]]));
		const ids = new Map();
		const frameOf = (text) => {
			if (!ids.has(text)) {
				ids.set(text, frames.name.length);
				for (const [key, list] of Object.entries(frames))
					list.push({ name: text, short: text,
						    kind: kindOf(label, text) }[key] ||
						"");
			}
			return ids.get(text);
		};

		const { showFrom, ...edit } = this.matchers(sel);

		for (const part of this.times.parts(type))
			this.times.sums(part, sel).forEach((value, s) => {
				const path = [];

				for (let i = part.node[s]; value && i > 0;
				     i = tree.parent[i])
					path.push(tree.frame[i]);
				while (showFrom && path.length &&
				       !showFrom[path.at(-1)])
					path.pop();
				if (!value)
					return;
				let at = children.put(0, frameOf(this.times.label(
					part.group[s], label)));

				while (path.length)
					at = children.put(at, this.firsts[path.pop()]);
				nodes.self[at] += value;
			});
		return [filterTree(treeOf(nodes), { ...edit, focus: [], ignore: [] }),
			{ ...frames, nr: nr + ids.size }];
	}

	/* Of a difference. */
	async top(sel)
	{
		const type = this.typeOf(sel);
		const { now, was } = this.sides(type, sel);
		const [after, before] = [now, was].map(
			(self) => this.flameOf(type, sel, self));
		const [a, b] = [after, before].map((d) => d.top(d.tree(), 0));
		const { name, module, file } = after.frames;
		const rows = [...new Set([...a.used, ...b.used])].map((f) => ({
			name: name[f], module: module[f], file: file[f],
			flat: a.self[f], cum: a.total[f],
			before_flat: b.self[f], before_cum: b.total[f] }));
		const key = sel.sort === "cum" ? "cum" : "flat";
		const change = (r) => Math.abs(r[key] - r[`before_${key}`]);

		rows.sort((x, y) => change(y) - change(x));
		return { type: type.type, unit: type.unit, nr: rows.length,
			 total: after.info.total, before_total: before.info.total,
			 rows: rows.slice(0, sel.limit) };
	}

	/* --- the rest: see PageTimes --- */

	async values(sel)
	{
		return this.times.values(this.typeOf(sel), sel);
	}

	async series(sel)
	{
		return this.times.series(this.typeOf(sel), sel);
	}

	async heatmap(sel)
	{
		return this.times.heatmap(this.typeOf(sel), sel);
	}

	async lanes(sel)
	{
		return pageLanes(this.times, this.typeOf(sel), sel);
	}

	async chart(sel)
	{
		const type = this.typeOf(sel);

		return pageChart(this.times, type, sel,
				 { ...type.tree, columns: this.frames });
	}

	async traces(sel)
	{
		return this.times.traces(this.typeOf(sel), sel);
	}

	async spans(sel)
	{
		return this.times.spans(this.typeOf(sel), sel);
	}
}
