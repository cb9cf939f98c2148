// SPDX-License-Identifier: Apache-2.0
"use strict";
(() => {
	const byId = (id) => document.getElementById(id);
	const svg = document.documentElement;
	const width = svg.viewBox.baseVal.width;
	const frames = Array.from(byId("frames").children, (g) => {
		const rect = g.querySelector("rect");
		const title = g.querySelector("title").textContent;

		return {
			g, rect, title,
			label: g.querySelector("text"),
			name: title.slice(0, title.lastIndexOf(" (")),
			x: Number(rect.getAttribute("x")),
			y: Number(rect.getAttribute("y")),
			w: Number(rect.getAttribute("width")),
		};
	});
	const root = frames[0];
	let query = "";

	function fit(f, x, w)
	{
		const most = Math.floor((w - 6) / Number(svg.dataset.char));
		const points = Array.from(f.name);

		f.rect.setAttribute("x", x);
		f.rect.setAttribute("width", w);
		if (!f.label && most < 3)
			return;
		if (!f.label) {
			f.label = document.createElementNS(svg.namespaceURI,
							   "text");
			f.label.setAttribute("y", f.y + 12.5);
			f.g.append(f.label);
		}
		f.label.setAttribute("x", x + 3);
		f.label.textContent = most < 3 ? "" : points.length <= most ?
			f.name : `${points.slice(0, most - 2).join("")}..`;
	}

	/* Above the frame stand its callers, below it what it calls. */
	function zoom(to)
	{
		const by = (width - 20) / to.w;
		const slack = 0.02;

		for (const f of frames) {
			const isOver = f.x <= to.x + slack &&
				f.x + f.w >= to.x + to.w - slack;
			const isIn = f.x >= to.x - slack &&
				f.x + f.w <= to.x + to.w + slack;
			const isCaller = f.y < to.y;

			f.g.classList.toggle("caller", isCaller && isOver);
			f.g.style.display = (isCaller ? isOver : isIn) ? "" :
				"none";
			if (isCaller && isOver)
				fit(f, 10, width - 20);
			else if (isIn)
				fit(f, 10 + (f.x - to.x) * by, f.w * by);
		}
		byId("reset").style.display = to === root ? "none" : "";
	}

	/* What stands on another match counts once. */
	function matched(hits)
	{
		let sum = 0, end = -1;

		hits.sort((a, b) => a.x - b.x || b.w - a.w);
		for (const f of hits) {
			if (f.x + 0.02 < end)
				continue;
			sum += f.w;
			end = f.x + f.w;
		}
		return (100 * sum / root.w).toFixed(2);
	}

	function search(text)
	{
		let regex;

		query = text;
		try {
			regex = new RegExp(text, text === text.toLowerCase() ?
				"i" : "");
		} catch {
			byId("matched").textContent = "not a regular expression";
			return;
		}
		const hits = text ? frames.filter((f) => f !== root &&
						  regex.test(f.name)) : [];
		const lit = new Set(hits);

		for (const f of frames)
			f.g.classList.toggle("hit", lit.has(f));
		byId("matched").textContent = text ?
			`Matched: ${matched(hits)}%` : "";
		byId("search").textContent = text ? "Clear" : "Search";
	}

	function ask()
	{
		const text = query ? "" :
			prompt("Search for a regular expression");

		if (text !== null)
			search(text);
	}

	for (const f of frames) {
		f.g.addEventListener("click", () => zoom(f));
		f.g.addEventListener("mouseenter", () => {
			byId("detail").textContent = f.title;
		});
		f.g.addEventListener("mouseleave", () => {
			byId("detail").textContent = "";
		});
	}
	byId("search").addEventListener("click", ask);
	byId("reset").addEventListener("click", () => zoom(root));
	addEventListener("keydown", (e) => {
		if (e.key === "/" || ((e.ctrlKey || e.metaKey) && e.key === "f")) {
			e.preventDefault();
			query = "";
			ask();
		} else if (e.key === "Escape") {
			search("");
			zoom(root);
		}
	});
	for (const id of ["search", "reset"])
		byId(id).style.cursor = "pointer";
	byId("search").style.display = "";
})();
