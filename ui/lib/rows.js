// SPDX-License-Identifier: Apache-2.0
/* rows.js: a long list of rows of one height, of which only those in view are
 * in the page. */
import { make } from "./dom.js";

export class Rows {
	/* fill(row, i) makes the contents of a row; rows are used again. */
	constructor(role, label, fill)
	{
		this.element = make("div", undefined, "rows");
		this.space = make("div", undefined, "space");
		this.space.setAttribute("role", "presentation");
		this.element.setAttribute("role", role);
		this.element.setAttribute("aria-label", label);
		this.element.tabIndex = 0;
		this.element.append(this.space);
		this.fill = fill;
		this.nr = 0;
		this.height = 24;
		this.live = new Map(); /* rows in the page, by number */
		this.pending = 0;
		this.element.addEventListener("scroll", () => this.draw());
	}

	/* pick(i, e): a row is clicked; menu(i, e): its menu is asked for */
	listen(pick, menu)
	{
		for (const [type, run] of [["click", pick], ["contextmenu", menu]])
			this.element.addEventListener(type, (e) => {
				const i = this.at(e);

				if (i < 0)
					return;
				if (run === menu)
					e.preventDefault();
				run(i, e);
			});
	}

	/* How many rows there are now; all that are in view are made anew. */
	reset(nr, height)
	{
		this.nr = nr;
		this.height = height;
		this.space.style.height = `${nr * height}px`;
		for (const row of this.live.values())
			row.remove();
		this.live.clear();
		this.paint();
	}

	draw()
	{
		if (!this.pending)
			this.pending = requestAnimationFrame(() => {
				this.pending = 0;
				this.paint();
			});
	}

	paint()
	{
		const top = this.element.scrollTop;
		const tall = this.element.clientHeight || 600;
		const from = Math.max(0, Math.floor(top / this.height) - 4);
		const to = Math.min(this.nr,
				    Math.ceil((top + tall) / this.height) + 4);
		const spare = [];

		for (const [i, row] of this.live) {
			if (i < from || i >= to) {
				this.live.delete(i);
				spare.push(row);
			}
		}
		for (let i = from; i < to; i++)
			if (!this.live.has(i))
				this.put(i, spare.pop());
		for (const row of spare)
			row.remove();
	}

	put(i, used)
	{
		const row = used || make("div", undefined, "row");

		row.style.top = `${i * this.height}px`;
		row.style.height = `${this.height}px`;
		row.dataset.i = i;
		this.fill(row, i);
		if (!used)
			this.space.append(row);
		this.live.set(i, row);
	}

	/* Makes a row that is in view anew. */
	refresh(i)
	{
		if (this.live.has(i))
			this.fill(this.live.get(i), i);
	}

	reveal(i)
	{
		const { element, height } = this;
		const y = i * height;

		if (y < element.scrollTop)
			element.scrollTop = y;
		else if (y + height > element.scrollTop + element.clientHeight)
			element.scrollTop = y + height - element.clientHeight;
		this.paint();
	}

	/* The row that an event happened in; -1: none. */
	at(event)
	{
		const row = event.target.closest?.(".row");

		return row && this.element.contains(row) ? Number(row.dataset.i) :
			-1;
	}
}
