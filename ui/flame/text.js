// SPDX-License-Identifier: Apache-2.0
"use strict";

/* --- numbers --- */

const TIMES = {
	ns: 1, nanoseconds: 1, nanosecond: 1,
	us: 1e3, "\u00b5s": 1e3, microseconds: 1e3, microsecond: 1e3,
	ms: 1e6, milliseconds: 1e6, millisecond: 1e6,
	s: 1e9, seconds: 1e9, second: 1e9,
};
const BYTES = { bytes: 1, byte: 1, By: 1, B: 1, kilobytes: 1024 };

function number(v, digits)
{
	return v.toLocaleString("en-US", { minimumFractionDigits: digits,
					   maximumFractionDigits: digits });
}

function scaled(v, steps)
{
	const size = Math.abs(v);
	let [by, name] = steps[0];

	for (const step of steps)
		if (size >= step[0])
			[by, name] = step;
	const x = v / by;
	const digits = by === 1 || Number.isInteger(x) || Math.abs(x) >= 100 ? 0 :
		Math.abs(x) >= 10 ? 1 : 2;
	return `${number(x, digits)} ${name}`;
}

function duration(ns)
{
	if (Math.abs(ns) >= 3600e9)
		return scaled(ns, [[3600e9, "h"]]);
	if (Math.abs(ns) >= 300e9)
		return scaled(ns, [[60e9, "min"]]);
	return scaled(ns, [[1, "ns"], [1e3, "\u00b5s"], [1e6, "ms"],
			   [1e9, "s"]]);
}

function size(bytes)
{
	return scaled(bytes, [[1, "B"], [1024, "KiB"], [1024 ** 2, "MiB"],
			      [1024 ** 3, "GiB"], [1024 ** 4, "TiB"]]);
}

/* A value as people say it. */
function valueText(v, unit)
{
	if (Object.hasOwn(TIMES, unit))
		return duration(v * TIMES[unit]);
	if (Object.hasOwn(BYTES, unit))
		return size(v * BYTES[unit]);
	if (!unit || unit === "count" || unit === "1")
		return number(v, 0);
	return `${number(v, 0)} ${unit}`;
}

function percent(part, whole)
{
	const p = whole ? 100 * part / whole : 0;

	return `${p.toFixed(Math.abs(p) < 0.995 && p ? 3 : 2)}%`;
}

/* --- names --- */

function baseName(path)
{
	return path.slice(path.lastIndexOf("/") + 1);
}

/* What is shown where the whole name has no room: of Java the class and the
 * method; what tells hidden classes apart belongs to the class. */
function shortName(name, kind)
{
	const plain = name.replace(/\(.*$/, "");
	const tail = /[^./ ]+(?:[./](?:0x)?[0-9a-f]+)?\.[^./]+$/.exec(plain);

	return kind === "jvm" && tail ? tail[0] : name;
}

/* --- colours --- */

/* Hue and saturation by kind of frame. Lightness differs a little from name to
 * name, so that neighbours can be told apart. */
const KINDS = {
	jvm: ["Java", 128, 44],
	inlined: ["inlined", 172, 46],
	native: ["native", 42, 82],
	kernel: ["kernel", 16, 78],
	go: ["Go", 194, 60],
	rust: ["Rust", 22, 60],
	cpython: ["Python", 212, 58],
	v8js: ["JavaScript", 54, 74],
	ruby: ["Ruby", 348, 62],
	php: ["PHP", 244, 50],
	perl: ["Perl", 224, 44],
	dotnet: [".NET", 274, 46],
	beam: ["Erlang", 316, 46],
	thread: ["thread", 215, 14],
	cut: ["smaller frames", 0, 0],
	root: ["all", 215, 8],
	other: ["other", 28, 80],
};

/* Suffixes that collapsing scripts put behind names. */
const SUFFIXES = { k: "kernel", j: "jvm", i: "inlined", 0: "jvm", 1: "jvm" };

function kindOf(type, name)
{
	const suffix = !type && /_\[([kji01])\]$/.exec(name);

	if (suffix)
		return SUFFIXES[suffix[1]];
	return Object.hasOwn(KINDS, type) ? type : "other";
}

function hashOf(text)
{
	let h = 0x811c9dc5;

	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
	return (h >>> 8 & 0xffff) / 0xffff;
}

/* What is of unknown kind varies over the colours of a fire. */
function kindColour(kind, name, dark)
{
	const [, hue, saturation] = KINDS[kind];
	const v = hashOf(name) - 0.5;
	const turn = kind === "other" ? v * 44 : v * 14;
	const light = (dark ? 36 + v * 8 : 73 + v * 11) +
		(kind === "root" ? (dark ? -8 : 12) : 0);

	return `hsl(${(hue + turn).toFixed(1)} ` +
		`${dark ? saturation * 0.72 : saturation}% ${light.toFixed(1)}%)`;
}

/* By how much of it is more (red) or less (blue): -1 to 1. */
function diffColour(ratio, dark)
{
	const hue = ratio < 0 ? 212 : 8;
	const much = Math.min(1, Math.abs(ratio));

	if (dark)
		return `hsl(${hue} ${8 + 58 * much}% ${30 + 12 * much}%)`;
	return `hsl(${hue} ${10 + 72 * much}% ${90 - 24 * much}%)`;
}
