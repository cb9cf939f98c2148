// SPDX-License-Identifier: Apache-2.0
/* pointer.js: mouse and touch on a flame canvas. A press that moves drags; one
 * that does not is a click. The first tap of a finger shows the numbers of a
 * frame, the second one zooms. Two fingers scale. */

/* on: point(node), click(node), menu(node, x, y) */
export function listenPointer(view, on)
{
	const { canvas } = view;
	const down = new Map(); /* pointers that are down, by their number */
	let from = null;
	let span = 0;

	canvas.addEventListener("pointerdown", (e) => {
		down.set(e.pointerId, e);
		span = 0;
		from = { x: e.clientX, moved: from?.moved && down.size > 1,
			 touch: e.pointerType === "touch" };
	});
	canvas.addEventListener("pointermove", (e) => {
		if (!view.tree)
			return;
		if (!down.has(e.pointerId)) {
			if (e.pointerType !== "touch")
				pointAt(view, on, e);
			return;
		}
		down.set(e.pointerId, e);
		if (down.size > 1)
			span = pinch(view, [...down.values()], span, from);
		else
			drag(view, from, e);
	});
	for (const type of ["pointerup", "pointercancel"])
		addEventListener(type, (e) => {
			down.delete(e.pointerId);
			span = 0;
		});
	canvas.addEventListener("click", (e) => {
		const i = view.tree ? view.nodeAt(e.offsetX, e.offsetY) : -1;
		const isFirst = from?.touch && i !== view.selected;

		if (from && !from.moved && i >= 0) {
			view.selected = i;
			if (isFirst)
				on.point(i);
			else
				on.click(i);
		}
		from = null;
	});
	canvas.addEventListener("contextmenu", (e) => {
		const i = view.tree ? view.nodeAt(e.offsetX, e.offsetY) : -1;

		e.preventDefault();
		down.clear();
		from = null;
		if (i > 0)
			on.menu(i, e.clientX, e.clientY);
	});
	canvas.addEventListener("pointerleave", (e) => {
		if (view.tree && e.pointerType !== "touch")
			on.point(-1);
	});
	canvas.addEventListener("wheel", (e) => wheel(view, e),
				{ passive: false });
}

function pointAt(view, on, e)
{
	const i = view.nodeAt(e.offsetX, e.offsetY);

	if (i === view.hover)
		return;
	view.canvas.style.cursor = i >= 0 ? "pointer" : "default";
	on.point(i);
}

function drag(view, from, e)
{
	if (!from)
		return;
	if (Math.abs(e.clientX - from.x) > 4)
		from.moved = true;
	if (from.moved) {
		view.pan(from.x - e.clientX);
		from.x = e.clientX;
	}
}

function pinch(view, [a, b], before, from)
{
	const span = Math.max(20, Math.abs(a.clientX - b.clientX));

	if (before)
		view.scale(before / span, (a.offsetX + b.offsetX) / 2);
	if (from)
		from.moved = true;
	return span;
}

function wheel(view, e)
{
	if (!view.tree)
		return;
	if (e.ctrlKey || e.metaKey) {
		e.preventDefault();
		view.scale(Math.exp(e.deltaY / 300), e.offsetX);
	} else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
		e.preventDefault();
		view.pan(e.deltaX);
	}
}
