// SPDX-License-Identifier: Apache-2.0
/* state.js: the whole view as a plain object of texts, kept in the fragment of
 * the address. An absent key is the default. Several values of one key, such
 * as two focuses, are lines of its text. */

export class State {
	/* onChange is called after the address has changed by the back button
	 * or by hand. */
	constructor(onChange)
	{
		this.values = {};
		this.read();
		addEventListener("popstate", () => {
			const before = this.text();

			this.read();
			if (this.text() !== before)
				onChange();
		});
	}

	read()
	{
		const parts = new URLSearchParams(location.hash.slice(1));

		this.values = {};
		for (const key of new Set(parts.keys()))
			if (/^[a-z][a-z_.]*$/.test(key))
				this.values[key] = parts.getAll(key).join("\n");
	}

	text()
	{
		const parts = new URLSearchParams();

		for (const key of Object.keys(this.values).sort())
			for (const line of this.values[key].split("\n"))
				parts.append(key, line);
		return parts.toString();
	}

	/* Changes some keys; those that become "" go. */
	change(changes, replace)
	{
		if (this.keep(changes))
			this.write(replace);
	}

	/* The same, but the address has them only after write() or the next
	 * change: browsers allow it to be written some times per second. */
	keep(changes)
	{
		const before = this.text();

		for (const [key, value] of Object.entries(changes)) {
			if (value === "" || value === null ||
			    value === undefined || value === false)
				delete this.values[key];
			else
				this.values[key] = value === true ? "1" :
					String(value);
		}
		return this.text() !== before;
	}

	write(replace)
	{
		const text = this.text();
		const address = text ? `#${text}` :
			location.pathname + location.search;

		try {
			if (replace)
				history.replaceState(null, "", address);
			else
				history.pushState(null, "", address);
		} catch {
			/* Some browsers allow none for a file. */
		}
	}
}

/* --- lists in a key --- */

export function linesOf(text)
{
	return text ? text.split("\n") : [];
}

export function withLine(text, line)
{
	const list = linesOf(text);

	if (line && !list.includes(line))
		list.push(line);
	return list.join("\n");
}

export function withoutLine(text, line)
{
	return linesOf(text).filter((l) => l !== line).join("\n");
}
