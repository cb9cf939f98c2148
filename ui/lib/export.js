// SPDX-License-Identifier: Apache-2.0
/* export.js: what is shown, as a file: pictures made here, data by the server,
 * or as folded stacks where there is none. */
import { make, copyText } from "./dom.js";
import { percent, valueText } from "./text.js";
import { openMenu } from "./menu.js";

const TOP = 44; /* pixels for the title of a picture */
const MAX_TALL = 16000; /* what browsers make images of */
/* The name of SVG; no address that anything is loaded from. */
const NAMESPACE = ["http", "//www.w3.org/2000/svg"].join(":");

export function openExport(app, button)
{
	const box = button.getBoundingClientRect();
	const rows = [];

	if (app.view.pictures?.().length)
		rows.push(["Image of the view (SVG)", () => saveSvg(app)],
			  ["Image of the view (PNG)", () => savePng(app)], null);
	else if (app.view.canvas?.width > 1)
		rows.push(["Image of what is in sight (PNG)",
			   () => saveSight(app)], null);
	rows.push(...dataRows(app), null,
		  ["Copy the address of the view", () => copyText(
			  location.href, (text) => app.hint(text))]);
	openMenu(box.right - 250, box.bottom + 4, rows, "Export");
}

function dataRows(app)
{
	const { source } = app;

	if (!source.download)
		return [["Folded stacks", () => saveFolded(app)]];
	return [["pprof", "pprof"], ["folded", "Folded stacks"],
		["html", "Page in one file (html)"], ["otlp", "OTLP"]]
		.filter(([name]) => app.overview.formats.some(
			(f) => f.name === name))
		.map(([name, text]) => [text, () => saveData(
			app, source.download(name, app.view.exported?.() ||
					     app.selection()))]);
}

async function saveData(app, address)
{
	try {
		const { blob, name, note } = await app.source.file(address);

		save(blob, name);
		app.hint(note ? `Saved, but ${note}` : "Saved");
	} catch (e) {
		app.fail(e);
	}
}

function saveAs(app, blob, ending)
{
	const base = (app.overview.title || "profile")
		.replace(/[^\w.-]+/g, "-").slice(0, 60);

	save(blob, `${base}-${app.type().type || "view"}.${ending}`);
}

function save(blob, name)
{
	const link = make("a");

	link.href = URL.createObjectURL(blob);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/* --- folded stacks --- */

function saveFolded(app)
{
	const clean = (name) => name.replace(/[;\n]/g, "_");

	app.source.flame(app.view.exported?.() || app.selection()).then((data) => {
		const t = data.tree();
		const names = data.frames.name.map(clean);
		const path = [];
		const lines = [];

		for (let i = 1; i < t.n; i++) {
			path.length = t.depth[i] - 1;
			path.push(names[t.frame[i]]);
			if (t.self[i])
				lines.push(`${path.join(";")} ${t.self[i]}\n`);
		}
		saveAs(app, new Blob(lines, { type: "text/plain" }), "folded");
	});
}

/* --- pictures --- */

function pictureTitle(app, view)
{
	const { info } = view.data;

	return `${app.overview.title} \u2013 ${app.type().type}, ` +
		valueText(info.total, info.unit);
}

/* The canvases of a view, each as tall as its tree, one below the other. */
function layPictures(app)
{
	let y = TOP;
	const parts = app.view.pictures().map((view) => {
		const part = { view, y, tall: view.tallOf() };

		y += part.tall + 8;
		return part;
	});

	return { parts, tall: y, width: parts[0].view.width };
}

/* An empty picture with a title, ratio pixels of it per pixel of the page. */
function newPicture(title, width, tall, ratio)
{
	const canvas = make("canvas");
	const ctx = canvas.getContext("2d");
	const style = getComputedStyle(document.documentElement);

	canvas.width = width * ratio;
	canvas.height = Math.min(MAX_TALL, tall * ratio);
	ctx.scale(ratio, ratio);
	ctx.fillStyle = style.getPropertyValue("--bg");
	ctx.fillRect(0, 0, width, tall);
	ctx.fillStyle = style.getPropertyValue("--fg");
	ctx.font = "600 15px system-ui, 'DejaVu Sans', sans-serif";
	ctx.fillText(title, 8, 27);
	return ctx;
}

function savePng(app)
{
	const { parts, tall, width } = layPictures(app);
	const ctx = newPicture(pictureTitle(app, parts[0].view), width, tall,
			       2 * tall > MAX_TALL ? 1 : 2);

	for (const { view, y, tall: height } of parts) {
		ctx.save();
		ctx.translate(0, y);
		view.paintOn(ctx, { width, height, top: 0, tall: height });
		ctx.restore();
	}
	ctx.canvas.toBlob((blob) => saveAs(app, blob, "png"));
}

/* The canvas of a view as it is. */
function saveSight(app)
{
	const { canvas } = app.view;
	const width = canvas.clientWidth, tall = canvas.clientHeight;
	const { title } = app.view.constructor;
	const ctx = newPicture(`${app.overview.title} \u2013 ${app.type().type}, ` +
		title.toLowerCase(), width, TOP + tall, canvas.width / width);

	ctx.drawImage(canvas, 0, TOP, width, tall);
	ctx.canvas.toBlob((blob) => saveAs(app, blob, "png"));
}

function xml(text)
{
	/* What XML has no way to write is left out. */
	return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "")
		.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;",
					      ">": "&gt;", "\"": "&quot;" })[c]);
}

function saveSvg(app)
{
	const { parts, tall, width } = layPictures(app);
	const style = getComputedStyle(document.documentElement);
	const out = [
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
		`<svg xmlns="${NAMESPACE}" width="${width}" height="${tall}" `,
		`viewBox="0 0 ${width} ${tall}" font-size="12" `,
		"font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n",
		`<rect width="100%" height="100%" fill="${
			style.getPropertyValue("--bg")}"/>\n`,
		`<text x="8" y="27" font-size="15" font-weight="600" fill="${
			style.getPropertyValue("--fg")}">`,
		xml(pictureTitle(app, parts[0].view)), "</text>\n",
	];

	for (const part of parts)
		svgFrames(app, part, out);
	out.push("</svg>\n");
	saveAs(app, new Blob(out, { type: "image/svg+xml" }), "svg");
}

function svgFrames(app, { view, y: top, tall }, out)
{
	const { info, frames } = view.data;
	const t = view.tree;

	view.eachBox({ width: view.width, height: tall, top: 0, tall }, (i, b) => {
		const f = t.frame[i];
		const name = f < 0 ? "all" : frames.name[f];
		const label = view.fitted(i, b.w - 9);

		out.push(`<g><title>${xml(name)} (${
			xml(valueText(t.total[i], info.unit))}, ${
			percent(t.weight[i], t.weight[0])})</title>`,
		`<rect x="${b.x.toFixed(1)}" y="${top + b.y + 1}" width="${
			b.w.toFixed(1)}" height="${b.h}" fill="${view.fill(i)}"/>`);
		if (label)
			out.push(`<text x="${(b.x + 5).toFixed(1)}" y="${
				top + b.y + 15}" fill="${view.ink()}">${
				xml(label)}</text>`);
		out.push("</g>\n");
	});
}
