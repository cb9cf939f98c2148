// SPDX-License-Identifier: Apache-2.0
"use strict";

/* What tests of pages share. A test is a name and a function of an open page;
 * any message on its console fails it too, and so does a request to anywhere
 * but the page's own server.
 *
 *	suite(async (t) => {
 *		await t.test("name", address, async (page) => { ... });
 *	});
 */
const { execFileSync, spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { chromium } = require("playwright-core");

const { OTPROF, CHROMIUM, WORK } = process.env;
const ROW = 20; /* of a flame graph, pixels */

/* --- inputs --- */

const HEAD = (type, unit) => `# otprof type=${type} unit=${unit}\n`;

function write(name, text)
{
	const file = path.join(WORK, name);

	fs.writeFileSync(file, text);
	return file;
}

function convert(from, to, ...options)
{
	const out = path.join(WORK, to);

	execFileSync(OTPROF, ["convert", ...options, ...from, "-o", out],
		     { stdio: ["ignore", "ignore", "ignore"] });
	return out;
}

/* What a command answers as JSON. */
function json(...args)
{
	return JSON.parse(execFileSync(OTPROF, args, {
		maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));
}

const hasView = () => spawnSync(OTPROF, ["view", "--help"]).status === 0;
const canRecord = () => spawnSync(OTPROF, ["record", "--", "true"]).status === 0;

/* --- otprof view --- */

const servers = [];

/* The address of the page of a command. */
function serve(...args)
{
	/* record always opens one: here a command that does nothing. */
	const run = spawn(OTPROF, args, { stdio: ["ignore", "pipe", "pipe"],
					  env: { ...process.env, BROWSER: "true" } });
	let said = "";

	servers.push(run);
	return new Promise((resolve, reject) => {
		const hear = (part) => {
			said += part;
			const found = /http:\/\/\S+/.exec(said);

			if (found && said.indexOf("\n", found.index) >= 0)
				resolve(found[0]);
		};

		run.stdout.on("data", hear);
		run.stderr.on("data", hear);
		run.on("exit", (code) => reject(new Error(
			`otprof ${args[0]} ended with ${code}: ${said}`)));
	});
}

/* The address of a server of these files. */
const view = (...args) => serve("view", "--no-browser", ...args);

/* --- pages --- */

function is(what, got, want)
{
	const same = want instanceof RegExp ? want.test(got) : got === want;

	if (!same)
		throw new Error(`${what} is ${JSON.stringify(got)}, not ${want}`);
}

function isNear(what, got, want, slack)
{
	if (!(Math.abs(got - want) <= slack))
		throw new Error(`${what} is ${got}, not ${want} +- ${slack}`);
}

const asked = new WeakMap(); /* requests without an answer, by page */

/* After what was done last: until the page has all answers it waits for, and has
 * drawn them; at most some seconds, as a live page never stops to ask. ms: how
 * long the page waits before it asks. */
async function settle(page, ms = 80)
{
	const end = Date.now() + 5000;

	await page.waitForTimeout(ms);
	do {
		await page.evaluate(() => new Promise((done) =>
			requestAnimationFrame(() => requestAnimationFrame(done))));
	} while (asked.get(page).size && Date.now() < end);
}

const text = (page, id) => page.locator(`#${id}`).innerText();

async function press(page, ...keys)
{
	for (const key of keys)
		await page.keyboard.press(key);
	await settle(page);
}

/* Until a condition of the page holds. Playwright's own way of waiting needs a
 * policy that allows eval(). */
async function until(page, condition, ...args)
{
	for (let i = 0; i < 750; i++) {
		if (await page.evaluate(condition, ...args))
			return;
		await page.waitForTimeout(20);
	}
	throw new Error(`never came true: ${condition}`.split("\n")[0]);
}

const ready = (page) => until(page, () => Boolean(globalThis.otprof?.view?.data));

/* What Export gives. */
async function saved(page, row)
{
	await page.locator("#export").click();
	const [file] = await Promise.all([
		page.waitForEvent("download"),
		page.locator(".menu [role=menuitem]", { hasText: row }).click()]);

	await settle(page);
	return fs.readFileSync(await file.path());
}

class Tests {
	constructor(browser)
	{
		this.browser = browser;
		this.failed = 0;
	}

	async test(name, address, run, options = {})
	{
		const url = address.startsWith("/") ? `file://${address}` : address;
		const context = await this.browser.newContext({
			reducedMotion: "reduce",
			viewport: { width: 1200, height: 700 }, ...options });
		const page = await context.newPage();
		const said = [];
		const own = /^https?:/.test(url) ? new URL(url).origin : "file:";

		asked.set(page, new Set());
		page.on("request", (r) => r.resourceType() !== "eventsource" &&
			asked.get(page).add(r));
		for (const end of ["requestfinished", "requestfailed"])
			page.on(end, (r) => asked.get(page).delete(r));
		page.on("console", (m) => said.push(m.text()));
		page.on("pageerror", (e) => said.push(e.message));
		page.on("request", (r) => {
			if (!/^(blob|data):/.test(r.url()) &&
			    !r.url().startsWith(own))
				said.push(`a request of ${r.url()}`);
		});
		try {
			await page.goto(url);
			await settle(page);
			await run(page, context);
			is("the console", said.join("; "), "");
			console.log(`ok browser/${name}`);
		} catch (e) {
			this.failed++;
			console.log(`not ok browser/${name}: ${
				e.message.split("\n")[0]}`);
			await page.screenshot({ path: path.join(
				WORK, `failed-${name.replace(/\W+/g, "-")}.png`) });
		}
		await context.close();
	}
}

async function suite(run)
{
	const browser = await chromium.launch({
		executablePath: CHROMIUM,
		args: ["--headless", "--no-sandbox", "--disable-gpu",
		       "--disable-quic", "--no-first-run",
		       "--disable-background-networking",
		       "--disable-component-update", "--disable-sync"],
	});
	const t = new Tests(browser);

	try {
		await run(t);
	} catch (e) {
		t.failed++;
		console.log(`not ok browser: ${e.message.split("\n")[0]}`);
	}
	await browser.close();
	for (const server of servers) {
		server.removeAllListeners("exit");
		server.kill();
	}
	process.exitCode = t.failed ? 1 : 0;
}

module.exports = { HEAD, OTPROF, ROW, WORK, canRecord, convert, hasView, is,
		   isNear, json, press, ready, saved, serve, settle, suite, text, until,
		   view, write };
