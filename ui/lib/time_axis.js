// SPDX-License-Identifier: Apache-2.0
/* Times as people read them, the ticks of a time axis, and the part of the time
 * that is in view. Times are nanoseconds from the origin of the data; where the
 * data has a date they are shown as UTC, else as what has passed. */
import { duration } from "./text.js";

const AXIS_STEPS = (() => {
	const list = [];

	for (let p = 1; p < 1e9; p *= 10)
		list.push(p, 2 * p, 5 * p);
	for (const s of [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600,
			 7200, 10800, 21600, 43200, 86400, 172800, 604800,
			 2592000, 7776000, 31536000])
		list.push(s * 1e9);
	/* Times of one file may count from 1970, and those of another not. */
	for (const years of [2, 5, 10, 20, 50, 100, 200, 500])
		list.push(years * 31536000e9);
	return list;
})();

/* The shortest part of time that can be zoomed to. */
const LEAST_SPAN = 100;

const CENTURY = 946684800000000000n; /* its first nanosecond since 1970 */

const twoDigits = (n) => String(n).padStart(2, "0");

export class TimeScale {
	constructor(overview)
	{
		this.origin = BigInt(overview.origin || 0);
		this.hasDate = Boolean(overview.has_date);
	}

	/* Whether a time has a date. Beside files of another clock, which counts
	 * from the start of a machine, those do that are of this century. */
	isDate(ns)
	{
		return this.hasDate ||
			this.origin + BigInt(Math.round(ns)) > CENTURY;
	}

	/* How far the origin is past a multiple of a step. */
	phase(step, at = 0)
	{
		return this.isDate(at) ? Number(this.origin % BigInt(step)) : 0;
	}

	/* A whole time, with as many digits as a step needs. */
	text(ns, step = 1e6)
	{
		const digits = step >= 1e9 ? 0 : step >= 1e6 ? 3 :
			step >= 1e3 ? 6 : 9;
		const isDate = this.isDate(ns);
		const at = (isDate ? this.origin : 0n) + BigInt(Math.round(ns));
		const part = ((at % 1000000000n) + 1000000000n) % 1000000000n;
		const seconds = Number((at - part) / 1000000000n);
		const tail = digits ?
			`.${String(part).padStart(9, "0").slice(0, digits)}` : "";

		if (isDate)
			return new Date(seconds * 1000).toISOString()
				.slice(11, 19) + tail;
		const sign = seconds < 0 ? "-" : "";
		const all = Math.abs(seconds);
		const hours = Math.floor(all / 3600);
		const minutes = Math.floor(all / 60) % 60;

		if (!hours && !minutes)
			return `${sign}${all}${tail} s`;
		return `${sign}${hours ? `${hours}:${twoDigits(minutes)}` :
			minutes}:${twoDigits(all % 60)}${tail}`;
	}

	date(ns)
	{
		const at = this.origin + BigInt(Math.round(ns));

		return new Date(Number(at / 1000000n)).toISOString().slice(0, 10);
	}

	/* A range in words. */
	range(from, to)
	{
		const step = Math.min(1e9, Math.max(1, (to - from) / 100));

		return `${this.text(from, step)} \u2013 ${this.text(to, step)}` +
			` (${duration(to - from)})`;
	}

	/* The ticks of a range over so many pixels. Below a millisecond they
	 * count from .anchor, as whole times would not fit. */
	ticks(from, to, width)
	{
		const least = (to - from) * 84 / Math.max(width, 1);
		const step = AXIS_STEPS.find((s) => s >= least) ||
			AXIS_STEPS[AXIS_STEPS.length - 1];
		const phase = this.phase(step, from);
		const list = [];
		const fine = step < 1e6;
		const msPhase = this.phase(1e6, from);
		const base = fine ? Math.floor((from + msPhase) / 1e6) * 1e6 -
			msPhase : 0;

		for (let k = Math.ceil((from + phase) / step);; k++) {
			const at = k * step - phase;

			if (at > to || list.length > 400)
				break;
			list.push({ at, text: fine ? `+${fineText(at - base, step)}` :
				this.tickText(at, step) });
		}
		return { list, step, anchor: fine ? this.text(base, 1e6) :
			this.isDate(from) ? this.date(from) : "" };
	}

	tickText(at, step)
	{
		const isDate = this.isDate(at);

		if (isDate && step >= 2592000e9)
			return this.date(at).slice(0, 7);
		if (isDate && step >= 86400e9)
			return this.date(at).slice(5);
		if (isDate && step >= 60e9)
			return this.text(at, step).slice(0, 5);
		if (isDate || step >= 1e9)
			return this.text(at, step);
		return `${(at / 1e9).toFixed(Math.ceil(9 -
			Math.log10(step) - 1e-9))} s`;
	}
}

function fineText(ns, step)
{
	const [by, name] = step >= 1e3 ? [1e3, "\u00b5s"] : [1, "ns"];

	return `${(ns / by).toLocaleString("en-US")} ${name}`;
}

/* What is in view of [0, all). home: the part with the files that are shown. */
export class TimeWindow {
	constructor(all, home = null)
	{
		this.all = Math.max(all, LEAST_SPAN);
		this.home = home || { from: 0, to: this.all };
		this.reset();
	}

	/* What lasts may end behind the last time stamp, which duration is. */
	extend(to, duration)
	{
		const { isWhole, home } = this;

		this.all = Math.max(this.all, to || 0);
		if (home.from <= 0 && home.to >= duration)
			home.to = this.all;
		if (isWhole)
			this.set(0, this.all);
	}

	reset()
	{
		this.set(this.home.from, this.home.to);
	}

	set(from, to)
	{
		const span = Math.min(this.all, Math.max(LEAST_SPAN, to - from));
		const start = Math.min(this.all - span, Math.max(0, from));

		this.from = start;
		this.to = start + span;
	}

	/* Narrower or wider around a part (0 to 1) of what is in view. */
	scale(by, part)
	{
		const span = this.to - this.from;
		const wanted = Math.min(this.all, Math.max(LEAST_SPAN, span * by));
		const at = this.from + span * part;

		this.set(at - wanted * part, at - wanted * part + wanted);
	}

	pan(ns)
	{
		this.set(this.from + ns, this.to + ns);
	}

	get isHome()
	{
		return Math.abs(this.from - this.home.from) < 1 &&
			Math.abs(this.to - this.home.to) < 1;
	}

	get isWhole()
	{
		return this.from <= 0 && this.to >= this.all;
	}
}

/* The parameters that select a range, as the commands spell it. */
export function rangeParams(from, to)
{
	return { from: `+${Math.max(0, Math.floor(from))}ns`,
		 to: `+${Math.ceil(to)}ns` };
}

/* The range of a state, or null. */
export function stateRange(state, all, prefix = "")
{
	const from = state[`${prefix}from`];
	const to = state[`${prefix}to`];

	const range = { from: Number(from || 0), to: Number(to || all) };

	/* An address may say anything. */
	return (from || to) && range.from < range.to ? range : null;
}

/* A range as it stands in the state; nothing if it is all there is. */
export function rangeState(from, to, all, prefix = "")
{
	const whole = from <= 0 && to >= all;

	return { [`${prefix}from`]: whole ? "" :
			String(Math.max(0, Math.round(from))),
		 [`${prefix}to`]: whole ? "" : String(Math.round(to)) };
}
