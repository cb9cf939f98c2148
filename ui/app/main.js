// SPDX-License-Identifier: Apache-2.0
/* main.js: the page of otprof view, whose data come from its server. The server
 * has the files of ui/app at the root of the page and ui/lib below lib/. */
import { App } from "./lib/app.js";
import { ApiSource } from "./lib/api_source.js";
import { rangeWords, whereWords } from "./lib/filter_words.js";
import { openSource } from "./lib/source_text.js";
import { OverviewView } from "./lib/overview.js";
import { FlameView } from "./lib/flame_view.js";
import { SandwichView } from "./lib/sandwich.js";
import { TreeView } from "./lib/call_tree.js";
import { TimelineView } from "./lib/timeline.js";
import { HeatmapView } from "./lib/heatmap.js";
import { TimeChart } from "./lib/time_chart.js";
import { DiffView } from "./lib/diff_view.js";

globalThis.otprof = new App(new ApiSource(), [
	OverviewView, FlameView, SandwichView, TreeView, TimelineView,
	HeatmapView, DiffView], TimeChart);
globalThis.otprof.showSource = (name) => openSource(globalThis.otprof, name);
globalThis.otprof.words = { range: rangeWords, where: whereWords };
globalThis.otprof.start();
