// SPDX-License-Identifier: Apache-2.0
/* source.js: data from the page itself. ApiSource in api_source.js has the same
 * methods and asks a server. Both give FlameData for flame(). */
import { frameColumns, FlameData } from "./flame_data.js";
import { decodeTree, orderTree, bySize, filterTree, regroupTree } from "./tree.js";
import { baseName, filterOf } from "./text.js";
import { linesOf } from "./state.js";

/* For each frame the first of that name: a function may come from several files
 * or modules. Frame 0 is none. */
function firstNamed(names)
{
	const first = new Map();

	return Int32Array.from(names, (name, i) => {
		if (i && !first.has(name))
			first.set(name, i);
		return i && first.get(name);
	});
}

export class PageSource {
	constructor(data)
	{
		this.data = data;
		this.frames = frameColumns(data.frames, data.strings);
		this.firsts = firstNamed(this.frames.name);
		this.trees = new Map(); /* per profile */
		this.made = new Map(); /* FlameData, by selection */
		this.selects = data.profiles.map((p, i) => {
			const same = data.profiles.filter(
				(q) => q.type === p.type);

			return same.length > 1 ? `${p.type}.${i}` : p.type;
		});
	}

	/* Which views have data, and which parts of views. */
	has(name)
	{
		return ["flame", "sandwich", "tree"].includes(name) ||
			(name === "module" && this.frames.module.some((m) => m)) ||
			(name === "file" && this.frames.file.some((f) => f));
	}

	async overview()
	{
		const { data } = this;

		return {
			title: data.title, live: false, first: data.first,
			files: [], labels: [], notes: [], formats: [],
			source: false, facts: [],
			types: data.profiles.map((p, i) => ({
				...p, select: this.selects[i] })),
		};
	}

	selection(state)
	{
		return {
			type: state.type || "",
			by: state.by || "function",
			focus: linesOf(state.focus),
			ignore: linesOf(state.ignore),
			hide: linesOf(state.hide),
			show_from: state.show_from || "",
			collapse: state.collapse || "",
		};
	}

	index(type)
	{
		const i = this.selects.indexOf(type);

		return i < 0 ? this.data.first : i;
	}

	base(i)
	{
		if (!this.trees.has(i)) {
			const t = decodeTree(this.data.profiles[i]);

			this.trees.set(i, t.hasCut || this.data.profiles[i].diff ?
				orderTree(t, bySize(t)) : t);
		}
		return this.trees.get(i);
	}

	async flame(sel)
	{
		const key = JSON.stringify(sel);

		if (!this.made.has(key)) {
			if (this.made.size > 8)
				this.made.clear();
			this.made.set(key, this.calls(sel));
		}
		return this.made.get(key);
	}

	calls(sel)
	{
		const i = this.index(sel.type);
		const p = this.data.profiles[i];
		const [tree, frames] = this.shape(this.base(i), sel);

		return new FlameData({ ...p, total: tree.total[0] }, frames, tree);
	}

	/* A tree and its frames as a selection has them. */
	shape(tree, sel)
	{
		if (sel.focus.length || sel.ignore.length || sel.hide.length ||
		    sel.show_from || sel.collapse)
			tree = filterTree(tree, this.matchers(sel));
		if (sel.by !== "function")
			return this.regroup(tree, sel.by);
		return [this.firsts.some((f, i) => f !== i) ?
			regroupTree(tree, this.firsts, false) : tree, this.frames];
	}

	/* Per filter 1 and 0 for each frame. */
	matchers(sel)
	{
		const { name, file, module } = this.frames;
		const of = (text) => {
			const regex = filterOf(text);

			return regex && Uint8Array.from(name, (n, i) =>
				i > 0 && (regex.test(n) || regex.test(file[i]) ||
					  regex.test(module[i])));
		};

		return {
			focus: sel.focus.map(of),
			ignore: sel.ignore.map(of),
			hide: sel.hide.map(of),
			showFrom: of(sel.show_from),
			collapse: Boolean(sel.collapse),
		};
	}

	/* By module or file: one frame each. */
	regroup(tree, by)
	{
		const ids = new Map();
		const columns = { nr: 0, name: [], module: [], file: [],
				  kind: [], short: [] };
		const from = this.frames;
		const to = Int32Array.from(from.name, (name, i) => {
			const text = i ? from[by][i] : name;

			if (!ids.has(text)) {
				const shown = text || `(no ${by})`;

				ids.set(text, columns.nr++);
				columns.name.push(i && text ? baseName(text) :
					shown);
				columns.short.push(columns.name.at(-1));
				columns.module.push(from.module[i]);
				columns.file.push(by === "file" ? text : "");
				columns.kind.push(from.kind[i]);
			}
			return ids.get(text);
		});

		return [regroupTree(tree, to, true), columns];
	}
}
