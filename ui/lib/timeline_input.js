// SPDX-License-Identifier: Apache-2.0
/* What pointers and keys do in the timeline. */
import { listenGestures } from "./time_parts.js";
import { BOX_ROW, LANE_BAR, SPAN_ROW } from "./lane_rows.js";
import { AXIS_HIGH } from "./timeline_paint.js";

export class TimelineMouse {
	constructor(view)
	{
		this.view = view;
		this.last = ""; /* what a finger tapped last */
		listenGestures(view.canvas, {
			press: (x, y, e) => this.press(x, y, e),
			drag: (x, y, e, from) => this.drag(x, y, from),
			drop: () => this.drop(),
			click: (x, y, e) => this.click(x, y, e),
			cancel: () => this.cancel(),
			hover: (x, y) => this.hover(x, y),
			leave: () => this.leave(),
			pinch: (by, x, dx) => {
				view.zoom(by, x);
				view.pan(-dx);
			},
		});
		view.canvas.addEventListener("wheel", (e) => this.wheel(e),
					     { passive: false });
	}

	/* What is at a place: the row, and the box or span in it. */
	at(x, y)
	{
		const v = this.view;
		const at = y - AXIS_HIGH + v.scrollTop;
		const row = y < AXIS_HIGH ? null : v.rows.at(at);
		const out = { row, box: null, span: null, at };

		if (!row || x < v.gutter)
			return out;
		const time = v.time(x);

		if (row.kind === "spans")
			out.span = this.spanAt(row, x, at);
		else if (row.chart)
			out.box = this.boxAt(row, at, time);
		return out;
	}

	boxAt(row, at, time)
	{
		const depth = Math.floor((at - this.view.rows.boxY(row)) / BOX_ROW);

		for (let i = row.chart.parts.length; i-- && depth >= 0;) {
			const box = row.chart.parts[i].at(depth, time);

			if (box)
				return { ...box, row };
		}
		return null;
	}

	/* Spans shorter than some pixels can be hit too. */
	spanAt(row, x, at)
	{
		const v = this.view;
		const line = Math.floor((at - v.rows.barY(row)) / SPAN_ROW);
		const near = v.time(x + 2) - v.time(x);
		const time = v.time(x);

		return v.spans.find((s) => s.row === line &&
			s.first - near <= time && s.last + near >= time) || null;
	}

	hover(x, y)
	{
		const v = this.view;
		const { row, box, span } = this.at(x, y);

		v.hoverX = x;
		v.hoverRow = row ? v.rows.list.indexOf(row) : -1;
		v.hoverBox = box;
		v.hoverSpan = span;
		v.canvas.style.cursor = v.selecting ? "crosshair" :
			row ? "pointer" : "default";
		v.detail();
		v.painter.soon();
	}

	leave()
	{
		const v = this.view;

		v.hoverX = v.hoverRow = -1;
		v.hoverBox = v.hoverSpan = null;
		v.detail();
		v.painter.soon();
	}

	/* --- drags --- */

	press(x, y, e)
	{
		const v = this.view;

		this.selects = (e.shiftKey || v.selecting) && x >= v.gutter;
		this.top = v.scroller.scrollTop;
		this.isTouch = e.pointerType === "touch";
		this.startTime = v.time(x);
		this.startY = y - AXIS_HIGH + v.scrollTop;
	}

	drag(x, y, from)
	{
		const v = this.view;

		if (!this.selects) {
			v.pan(from.lastX - x);
			if (!this.isTouch)
				v.scroller.scrollTop -= y - from.lastY;
			return;
		}
		const time = v.time(Math.max(v.gutter, Math.min(v.width, x)));
		const at = Math.max(0, y - AXIS_HIGH + v.scrollTop);

		v.area = { from: Math.max(0, Math.min(time, this.startTime)),
			   to: Math.min(v.window.all,
					Math.max(time, this.startTime)),
			   ...this.wholeRows(Math.min(at, this.startY),
					     Math.max(at, this.startY)) };
		v.painter.soon();
	}

