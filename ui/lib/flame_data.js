// SPDX-License-Identifier: Apache-2.0
/* flame_data.js: the calls of a selection, in the forms that views need: as
 * they are, with callers first, ordered by name; totals of functions; what
 * matches a search. Each is made once, when it is first asked for. */
import { GROUPS, kindOf, shortName, packageOf, baseName, hashOf, regexOf } from "./text.js";
import { decodeTree, orderTree, bySize, byName, invertTree, topList, findNodes, isInlined, collapseTree, sandwichTrees } from "./tree.js";

const seen = new Map(); /* slots of groups */

/* Frames as columns; frame 0 stands for what was too small to be sent. */
export function frameColumns(list, strings)
{
	const nr = list.length / 4;
	const f = { nr, name: [], module: [], file: [], kind: [], short: [] };

	for (let i = 0; i < nr; i++) {
		const [name, type, module, file] =
			list.slice(4 * i, 4 * i + 4).map((s) => strings[s]);

		f.name.push(name);
		f.module.push(module);
		f.file.push(file);
		f.kind.push(kindOf(type, name));
		f.short.push(shortName(name, f.kind[i]));
	}
	return f;
}

export class FlameData {
	/* info: type, unit, event, total, period, period_unit, diff, cut */
	constructor(info, frames, tree)
	{
		this.info = info;
		this.frames = frames;
		this.trees = new Map([["", tree]]);
		this.cache = new Map();
	}

	/* Of what the API answers. by: what frames stand for. */
	static of(answer, by)
	{
		const frames = frameColumns(answer.frames, answer.strings);
		let tree = decodeTree(answer);

		if (tree.hasCut || answer.diff)
			tree = orderTree(tree, bySize(tree));
		if (/^(module|file)/.test(by))
			tree = collapseTree(tree);
		/* Of what was allocated, below which the calls stand. */
		if (/^class,/.test(by))
			for (let c = 1; c < tree.n; c = tree.end[c])
				if (frames.kind[tree.frame[c]] === "other")
					frames.kind[tree.frame[c]] = "class";
		return new FlameData(answer, frames, tree);
	}

	once(key, makeIt)
	{
		if (!this.cache.has(key))
			this.cache.set(key, makeIt());
		return this.cache.get(key);
	}

	/* The place of each frame in the order of names. */
	rank()
	{
		return this.once("rank", () => {
			const { name, nr } = this.frames;
			const ids = Array.from(name.keys());
			const rank = new Int32Array(nr);

			ids.sort((a, b) => name[a] < name[b] ? -1 :
				name[a] > name[b] ? 1 : a - b);
			ids.forEach((id, i) => {
				rank[id] = i;
			});
			return rank;
		});
	}

	tree(inverted = false, sorted = false)
	{
		const key = (inverted ? "i" : "") + (sorted ? "s" : "");

		if (!this.trees.has(key)) {
			const plain = this.tree(inverted && sorted, false);

			this.trees.set(key, sorted ?
				orderTree(plain, byName(plain, this.rank())) :
				invertTree(plain));
		}
		return this.trees.get(key);
	}

	/* Callers and callees of a frame, each a tree whose root is the frame;
	 * null where it is not there. */
	sandwich(frame)
	{
		return this.once(`sandwich ${frame}`,
				 () => sandwichTrees(this.tree(), frame));
	}

	/* Self and total of each frame below a node. */
	top(tree, root)
	{
		if (root)
			return topList(tree, root, this.frames.nr);
		return this.once("top", () => topList(this.tree(), 0,
						      this.frames.nr));
	}

	/* Which frames a search matches, as 1 and 0 per frame; null for none. */
	matches(query)
	{
		if (!query)
			return null;
		return this.once(`match ${query}`, () => {
			const regex = regexOf(query);

			return Uint8Array.from(this.frames.name,
					       (name) => regex.test(name));
		});
	}

	/* The outermost nodes that match, and their share. */
	found(query, tree)
	{
		return findNodes(tree, this.matches(query));
	}

	/* --- groups, for colours --- */

	packages()
	{
		const { name, kind, module, file } = this.frames;

		return this.once("packages", () => name.map(
			(n, i) => packageOf(n, kind[i], module[i], file[i])));
	}

	modules()
	{
		return this.once("modules",
				 () => this.frames.module.map(baseName));
	}

	/* The weight of each kind of node, the largest first. */
	kinds()
	{
		return this.once("kinds", () => weigh(this.tree(), (t, i) =>
			(isInlined(t, i) ? "inlined" :
				this.frames.kind[t.frame[i]])));
	}

	/* The weight of each group of frames, the largest first. */
	groups(of)
	{
		return this.once(`groups ${of}`, () => {
			const group = this[of]();

			return weigh(this.tree(), (t, i) => group[t.frame[i]]);
		});
	}

	/* The colour of each group of the legend: by rank when it is seen first,
	 * then the same as long as no other of one legend has it. */
	slots(of)
	{
		return this.once(`slots ${of}`, () => {
			const slots = new Map();
			const free = new Set(Array(GROUPS).keys());
			const top = this.groups(of).map(([group]) => group)
				.filter((group) => group).slice(0, GROUPS);
			const put = (group, slot) => {
				slots.set(group, slot);
				free.delete(slot);
				seen.set(group, slot);
			};

			for (const group of top)
				if (free.has(seen.get(group)))
					put(group, seen.get(group));
			for (const group of top)
				if (!slots.has(group))
					put(group, Math.min(...free));
			return slots;
		});
	}

	/* --- places in the address --- */

	/* A short text for each frame, which is the same in other answers. */
	keys()
	{
		const { name, module } = this.frames;

		return this.once("keys", () => name.map(
			(n, i) => keyOf(`${n}\n${module[i]}`)));
	}

	pathText(tree, node)
	{
		const path = [];

		for (let i = node; i > 0; i = tree.parent[i])
			path.unshift(this.keys()[tree.frame[i]]);
		return path.join(".");
	}

	/* The node of a path, or the last one on it that is there. */
	nodeOf(tree, text)
	{
		let at = 0;

		for (const key of text ? text.split(".") : []) {
			let c = at + 1;

			while (c < tree.end[at] &&
			       this.keys()[tree.frame[c]] !== key)
				c = tree.end[c];
			if (c >= tree.end[at])
				break;
			at = c;
		}
		return at;
	}

	/* The frame of a name that has the largest total. */
	frameNamed(name)
	{
		const { total } = this.top(this.tree(), 0);
		let best = -1;

		this.frames.name.forEach((n, i) => {
			if (n === name && i && (best < 0 ||
						Math.abs(total[i]) >
						Math.abs(total[best])))
				best = i;
		});
		return best;
	}
}

function keyOf(text)
{
	return Math.floor(hashOf(text) * 0xffff).toString(36) +
		Math.floor(hashOf(`${text}.`) * 0xffff).toString(36);
}

function weigh(t, groupOf)
{
	const weight = new Map();

	for (let i = 1; i < t.n; i++) {
		const group = groupOf(t, i);

		weight.set(group, (weight.get(group) || 0) + t.weight[i]);
	}
	return [...weight].sort((a, b) => b[1] - a[1]);
}
