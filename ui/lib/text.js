// SPDX-License-Identifier: Apache-2.0
/* text.js: numbers, names and colours as people read them. */

/* --- numbers --- */

export const TIMES = {
	ns: 1, nanoseconds: 1, nanosecond: 1,
	us: 1e3, "\u00b5s": 1e3, microseconds: 1e3, microsecond: 1e3,
	ms: 1e6, milliseconds: 1e6, millisecond: 1e6,
	s: 1e9, seconds: 1e9, second: 1e9,
};
export const BYTES = { bytes: 1, byte: 1, By: 1, B: 1, kilobytes: 1024 };

export function number(v, digits = 0)
{
	return v.toLocaleString("en-US", { minimumFractionDigits: digits,
					   maximumFractionDigits: digits });
}

/* A number of things, as "1 thread" or "2 threads". */
export function counted(n, thing)
{
	return `${number(n)} ${thing}${n === 1 ? "" : "s"}`;
}

export function scaled(v, steps)
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

export function duration(ns)
{
	if (Math.abs(ns) >= 3600e9)
		return scaled(ns, [[3600e9, "h"]]);
	if (Math.abs(ns) >= 300e9)
		return scaled(ns, [[60e9, "min"]]);
	return scaled(ns, [[1, "ns"], [1e3, "\u00b5s"], [1e6, "ms"],
			   [1e9, "s"]]);
}

export function bytesText(bytes)
{
	return scaled(bytes, [[1, "B"], [1024, "KiB"], [1024 ** 2, "MiB"],
			      [1024 ** 3, "GiB"], [1024 ** 4, "TiB"]]);
}

/* A value as people say it. */
export function valueText(v, unit)
{
	if (Object.hasOwn(TIMES, unit))
		return duration(v * TIMES[unit]);
	if (Object.hasOwn(BYTES, unit))
		return bytesText(v * BYTES[unit]);
	if (!unit || unit === "count" || unit === "1")
		return number(v, 0);
	return `${number(v, 0)} ${unit}`;
}

/* A change: what is more has a sign too. */
export function changeText(v, unit)
{
	return `${v > 0 ? "+" : ""}${valueText(v, unit)}`;
}

/* The total of calls, or what they changed by. */
export function sumText(v, info)
{
	return info.diff ? changeText(v, info.unit) : valueText(v, info.unit);
}

/* The sum over all calls. Sides that were scaled to one total differ by what
 * was rounded only. */
export function allText(info)
{
	return sumText(info.scaled ? 0 : info.total, info);
}

/* A total as people say it, in time too where the unit is a count. */
export function totalText(info)
{
	const as = !info.scaled && info.period && info.period_unit !== info.unit &&
		Object.hasOwn(TIMES, info.period_unit) ?
		` \u2248 ${valueText(info.total * info.period,
				     info.period_unit)}` : "";

	return (info.diff ? "net change " : "") + allText(info) + as;
}

export function percent(part, whole)
{
	const p = whole ? 100 * part / whole : 0;

	return `${p.toFixed(Math.abs(p) < 0.995 && p ? 3 : 2)}%`;
}

/* --- names --- */

export function baseName(path)
{
	return path.slice(path.lastIndexOf("/") + 1);
}

/* What is shown where the whole name has no room: of Java the class and the
 * method; what tells hidden classes apart belongs to the class. */
