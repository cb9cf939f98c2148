// SPDX-License-Identifier: Apache-2.0
/* main.js: the html file, whose data are in the page. */
import { App } from "../lib/app.js";
import { PageSource } from "../lib/source.js";
import { FlameView } from "../lib/flame_view.js";
import { SandwichView } from "../lib/sandwich.js";
import { TreeView } from "../lib/call_tree.js";

globalThis.otprof = new App(
	new PageSource(JSON.parse(document.getElementById("data").textContent)),
	[FlameView, SandwichView, TreeView]);
globalThis.otprof.start();
