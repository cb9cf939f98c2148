// SPDX-License-Identifier: Apache-2.0
//
// Imports files with the code of speedscope's own release and prints of each
// profile its name, unit and the sum of self weights:
//
//     node speedscope_import.js RELEASE-FOLDER FILE...
//
// The release is the app in one script. It is run as it is, but for its last
// statement, which would draw the page: in its place the module that imports
// files is handed out.
"use strict";
const fs = require("fs");
const path = require("path");

function loadImporter(folder) {
	const name = fs.readdirSync(folder).find((f) => /^speedscope-.*\.js$/.test(f));
	const text = fs.readFileSync(path.join(folder, name), "utf8");
	const module = /([\w$]+)=\{\};[\w$]+\(\1,\{importFromFileSystemDirectoryEntry:/.exec(text);
	if (!module)
		throw new Error("no module that imports files in " + name);
	const id = module[1].replace(/\$/g, "\\$");
	const init = new RegExp("then\\(\\(\\)=>\\(([\\w$]+\\(\\)),(" + id + ")\\)\\)").exec(text);
	const end = text.lastIndexOf("console.log(`speedscope v");
	if (!init || end < 0)
		throw new Error("no way into " + name);
	return text.slice(0, end) + "globalThis.importer=(" + init[1] + "," + init[2] + ");})();";
}

// The little of a browser that is looked at before anything is drawn.
function pretendBrowser() {
	const nothing = () => undefined;
	const element = { appendChild: nothing, setAttribute: nothing, style: {}, addEventListener: nothing };
	globalThis.window = globalThis;
	globalThis.location = { hash: "", href: "http://localhost/", protocol: "http:" };
	globalThis.matchMedia = () => ({ matches: false, addListener: nothing, addEventListener: nothing });
	globalThis.document = { body: element, head: element, createElement: () => element, addEventListener: nothing,
		createTextNode: () => element, getElementsByTagName: () => [], querySelector: () => null };
	globalThis.addEventListener = nothing;
	globalThis.requestAnimationFrame = nothing;
	globalThis.localStorage = { getItem: () => null, setItem: nothing };
}

function tell(profile) {
	let sum = 0;
	profile.forEachFrame((frame) => { sum += frame.getSelfWeight(); });
	console.info([profile.getName(), profile.getWeightUnit(), sum].join("\t"));
}

async function main(folder, files) {
	console.log = () => undefined; // its progress
	pretendBrowser();
	(0, eval)(loadImporter(folder));
	for (const file of files) {
		const bytes = fs.readFileSync(file);
		const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
		const group = await globalThis.importer.importProfilesFromArrayBuffer(path.basename(file), buffer);
		if (!group || !group.profiles.length)
			throw new Error(file + ": speedscope finds no profile");
		group.profiles.forEach(tell);
	}
}

main(process.argv[2], process.argv.slice(3)).catch((e) => {
	console.error(String(e && e.stack || e));
	process.exit(1);
});
