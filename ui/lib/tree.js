// SPDX-License-Identifier: Apache-2.0
/* tree.js: trees of calls and what can be made of them. */
/* A tree of calls as columns, in preorder: the subtree of node i is i up to
 * end[i], its first child is i + 1, and the sibling behind c is end[c]. Node 0
 * is the root, whose frame is -1.
 *
 * What a node is wide is its weight: the sum of the absolute values below it.
 * Only in a difference is that another number than its total. */
export function newTree(n)
{
	return {
		n,
		frame: new Int32Array(n),
		parent: new Int32Array(n),
		end: new Int32Array(n),
		depth: new Int32Array(n),
		self: new Float64Array(n),
		total: new Float64Array(n),
		weight: new Float64Array(n),
		inlined: new Float64Array(n),
		x: new Float64Array(n),
		rows: 1,
	};
}

/* Whether most of a node was inlined. */
export function isInlined(t, i)
{
	return t.inlined[i] > 0 && t.inlined[i] * 2 > t.total[i];
}

/* Everything that follows from frame, parent, depth, self and inlined. */
export function finishTree(t)
{
	const next = new Float64Array(t.n);

	for (let i = 0; i < t.n; i++) {
		t.total[i] = t.self[i];
		t.weight[i] = Math.abs(t.self[i]);
		t.end[i] = i + 1;
		if (t.depth[i] >= t.rows)
			t.rows = t.depth[i] + 1;
	}
	for (let i = t.n - 1; i > 0; i--) {
		const p = t.parent[i];

		t.total[p] += t.total[i];
		t.weight[p] += t.weight[i];
		if (t.end[i] > t.end[p])
			t.end[p] = t.end[i];
	}
	for (let i = 1; i < t.n; i++) {
		const p = t.parent[i];

		t.x[i] = next[i] = next[p];
		next[p] += t.weight[i];
	}
	return t;
}

/* The tree of the file: for each node how many levels up the last one's
 * children it stands, its frame and its self. */
export function decodeTree(profile)
{
	const list = profile.nodes;
	const t = newTree(list.length / 3 + 1);
	let last = 0;

	t.frame[0] = -1;
	t.parent[0] = -1;
	t.self[0] = profile.self;
	for (let i = 1, k = 0; i < t.n; i++) {
		let parent = last;

		for (let up = list[k++]; up > 0; up--)
			parent = t.parent[parent];
		t.parent[i] = parent;
		t.depth[i] = t.depth[parent] + 1;
		t.frame[i] = list[k++];
		t.self[i] = list[k++];
		last = i;
	}
	t.hasCut = t.frame.includes(0);
	for (let k = 0, i = 0; k < profile.inlined.length; k += 2) {
		i += profile.inlined[k];
		t.inlined[i] = profile.inlined[k + 1];
	}
	return finishTree(t);
}

/* The children of each node, one list behind the other. */
export function childLists(t)
{
	const at = new Int32Array(t.n + 1);
	const ids = new Int32Array(t.n);

	for (let i = 1; i < t.n; i++)
		at[t.parent[i] + 1]++;
	for (let i = 0; i < t.n; i++)
		at[i + 1] += at[i];
	const next = at.slice(0, t.n);
	for (let i = 1; i < t.n; i++)
		ids[next[t.parent[i]]++] = i;
	return { at, ids };
}

/* The same tree with children in another order. .now says where a node went. */
export function orderTree(t, compare)
{
	const { at, ids } = childLists(t);
	const out = newTree(t.n);
	const todo = [0];
	const now = new Int32Array(t.n);
	let n = 0;

	while (todo.length) {
		const i = todo.pop();
		const kids = ids.subarray(at[i], at[i + 1]);

		if (kids.length > 1)
			kids.sort(compare);
		for (let k = kids.length; k--;)
			todo.push(kids[k]);
		now[i] = n;
		out.frame[n] = t.frame[i];
		out.parent[n] = i ? now[t.parent[i]] : -1;
		out.depth[n] = t.depth[i];
		out.self[n] = t.self[i];
		out.inlined[n] = t.inlined[i];
		n++;
	}
	out.now = now;
	return finishTree(out);
}

/* What stands for smaller frames comes last. */
export function bySize(t)
{
	return (a, b) => !t.frame[a] - !t.frame[b] ||
		t.weight[b] - t.weight[a] || a - b;
}