export function shortName(name, kind)
{
	const plain = name.replace(/\(.*$/, "");
	const tail = /[^./ ]+(?:[./](?:0x)?[0-9a-f]+)?\.[^./]+$/.exec(plain);

	return kind === "jvm" && tail ? tail[0] : name;
}

/* What compilers put behind the names of parts of a function. */
const PARTS_OF = /\.(?:part|isra|constprop|cold|llvm|lto_priv)\b.*$/;

/* What tells hidden classes of Java apart. */
const HIDDEN_CLASS = /(\$\$Lambda.*|[./+](0x[0-9a-f]+|\d+))(?=\.[^.]*$)/;

/* What a name belongs to: the package of Java and Go, the first namespace of
 * C++ and Rust, the file of a script; else the binary. */
export function packageOf(name, kind, module, file)
{
	const plain = name.replace(/\(.*$/, "").replace(PARTS_OF, "")
		.replace(HIDDEN_CLASS, "");
	const scope = /^[<&_ ]*(\w+)::/.exec(name);
	const script = kind === "cpython" || kind === "v8js" || kind === "ruby" ||
		kind === "php" || kind === "perl";

	if (script && file)
		return baseName(file);
	if (scope)
		return scope[1];
	if (kind !== "kernel" && kind !== "native") {
		const slash = plain.lastIndexOf("/");
		const parts = plain.slice(slash + 1).split(".");
		const path = plain.slice(0, slash + 1);

		if (kind === "jvm" && parts.length > 1)
			return (path + parts.slice(0, -2).join("."))
				.replace(/\/$/, "").replaceAll("/", ".") ||
				parts[0];
		if (parts.length > 3 && !path)
			return parts.slice(0, -2).join(".");
		if (parts.length > 1 && parts[0])
			return path + parts[0];
	}
	return baseName(module) || (file ? baseName(file) : KINDS[kind][0]);
}

/* --- regular expressions --- */

export function escapeRegex(text)
{
	return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/* A text that is no regular expression is looked for as it is. Without capital
 * letters their case does not matter. */
export function regexOf(query)
{
	const flags = query === query.toLowerCase() ? "i" : "";

	try {
		return new RegExp(query, flags);
	} catch {
		return new RegExp(escapeRegex(query), flags);
	}
}

/* The same for the server, which tells capital letters apart. */
export function patternOf(query)
{
	const { flags, source } = regexOf(query);

	return flags ? `(?i)${source}` : source;
}

/* What commands accept as a regular expression, and JavaScript does not, is
 * looked for as text; but for letters of either case, which (?i) asks for. */
export function filterOf(text)
{
	if (!text)
		return null;
	const flags = text.startsWith("(?i)") ? "i" : "";
	const plain = flags ? text.slice(4) : text;

	try {
		return new RegExp(plain, flags);
	} catch {
		return new RegExp(escapeRegex(plain), flags);
	}
}

/* A value of the query language, in which only the quote itself needs a
 * backslash. */
export function quoted(text)
{
	return `"${text.replace(/"/g, '\\"')}"`;
}

/* --- colours --- */

/* Hue and saturation by kind of frame. Lightness differs a little from name to
 * name, so that neighbours can be told apart. */
export const KINDS = {
	jvm: ["Java", 128, 44],
	inlined: ["inlined", 172, 46],
	native: ["native", 42, 82],
	kernel: ["kernel", 4, 70],
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
	class: ["class", 258, 52],
	cut: ["smaller frames", 0, 0],
	root: ["all", 215, 8],
	other: ["other", 28, 80],
};

/* Suffixes that collapsing scripts put behind names. */
export const SUFFIXES = { k: "kernel", j: "jvm", i: "inlined", 0: "jvm", 1: "jvm" };

export function kindOf(type, name)
{
	const suffix = !type && /_\[([kji01])\]$/.exec(name);

	if (suffix)
		return SUFFIXES[suffix[1]];
	return Object.hasOwn(KINDS, type) ? type : "other";
}

export function hashOf(text)
{
	let h = 0x811c9dc5;

	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
	return (h >>> 8 & 0xffff) / 0xffff;
}

/* What is of unknown kind varies over the colours of a fire. */
export function kindColour(kind, name, dark)
{
	const [, hue, saturation] = KINDS[kind];
	const v = name ? hashOf(name) - 0.5 : 0;
	const turn = kind === "other" ? v * 44 : v * 14;
	const light = (dark ? 36 + v * 8 : 73 + v * 11) +
		(kind === "root" ? (dark ? -8 : 12) : 0);

	return `hsl(${(hue + turn).toFixed(1)} ` +
		`${dark ? saturation * 0.72 : saturation}% ${light.toFixed(1)}%)`;
}

/* By how much of it is more (red) or less (blue): -1 to 1. */
export function diffColour(ratio, dark)
{
	const hue = ratio < 0 ? 212 : 8;
	const much = Math.min(1, Math.abs(ratio));

	if (dark)
		return `hsl(${hue} ${8 + 58 * much}% ${30 + 12 * much}%)`;
	return `hsl(${hue} ${10 + 72 * much}% ${90 - 24 * much}%)`;
}

/* How many groups the legend names. Neighbours in it are of other hues, and
 * those of the second half darker. */
export const GROUPS = 12;
const GROUP_HUES = [30, 205, 128, 282, 54, 338];

/* One colour per group: a package or a module; pale for those of no slot. */
export function groupColour(group, slot, name, dark)
{
	const isNamed = slot >= 0;
	const hue = isNamed ? GROUP_HUES[slot % 6] :
		Math.floor(hashOf(group) * 30) * 12;
	const v = hashOf(name) - 0.5 - (slot >= 6 ? 1.6 : 0);

	if (!group)
		return dark ? "hsl(30 4% 34%)" : "hsl(30 8% 80%)";
	if (dark)
		return `hsl(${hue} ${isNamed ? 40 : 12}% ${(38 + v * 7).toFixed(1)}%)`;
	return `hsl(${hue} ${isNamed ? 60 : 22}% ${(77 + v * 8).toFixed(1)}%)`;
}

/* A colour of these as a pixel of an image; part: how much of it is seen over
 * the background. */
export function boxPixel(colour, part, dark)
{
	const [h, s, l] = colour.match(/[\d.]+/g).map(Number);
	const back = dark ? [22, 23, 26] : [251, 250, 248];
	const a = s / 100 * Math.min(l / 100, 1 - l / 100);
	const [r, g, b] = [0, 8, 4].map((n, i) => {
		const k = (n + h / 30) % 12;
		const v = 255 * (l / 100 - a * Math.max(-1, Math.min(
			k - 3, 9 - k, 1)));

		return Math.round(v * part + back[i] * (1 - part));
	});

	return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}