	/* A rectangle covers whole lanes. */
	wholeRows(top, bottom)
	{
		const { rows } = this.view;

		if (!rows.list.length)
			return { top, bottom };
		return { top: rows.top[rows.indexAt(Math.max(0, top))],
			 bottom: rows.top[rows.indexAt(Math.min(rows.tall - 1,
								bottom)) + 1] };
	}

	drop()
	{
		const v = this.view;
		const area = v.area;

		this.cancel();
		if (area && area.to > area.from)
			v.take(area);
	}

	cancel()
	{
		this.view.area = null;
		this.selects = false;
		this.view.painter.soon();
	}

	/* A click opens; of fingers the first shows numbers, the second opens. */
	click(x, y, e)
	{
		const v = this.view;
		const { row, box, span } = this.at(x, y);
		const what = row ? `${v.rows.list.indexOf(row)} ${box ?
			`${box.depth} ${box.i}` : ""} ${span ? span.span : ""}` : "";
		const first = e.pointerType === "touch" && what !== this.last;

		this.last = what;
		if (e.pointerType === "touch")
			this.hover(x, y);
		if (!row || first)
			return;
		v.selected = v.rows.list.indexOf(row);
		if (span)
			v.filterSpan(span);
		else if (box)
			v.zoomTo(box.from - (box.to - box.from) * 0.05,
				 box.to + (box.to - box.from) * 0.05);
		else if (this.inHead(row, y))
			v.toggle(row);
		v.painter.soon();
	}

	inHead(row, y)
	{
		const v = this.view;

		return y - AXIS_HIGH + v.scrollTop <
			v.rows.barY(row) + LANE_BAR + 4;
	}

	wheel(e)
	{
		const v = this.view;

		if (e.offsetX < v.gutter && !e.ctrlKey)
			return;
		e.preventDefault();
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			v.pan(e.deltaX || e.deltaY);
		else
			v.zoom(Math.exp(e.deltaY / 300), e.offsetX);
	}
}

const TIMELINE_KEYS = {
	w: (v, x) => v.zoom(0.7, x),
	s: (v, x) => v.zoom(1 / 0.7, x),
	"+": (v, x) => v.zoom(0.7, x),
	"=": (v, x) => v.zoom(0.7, x),
	"-": (v, x) => v.zoom(1 / 0.7, x),
	a: (v) => v.pan(-v.width / 8),
	d: (v) => v.pan(v.width / 8),
	ArrowLeft: (v) => v.pan(-v.width / 8),
	ArrowRight: (v) => v.pan(v.width / 8),
	ArrowUp: (v) => v.select(Math.max(0, v.selected - 1)),
	ArrowDown: (v) => v.select(Math.min(v.rows.list.length - 1,
					    v.selected + 1)),
	Home: (v) => v.select(0),
	End: (v) => v.select(v.rows.list.length - 1),
	Enter: (v) => v.toggle(v.rows.list[v.selected]),
	0: (v) => v.zoomHome(),
	x: (v) => v.setSelecting(!v.selecting),
	f: (v) => {
		const row = v.rows.list[v.selected] || v.rows.list[v.hoverRow];

		if (row && row.kind === "lane")
			v.flameOf(row.lane);
	},
};

/* Whether a key was one of the timeline's. */
export function timelineKey(view, e)
{
	const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;

	if (key === "Escape" && view.selecting) {
		view.mouse.cancel();
		view.setSelecting(false);
		return true;
	}
	if (e.altKey || !Object.hasOwn(TIMELINE_KEYS, key) || !view.wide)
		return false;
	const x = view.hoverX >= view.gutter ? view.hoverX :
		(view.gutter + view.width) / 2;

	TIMELINE_KEYS[key](view, x);
	return true;
}
