// SPDX-License-Identifier: Apache-2.0
/* conditions.js: conditions on labels, as --where has them, where there is no
 * server to ask: about groups of samples, which have a text for each label. */
import { filterOf } from "./text.js";

const WORD = /[\w./:@+$*\-\u0080-\uffff]+/y;
const OPERATOR = /!=|=~|!~|<=|>=|==|=|<|>/y;
const QUOTED = /"((?:\\"|[^"])*)"|'((?:\\'|[^'])*)'/y;
const SPACE = /[ \t]*/y;
const SHOWN = /^(.*) \((\d+)\)$/s; /* of a thread or a process: "main (12)" */

class ConditionReader {
	constructor(text)
	{
		this.text = text;
		this.at = 0;
	}

	take(regex)
	{
		SPACE.lastIndex = this.at;
		this.at += SPACE.exec(this.text)[0].length;
		regex.lastIndex = this.at;
		const found = regex.exec(this.text);

		this.at += found ? found[0].length : 0;
		return found;
	}

	fail(what)
	{
		throw new Error(`In the condition ${this.text}: expected ${what} at ` +
			`character ${this.at + 1}.`);
	}

	/* Only the quote itself needs a backslash. */
	word(what)
	{
		const q = this.take(QUOTED);

		if (q)
			return (q[1] ?? q[2]).replace(
				q[1] === undefined ? /\\'/g : /\\"/g,
				q[0][0]);
		return (this.take(WORD) || this.fail(what))[0];
	}

	all()
	{
		const list = [];

		do {
			const label = this.word("the name of a label");
			const op = (this.take(OPERATOR) || this.fail(
				"=, !=, =~, !~, <, <=, > or >="))[0];

			list.push({ label, op: op === "==" ? "=" : op,
				    value: this.word("a value") });
		} while (this.take(/,/y));
		if (this.at < this.text.length)
			this.fail("a comma or the end");
		return list;
	}
}

/* What a label is, for comparisons: nothing, its text, and of threads and
 * processes their parts. */
function labelTexts(label, text)
{
	const shown = /^(thread|process)$/.test(label) && SHOWN.exec(text);

	if (text === `(no ${label})`)
		return [""];
	return shown ? [text, shown[1], shown[2]] : [text];
}

const COMPARES = {
	"<": (a, b) => a < b, "<=": (a, b) => a <= b,
	">": (a, b) => a > b, ">=": (a, b) => a >= b,
};

/* Which texts of a label meet a condition in its positive form. */
function conditionTest({ label, op, value }, texts)
{
	if (COMPARES[op])
		return (list) => list.some((t) => t !== "" &&
			COMPARES[op](Number(t), Number(value)));
	if (op === "=~" || op === "!~") {
		const regex = filterOf(value) || /(?:)/;

		return (list) => list.some((t) => regex.test(t));
	}
	/* What is shown as a whole is meant before what is a part of it. */
	const isWhole = texts.includes(value);

	return (list) => (isWhole ? list[0] === value : list.includes(value));
}

/* 1 and 0 per group. times: has labels, texts, groups (src/fmt/html/times.c). */
export function matchGroups(times, where)
{
	const { labels, texts, groups } = times;
	const nr = groups.length / labels.length;
	const out = new Uint8Array(nr).fill(1);

	for (const c of where ? new ConditionReader(where).all() : []) {
		const k = labels.indexOf(c.label);

		if (k < 0)
			throw new Error(`This page knows no label ${c.label}: it has ` +
				`${labels.join(", ")}. For frames there are focus ` +
				"and ignore.");
		const own = new Set(groups.filter((_, i) => i % labels.length === k));
		const test = conditionTest(c, [...own].map((t) => texts[t]));
		const met = new Map([...own].map((t) => [t,
			test(labelTexts(c.label, texts[t])) !== /^!/.test(c.op)]));

		for (let g = 0; g < nr; g++)
			if (!met.get(groups[g * labels.length + k]))
				out[g] = 0;
	}
	return out;
}