/* rank: the place of each frame in the order of names. */
export function byName(t, rank)
{
	return (a, b) => !t.frame[a] - !t.frame[b] ||
		rank[t.frame[a]] - rank[t.frame[b]] || a - b;
}

/* Children by parent and frame: open addressing over the nodes. */
export class Children {
	constructor(nodes)
	{
		this.nodes = nodes;
		this.slots = new Int32Array(1 << 12);
	}

	slot(parent, frame)
	{
		const mask = this.slots.length - 1;
		let h = Math.imul(parent, 0x9e3779b1) ^
			Math.imul(frame + 1, 0x85ebca6b);

		h ^= h >>> 15;
		for (let i = h & mask;; i = (i + 1) & mask) {
			const id = this.slots[i];

			if (!id || (this.nodes.parent[id] === parent &&
				    this.nodes.frame[id] === frame))
				return i;
		}
	}

	put(parent, frame)
	{
		const nodes = this.nodes;
		let at = this.slot(parent, frame);

		if (this.slots[at])
			return this.slots[at];
		const id = nodes.frame.length;
		nodes.frame.push(frame);
		nodes.parent.push(parent);
		nodes.self.push(0);
		nodes.inlined.push(0);
		this.slots[at] = id;
		if (id * 2 > this.slots.length) {
			this.slots = new Int32Array(this.slots.length * 2);
			for (let i = 1; i <= id; i++)
				this.slots[this.slot(nodes.parent[i],
						     nodes.frame[i])] = i;
		}
		return id;
	}
}

/* Preorder from nodes that stand behind their parents, largest child first. */
export function treeOf(nodes)
{
	const t = newTree(nodes.frame.length);

	t.frame.set(nodes.frame);
	t.parent.set(nodes.parent);
	t.self.set(nodes.self);
	t.inlined.set(nodes.inlined);
	for (let i = 0; i < t.n; i++)
		t.weight[i] = Math.abs(t.self[i]);
	for (let i = t.n - 1; i > 0; i--)
		t.weight[t.parent[i]] += t.weight[i];
	for (let i = 1; i < t.n; i++)
		t.depth[i] = t.depth[t.parent[i]] + 1;
	return orderTree(t, bySize(t));
}

/* Callers: what stood at the leaf is at the root, and its callers above it.
 * The self of a stack lies where the stack ends, so that every total is a sum
 * of selves here too. Callers of what is less than a millionth of all are left
 * out, as nobody could see them. */
export function invertTree(t)
{
	const nodes = { frame: [-1], parent: [-1], self: [0], inlined: [0] };
	const children = new Children(nodes);
	const least = t.weight[0] * 1e-6;

	nodes.self[0] = t.self[0];
	for (let i = 1; i < t.n; i++) {
		const value = t.self[i];
		let at = 0;

		if (!value)
			continue;
		for (let k = i; k > 0; k = t.parent[k]) {
			at = children.put(at, t.frame[k]);
			if (isInlined(t, k))
				nodes.inlined[at] += value;
			if (Math.abs(value) < least)
				break;
		}
		nodes.self[at] += value;
	}
	return treeOf(nodes);
}

/* Self and total of each frame below a node; a frame that calls itself counts
 * once. */
export function topList(t, root, nrFrames)
{
	const self = new Float64Array(nrFrames);
	const total = new Float64Array(nrFrames);
	const open = new Int32Array(nrFrames);
	const path = [];
	const used = [];

	for (let i = root || 1; i < t.end[root]; i++) {
		const f = t.frame[i];

		while (path.length && t.end[path[path.length - 1]] <= i)
			open[t.frame[path.pop()]]--;
		if (!self[f] && !total[f])
			used.push(f);
		self[f] += t.self[i];
		if (!open[f]++)
			total[f] += t.total[i];
		path.push(i);
	}
	return { self, total, used: [...new Set(used)] };
}

/* The outermost nodes whose frame matches, and what they are of all. */
export function findNodes(t, matches)
{
	const nodes = [];
	let weight = 0;

	for (let i = 1; i < t.n;) {
		if (!matches[t.frame[i]]) {
			i++;
			continue;
		}
		nodes.push(i);
		weight += t.weight[i];
		i = t.end[i];
	}
	nodes.sort((a, b) => t.weight[b] - t.weight[a]);
	return { nodes, share: t.weight[0] ? weight / t.weight[0] : 0 };
}

/* --- other trees of the same calls --- */

function newNodes(self)
{
	return { frame: [-1], parent: [-1], self: [self], inlined: [0] };
}

