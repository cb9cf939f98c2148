// SPDX-License-Identifier: Apache-2.0
"use strict";

/* usage: tests/browser/run --pictures FILE...
 *
 * Takes a picture of every view of each profile, wide and as on a phone, in light
 * and dark, to look at: $BUILD/browser/pictures/FILE-VIEW-SIZE-THEME.png. Not a
 * test. */
const fs = require("node:fs");
const path = require("node:path");
const { WORK, settle, suite, until, view } = require("./harness.js");

const SIZES = { wide: { width: 1400, height: 900 },
		narrow: { width: 390, height: 844 } };
const THEMES = ["light", "dark"];
const FOLDER = path.join(WORK, "pictures");

const isDrawn = () => performance.getEntriesByName("otprof-drawn").length > 0;

/* Each view, and what is in its address. Differences are of two halves. */
function addresses(overview)
{
	const half = Math.round(overview.duration / 2);
	const timed = overview.types.some((type) => type.timed);
	const diff = timed ?
		`view=diff&from=${half}&before.to=${half}` : "view=diff";

	return { overview: "view=overview", flame: "view=flame",
		 table: "view=flame&table=1", sandwich: "view=sandwich",
		 tree: "view=tree", timeline: "view=timeline",
		 heatmap: "view=heatmap", diff };
}

async function take(t, file)
{
	const address = await view(file);
	const overview = await (await fetch(`${address}api/overview`)).json();
	const name = path.basename(file).replace(/\W+/g, "-");

	for (const [what, state] of Object.entries(addresses(overview)))
		for (const [size, viewport] of Object.entries(SIZES))
			for (const colorScheme of THEMES)
				await t.test(`${name}-${what}-${size}-${colorScheme}`,
					     `${address}#${state}`,
					     async (page) => {
					await until(page, isDrawn);
					await settle(page);
					await page.screenshot({ path: path.join(
						FOLDER, `${name}-${what}-${size}-` +
						`${colorScheme}.png`) });
				}, { viewport, colorScheme,
				     hasTouch: size === "narrow",
				     isMobile: size === "narrow" });
}

suite(async (t) => {
	fs.mkdirSync(FOLDER, { recursive: true });
	for (const file of process.argv.slice(2))
		await take(t, path.resolve(file));
});
