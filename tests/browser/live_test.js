// SPDX-License-Identifier: Apache-2.0
"use strict";

/* A recording in the browser while it runs: the page grows with it, keeps what
 * was chosen, and has all of it in the end. */
const path = require("node:path");
const { WORK, canRecord, hasView, is, json, press, ready, serve, settle, suite,
	text, until } = require("./harness.js");

const BUSY = "end=$((SECONDS + 4)); while [ $SECONDS -lt $end ]; do :; done";
const file = path.join(WORK, "live.otlp");

async function grows(page)
{
	await until(page, () => otprof.overview?.types.length > 0);
	await ready(page);
	is("the mark", await text(page, "live"), "live");
	await page.locator("#tab-tree").click();
	await settle(page);
	await press(page, "i");
	const length = await page.evaluate(() => otprof.overview.duration);

	await until(page, (before) => otprof.overview.duration > before, length);
	is("the view", new URL(page.url()).hash, "#inverted=1&view=tree");
	for (let i = 0; i < 4 && await page.locator("#live").isVisible(); i++)
		await until(page, () => !otprof.overview.live).catch(() => {});
	is("the mark", await page.locator("#live").isVisible(), false);
	await settle(page);
	is("total", await page.evaluate(async () =>
		(await otprof.flame()).info.total), json("top", "--json", file).total);
}

suite(async (t) => {
	if (!hasView() || !canRecord()) {
		console.log("skip browser/live: nothing can be recorded here");
		return;
	}
	await t.test("live", await serve("record", "--view", "-F", "199",
		"-o", file, "--", "bash", "-c", BUSY), grows);
});