/* How much of a node is inlined, where a part of it is kept. */
function inlinedPart(t, i, total)
{
	return t.inlined[i] && t.total[i] ? t.inlined[i] * total / t.total[i] : 0;
}

/* Totals of a tree of which only some selves stay. */
export function sumsOf(t, self)
{
	const total = Float64Array.from(self);

	for (let i = t.n - 1; i > 0; i--)
		total[t.parent[i]] += total[i];
	return total;
}

/* Whether any of some matches has a frame. */
const anyMatch = (list, f) => f > 0 && list.some((match) => match[f]);

/* Which stacks are left and from which frame on, by the node they end in. m:
 * focus and ignore as lists of matches per frame, showFrom. */
export function passingNodes(t, m)
{
	const wanted = (1 << m.focus.length) - 1;
	const seen = new Int32Array(t.n); /* which focuses a path has met */
	const gone = new Uint8Array(t.n);
	const shown = new Uint8Array(t.n).fill(m.showFrom ? 0 : 1);
	const pass = new Uint8Array(t.n);

	for (let i = 0; i < t.n; i++) {
		const p = t.parent[i];
		const f = t.frame[i];

		if (i) {
			seen[i] = seen[p];
			gone[i] = gone[p] || anyMatch(m.ignore, f);
			shown[i] = shown[p] || (f > 0 && m.showFrom[f]);
			m.focus.forEach((match, k) => {
				if (f > 0 && match[f])
					seen[i] |= 1 << k;
			});
		}
		pass[i] = seen[i] === wanted && !gone[i] && shown[i] ? 1 : 0;
	}
	return { pass, shown };
}

/* What is left of the stacks, as the options of commands have it. m has hide,
 * a list of matches, and collapse, too. */
export function filterTree(t, m)
{
	const { pass, shown } = passingNodes(t, m);
	const self = Float64Array.from(t.self, (v, i) => (pass[i] ? v : 0));

	return keepNodes(t, self, (i) => shown[i] && !anyMatch(m.hide, t.frame[i]),
			 m.collapse);
}

/* The nodes with other self values that a condition keeps, and that have any. */
export function keepNodes(t, self, isKept, collapse)
{
	const total = sumsOf(t, self.map(Math.abs));
	const sum = sumsOf(t, self);
	const nodes = newNodes(self[0]);
	const children = new Children(nodes);
	const to = new Int32Array(t.n);

	for (let i = 1; i < t.n; i++) {
		const at = to[t.parent[i]];

		to[i] = at;
		if (!total[i] || (collapse && nodes.frame[at] === t.frame[i] &&
				  isKept(i))) {
			nodes.self[at] += self[i];
			continue;
		}
		if (isKept(i)) {
			to[i] = children.put(at, t.frame[i]);
			nodes.inlined[to[i]] += inlinedPart(t, i, sum[i]);
		}
		nodes.self[to[i]] += self[i];
	}
	return treeOf(nodes);
}

/* One frame where a frame calls itself. */
export function collapseTree(t)
{
	return keepNodes(t, t.self, () => true, true);
}

/* Other frames in place of those there are; with collapse, one where it calls
 * itself. */
export function regroupTree(t, to, collapse)
{
	const frame = t.frame.map((f) => (f < 0 ? f : to[f]));

	return keepNodes({ ...t, frame }, t.self, () => true, collapse);
}

/* Of a function: the tree of its callers and that of its callees. Where it
 * calls itself, the outermost call counts. */
export function sandwichTrees(t, frame)
{
	const up = newNodes(0), down = newNodes(0);
	const callers = new Children(up), callees = new Children(down);
	const to = new Int32Array(t.n);

	up.frame[0] = down.frame[0] = frame;
	for (let i = 1; i < t.n;) {
		if (t.frame[i] !== frame) {
			i++;
			continue;
		}
		let at = 0;

		for (let k = t.parent[i]; k > 0; k = t.parent[k]) {
			at = callers.put(at, t.frame[k]);
			up.inlined[at] += inlinedPart(t, k, t.total[i]);
		}
		up.self[at] += t.total[i];
		down.self[0] += t.self[i];
		to[i] = 0;
		for (let k = i + 1; k < t.end[i]; k++) {
			to[k] = callees.put(to[t.parent[k]], t.frame[k]);
			down.self[to[k]] += t.self[k];
			down.inlined[to[k]] += t.inlined[k];
		}
		i = t.end[i];
	}
	return { callers: treeOf(up), callees: treeOf(down) };
}
