// SPDX-License-Identifier: Apache-2.0
/* What the views of time share: elements, canvases, gestures, requests that are
 * made again when zooming stops, and colours. */

import { makeButton } from "./dom.js";
import { typeLabel } from "./head.js";

/* An element. Texts among the children are text, never markup. */
export function part(tag, className, ...children)
{
	const e = document.createElement(tag);

	if (className)
		e.className = className;
	e.append(...children);
	return e;
}

/* Why nothing is shown, and what to do next. */
export function partMessage(title, text, ...actions)
{
	const box = part("div", "time-message", part("h2", "", title),
			 part("p", "", text));

	box.setAttribute("role", "status");
	if (actions.length)
		box.append(part("div", "time-buttons", ...actions));
	return box;
}

/* Instead of a view of time, unless there are times. */
export function noTimes(app, view)
{
	const isTimed = app.type().timed && app.overview.duration;
	const others = app.types().filter((t) => t.timed);

	for (const tool of view.tools)
		tool.hidden = !isTimed;
	if (isTimed)
		return null;
	app.detail([""]);
	app.legend([]);
	app.say("");
	return partMessage(`No times of ${app.type().type || "this profile"}`,
		`The ${view.constructor.title.toLowerCase()} needs the time of ` +
		"each observation, and this type has only totals. " +
		(others.length ? "These types have times:" : "Recordings of " +
		"otprof record, otprof run, perf and Java Flight Recorder have " +
		"times."), ...others.slice(0, 8).map((t) => makeButton(
		typeLabel(t), "", () => app.go(app.typeState(t)))),
		...others.length ? [] : [makeButton("Flame graph", "",
			() => app.go({ view: "" }))]);
}

/* Makes a canvas as large as its place and returns how to draw on it in CSS
 * pixels. */
export function fitCanvas(canvas, width, height)
{
	const ratio = devicePixelRatio || 1;
	const w = Math.max(1, Math.round(width * ratio));
	const h = Math.max(1, Math.round(height * ratio));
	const ctx = canvas.getContext("2d");

	if (canvas.width !== w)
		canvas.width = w;
	if (canvas.height !== h)
		canvas.height = h;
	canvas.style.width = `${width}px`;
	canvas.style.height = `${height}px`;
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	return ctx;
}

export const TIME_FONT = "11px system-ui, 'Segoe UI', Roboto, 'Noto Sans', " +
	"'DejaVu Sans', sans-serif";

/* One request at a time: a new one ends the one before. */
export class Reloader {
	constructor(run)
	{
		this.run = run;
		this.timer = 0;
		this.control = null;
	}

	stop()
	{
		clearTimeout(this.timer);
		if (this.control)
			this.control.abort();
		this.control = null;
	}

	after(ms)
	{
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.now().catch(() => {}), ms);
	}

	/* Whether it came to its end. */
	async now(signal)
	{
		const control = new AbortController();

		this.stop();
		this.control = control;
		if (signal)
			signal.addEventListener("abort", () => control.abort());
		try {
			await this.run(control.signal);
		} catch (e) {
			if (control.signal.aborted)
				return false;
			throw e;
		}
		return !control.signal.aborted;
	}
}

/* Draws at most once per frame. */
export class Painter {
	constructor(paint)
	{
		this.paint = paint;
		this.pending = 0;
	}

	soon()
	{
		if (!this.pending)
			this.pending = requestAnimationFrame(() => {
				this.pending = 0;
				this.paint();
			});
	}
}

/* Presses, drags and pinches on a canvas, with places relative to it:
 *  press(x, y, e)        a press begins
 *  drag(x, y, e, from)   it moves; from.x, from.y: where it began
 *  drop(x, y, e, from)   a drag ends
 *  click(x, y, e)        a press ended where it began
 *  hover(x, y, e), leave()
 *  pinch(by, x, dx)      two fingers: scale around x, and move
 *  cancel()              a press that will not end */
export function listenGestures(canvas, on)
{
	const fingers = new Map();
	let from = null;
	let pinch = null;
	const call = (name, ...args) => on[name] && on[name](...args);
	const place = (e) => {
		const box = canvas.getBoundingClientRect();

		return { x: e.clientX - box.left, y: e.clientY - box.top };
	};
	const spread = () => {
		const [a, b] = [...fingers.values()];

		return { size: Math.max(8, Math.abs(a.x - b.x)),
			 x: (a.x + b.x) / 2 };
	};

	canvas.addEventListener("pointerdown", (e) => {
		if (e.button)
			return;
		const at = place(e);

		fingers.set(e.pointerId, at);
		if (fingers.size === 2) {
			from = null;
			call("cancel");
			pinch = spread();
			return;
		}
		from = { ...at, lastX: at.x, lastY: at.y, moved: false };
		call("press", at.x, at.y, e);
	});
	canvas.addEventListener("pointermove", (e) => {
		const at = place(e);

		if (fingers.has(e.pointerId))
			fingers.set(e.pointerId, at);
		if (pinch && fingers.size === 2) {
			const now = spread();

			call("pinch", pinch.size / now.size, now.x,
			     now.x - pinch.x);
			pinch = now;
		} else if (from) {
			const far = Math.abs(at.x - from.x) > 4 ||
				Math.abs(at.y - from.y) > 4;

			if (!from.moved && far) {
				from.moved = true;
				canvas.setPointerCapture(e.pointerId);
			}
			if (from.moved)
				call("drag", at.x, at.y, e, from);
			from.lastX = at.x;
			from.lastY = at.y;
		} else {
			call("hover", at.x, at.y, e);
		}
	});
	const end = (e) => {
		const at = place(e);

		fingers.delete(e.pointerId);
		if (from && from.moved && e.type !== "pointercancel")
			call("drop", at.x, at.y, e, from);
		else if (from && e.type !== "pointercancel")
			call("click", at.x, at.y, e);
		else if (from)
			call("cancel");
		from = null;
		if (fingers.size < 2)
			pinch = null;
	};

	canvas.addEventListener("pointerup", end);
	canvas.addEventListener("pointercancel", end);
	/* What a finger has shown stays when it is lifted. */
	canvas.addEventListener("pointerleave", (e) => {
		if (e.pointerType !== "touch")
			call("leave");
	});
}

