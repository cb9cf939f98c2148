// SPDX-License-Identifier: Apache-2.0
/* filter_words.js: ranges of time and conditions on labels in words, for chips.
 * Pages without a server have neither. */
import { conditionPairs } from "./lane_rows.js";
import { number } from "./text.js";
import { TimeScale, stateRange } from "./time_axis.js";

const FULL_LIST = 2; /* values of a list that has no more */

/* The range of the state as clocks say it, as on the axes. */
export function rangeWords(app)
{
	const { overview, state } = app;
	const range = stateRange(state, overview.duration);
	const scale = new TimeScale(overview);
	const step = range && Math.max(1, (range.to - range.from) / 100);

	return range ? [range.from, range.to].map((ns) => scale.text(ns, step))
		.join(" \u2013 ") : `${state.from || ""} \u2013 ${state.to || ""}`;
}

/* A condition on labels as its kind and a text: "thread", "a and 3 more". */
export function whereWords(line)
{
	const pairs = conditionPairs(line.replace("=~", "="));
	const [name, value] = pairs?.at(-1) || [];
	const list = /=~/.test(line) && /^\^\(\?:(.*)\)\$$/.exec(value || "");
	const rest = pairs ? pairs.slice(0, -1).map((p) => p.join(" ")) : [];

	if (!pairs || value.startsWith("=") || (line.includes("=~") && !list))
		return ["where", line];
	if (!list)
		return [name, [value || "(none)", ...rest].join(" \u00b7 ")];
	const values = list[1].split(/(?<!\\)\|/);

	return [name, values.length <= FULL_LIST ? values.join(", ") :
		`${values[0]} and ${number(values.length - 1)} more`];
}
