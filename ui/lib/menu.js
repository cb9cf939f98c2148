// SPDX-License-Identifier: Apache-2.0
/* menu.js: a list of actions at a place of the page. */
import { make, makeButton } from "./dom.js";

let menuOpen = null;

export function closeMenu()
{
	const menu = menuOpen;

	menuOpen = null;
	if (!menu)
		return;
	menu.element.remove();
	menu.back?.focus?.({ preventScroll: true });
}

function menuKey(e)
{
	const items = [...menuOpen.element.querySelectorAll("button, a")];
	const at = items.indexOf(document.activeElement);
	const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0,
		     End: items.length - 1 }[e.key];

	if (e.key === "Escape" || e.key === "Tab")
		closeMenu();
	else if (to !== undefined)
		items[(to + items.length) % items.length].focus();
	else if (e.key === "Enter" || e.key === " ")
		return;
	e.preventDefault();
	e.stopPropagation();
}

/* rows: [text, run, key], or null for a line. */
export function openMenu(x, y, rows, label)
{
	const element = make("div", undefined, "menu");
	const back = document.activeElement;

	closeMenu();
	element.setAttribute("role", "menu");
	element.setAttribute("aria-label", label);
	for (const row of rows)
		element.append(row ? menuItem(...row) : menuLine());
	element.addEventListener("keydown", menuKey);
	document.body.append(element);
	menuOpen = { element, back };
	const box = element.getBoundingClientRect();

	element.style.left = `${Math.max(4, Math.min(x, innerWidth - box.width - 6))}px`;
	element.style.top = `${Math.max(4, Math.min(y, innerHeight - box.height - 6))}px`;
	element.querySelector("button, a")?.focus({ preventScroll: true });
}

function menuLine()
{
	const line = make("hr");

	line.setAttribute("role", "separator");
	return line;
}

function menuItem(text, run, key)
{
	const item = makeButton(text, "", () => {
		closeMenu();
		run();
	});

	item.setAttribute("role", "menuitem");
	if (key)
		item.append(make("kbd", key));
	return item;
}

addEventListener("pointerdown", (e) => {
	if (menuOpen && !menuOpen.element.contains(e.target))
		closeMenu();
}, true);
addEventListener("blur", closeMenu);
addEventListener("resize", closeMenu);
