// SPDX-License-Identifier: Apache-2.0
/* dom.js: makes elements. Texts are always set as text. */

export function make(tag, text, className)
{
	const e = document.createElement(tag);

	if (text !== undefined && text !== null)
		e.textContent = text;
	if (className)
		e.className = className;
	return e;
}

export function makeButton(text, title, onClick, className)
{
	const b = make("button", text, className);

	b.type = "button";
	if (title)
		b.title = title;
	b.addEventListener("click", onClick);
	return b;
}

/* A button that is on or off. */
export function makeToggle(id, text, title, onClick)
{
	const b = makeButton(text, title, onClick);

	b.id = id;
	b.setAttribute("aria-pressed", "false");
	return b;
}

export function setPressed(button, on)
{
	button.setAttribute("aria-pressed", String(Boolean(on)));
}

export function makeInput(id, placeholder, label)
{
	const input = make("input");

	input.id = id;
	input.placeholder = placeholder;
	input.spellcheck = false;
	input.setAttribute("aria-label", label);
	return input;
}

/* rows: [value, text]... */
export function makeSelect(id, label, rows, onChange)
{
	const box = make("label", undefined, "pick");
	const select = make("select");

	select.id = id;
	select.setAttribute("aria-label", label);
	select.title = label;
	fillSelect(select, rows);
	select.addEventListener("change", () => onChange(select.value));
	box.append(select);
	box.select = select;
	return box;
}

export function fillSelect(select, rows)
{
	select.replaceChildren(...rows.map(([value, text]) => {
		const option = make("option", text);

		option.value = value;
		return option;
	}));
}

/* Nodes of a text that may break between words of names: after a punctuation
 * mark, and before a capital letter. */
export function breakable(text)
{
	const words = String(text).split(
		/(?<=[./:$,=_])(?=[^\s./:$,=_])|(?<=\p{Ll})(?=\p{Lu})/u);

	return words.flatMap((w, i) => i ? [make("wbr"), w] : [w]);
}

/* A colour with its meaning. */
export function makeChip(colour, text, className)
{
	const s = make("span", undefined, className);
	const i = make("i");

	i.style.background = colour;
	s.title = text;
	s.append(i, text);
	return s;
}

/* Whether the page is touched rather than pointed at. */
export const isTouched = () => matchMedia("(hover: none)").matches;

/* As style.css has it: where there is room for one thing at a time. */
export const isNarrow = () => matchMedia("(max-width: 700px)").matches;

/* A page from disk may have no storage. */
export function stored(key, value)
{
	try {
		if (value !== undefined)
			localStorage.setItem(`otprof-${key}`, value);
		return localStorage.getItem(`otprof-${key}`);
	} catch {
		return null;
	}
}

/* say: what is told of it */
export function copyText(text, say)
{
	const fail = () => say("The browser does not allow this page to copy.");

	if (navigator.clipboard)
		navigator.clipboard.writeText(text).then(() => say("copied"), fail);
	else
		fail();
}
