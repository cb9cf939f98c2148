// SPDX-License-Identifier: Apache-2.0
/* timed.js: the html file with the times of observations, which has every view. */
import { App } from "../lib/app.js";
import { TimedPageSource } from "../lib/timed_source.js";
import { rangeWords, whereWords } from "../lib/filter_words.js";
import { OverviewView } from "../lib/overview.js";
import { FlameView } from "../lib/flame_view.js";
import { SandwichView } from "../lib/sandwich.js";
import { TreeView } from "../lib/call_tree.js";
import { TimelineView } from "../lib/timeline.js";
import { HeatmapView } from "../lib/heatmap.js";
import { TimeChart } from "../lib/time_chart.js";
import { DiffView } from "../lib/diff_view.js";

globalThis.otprof = new App(
	new TimedPageSource(JSON.parse(document.getElementById("data").textContent)),
	[OverviewView, FlameView, SandwichView, TreeView, TimelineView, HeatmapView,
	 DiffView], TimeChart);
globalThis.otprof.words = { range: rangeWords, where: whereWords };
globalThis.otprof.start();