/* --- colours --- */

/* Colours that people with any kind of sight can tell apart, after Okabe and
 * Ito: [light, dark] each. */
export const SERIES_COLOURS = [
	["#2f7fb8", "#5aa9dd"], ["#dd8a1f", "#e0a04a"], ["#1f9577", "#3fb795"],
	["#b8679a", "#cf8ab4"], ["#8fb9d8", "#8cb6d6"], ["#c4562a", "#dd7a4e"],
	["#b9ad2c", "#cfc453"], ["#7c6fb0", "#a196d2"],
];
export const OTHERS_COLOUR = ["#b9b4ac", "#5d5f66"];

export function seriesColour(i, isOthers, dark)
{
	return (isOthers ? OTHERS_COLOUR :
		SERIES_COLOURS[i % SERIES_COLOURS.length])[dark ? 1 : 0];
}

/* What a state is about, by words in its name: the first that fits. */
const STATE_KINDS = [
	[/gc|vm_op|safepoint/i, ["#7c6fb0", "#a196d2"]],
	[/lock|mutex|block|futex|contend|monitor/i, ["#cf5a2c", "#e07f52"]],
	[/unint|disk|\bio\b|iowait|page/i, ["#b8679a", "#cf8ab4"]],
	[/sleep/i, ["#c9c4ba", "#565960"]],
	[/park/i, ["#e3b766", "#b08a45"]],
	[/idle|suspend|stop/i, ["#d9d5cd", "#484b51"]],
	[/wait|off.?cpu|sched|interrupt/i, ["#8fb9d8", "#577f9e"]],
];
const STATE_WORKS = ["#1f9577", "#3fb795"];
const STATE_WAITS = ["#c9b98f", "#857a5c"];

/* The colours of states, one each. Work is green whatever it is called. */
export function stateColours(states, dark)
{
	const nr = new Map(); /* of states by colour */

	return states.map((s) => {
		const kind = STATE_KINDS.find(([re]) => re.test(s.text));
		let pair = kind && (s.waits || kind === STATE_KINDS[0]) ?
			kind[1] : s.waits ? STATE_WAITS : STATE_WORKS;

		const n = nr.get(pair) || 0;

		nr.set(pair, n + 1);
		if (n && pair !== STATE_WORKS)
			pair = shadeOf(pair, SHADES[(n - 1) % SHADES.length]);
		return pair[dark ? 1 : 0];
	});
}

/* How light the neighbours of a colour that is taken are. */
const SHADES = [0.7, 1.3, 0.5, 0.85];

function shadeOf(pair, by)
{
	return pair.map((hex) => `#${[1, 3, 5].map((i) => Math.min(255, Math.round(
		parseInt(hex.slice(i, i + 2), 16) * by)).toString(16)
		.padStart(2, "0")).join("")}`);
}

/* What canvases are drawn with. */
export function timeInk(dark)
{
	return dark ? {
		back: "#16171a", panel: "#1e2024", text: "#e8e6e3",
		quiet: "#a09c96", line: "#33363c", faint: "#26282d",
		accent: "#ff9b62", select: "rgb(255 155 98 / 16%)",
		shade: "rgb(16 17 20 / 62%)", second: "#6fb4ea",
		box: "rgb(30 32 36 / 94%)", match: "hsl(300 55% 48%)",
	} : {
		back: "#fbfaf8", panel: "#ffffff", text: "#23211f",
		quiet: "#6d6862", line: "#e3dfd8", faint: "#f0ede7",
		accent: "#b5431a", select: "rgb(181 67 26 / 12%)",
		shade: "rgb(251 250 248 / 70%)", second: "#1d6fae",
		box: "rgb(255 255 255 / 94%)", match: "hsl(300 74% 74%)",
	};
}

/* Text that fits, or as much of it as does. */
export function fitText(ctx, text, room)
{
	const full = ctx.measureText(text).width;

	if (full <= room)
		return text;
	for (let n = Math.floor(text.length * (room - 7) / full); n > 1; n--) {
		const short = `${text.slice(0, n)}\u2026`;

		if (ctx.measureText(short).width <= room)
			return short;
	}
	return "";
}

/* A note of some lines beside a place, inside of a canvas. */
export function drawNote(ctx, ink, lines, at, size)
{
	ctx.font = TIME_FONT;
	const room = Math.max(...lines.map((l) => ctx.measureText(l).width)) + 14;
	const high = lines.length * 15 + 8;
	const x = Math.max(2, at.x + room + 14 > size.width ?
		at.x - room - 10 : at.x + 10);
	const y = Math.max(2, Math.min(at.y, size.height - high - 2));

	ctx.fillStyle = ink.box;
	ctx.strokeStyle = ink.line;
	ctx.lineWidth = 1;
	ctx.beginPath();
	ctx.roundRect(x + 0.5, y + 0.5, room, high, 5);
	ctx.fill();
	ctx.stroke();
	ctx.textBaseline = "middle";
	ctx.textAlign = "left";
	lines.forEach((line, i) => {
		ctx.fillStyle = i ? ink.quiet : ink.text;
		ctx.fillText(line, x + 7, y + 12 + i * 15);
	});
}
