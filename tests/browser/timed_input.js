// SPDX-License-Identifier: Apache-2.0
"use strict";

/* Profiles with times, threads and spans, written as OTLP JSON; and what
 * otprof show --raw says of a file. */
const { execFileSync } = require("node:child_process");
const { OTPROF, write } = require("./harness.js");

const ORIGIN = 1767225600000000000n; /* 2026-01-01T00:00:00Z */

class Dictionary {
	constructor()
	{
		this.strings = [""];
		this.tables = { functionTable: [{}], locationTable: [{}],
				stackTable: [{}], attributeTable: [{}],
				linkTable: [{}], mappingTable: [{}] };
		this.ids = new Map([["", 0]]);
	}

	string(text)
	{
		return this.once(`s ${text}`, () => this.strings.push(text) - 1);
	}

	once(key, add)
	{
		if (!this.ids.has(key))
			this.ids.set(key, add());
		return this.ids.get(key);
	}

	row(table, row)
	{
		return this.once(`${table} ${JSON.stringify(row)}`,
				 () => this.tables[table].push(row) - 1);
	}

	/* names: outermost first */
	stack(names)
	{
		return this.row("stackTable", { locationIndices: [...names]
			.reverse().map((name) => this.row("locationTable", {
				lines: [{ functionIndex: this.row(
					"functionTable",
					{ nameStrindex: this.string(name) }) }] })) });
	}

	attribute(key, value)
	{
		return this.row("attributeTable", { keyStrindex: this.string(key),
			value: typeof value === "number" ?
				{ intValue: String(value) } :
				{ stringValue: value } });
	}

	json()
	{
		return { ...this.tables, stringTable: this.strings };
	}
}

/* Of a sample: stack, thread, tid, state, trace, span, values and times (in
 * nanoseconds from ORIGIN). */
function sampleJson(d, s)
{
	const attributes = [["thread.name", s.thread], ["thread.id", s.tid],
			    ["thread.state", s.state]]
		.filter(([, value]) => value !== undefined)
		.map(([key, value]) => d.attribute(key, value));
	const out = { stackIndex: d.stack(s.stack),
		      attributeIndices: attributes };

	if (s.times)
		out.timestampsUnixNano = s.times.map(
			(t) => String(ORIGIN + BigInt(t)));
	if (s.values)
		out.values = s.values.map(String);
	if (s.trace)
		out.linkIndex = d.row("linkTable",
				      { traceId: s.trace, spanId: s.span });
	return out;
}

/* profiles: type, unit, period (in nanoseconds of the CPU), samples */
function timedFile(name, profiles)
{
	const d = new Dictionary();
	const list = profiles.map((p) => ({
		sampleType: { typeStrindex: d.string(p.type),
			      unitStrindex: d.string(p.unit) },
		...(p.period ? { period: String(p.period), periodType: {
			typeStrindex: d.string("cpu"),
			unitStrindex: d.string("nanoseconds") } } : {}),
		timeUnixNano: String(ORIGIN),
		samples: p.samples.map((s) => sampleJson(d, s)),
	}));

	return write(name, JSON.stringify({
		resourceProfiles: [{
			resource: { attributes: [{ key: "service.name",
				value: { stringValue: "shop" } }] },
			scopeProfiles: [{ profiles: list }] }],
		dictionary: d.json() }));
}

/* The observations of a type: time from ORIGIN, value and thread. */
function observations(file, type)
{
	const out = [];

	for (const line of execFileSync(OTPROF, ["show", "--raw", file],
			{ maxBuffer: 1 << 29 }).toString().split("\n")) {
		const [, kind, values, times, , attributes] = line.split("\t");

		if (kind !== type || times === "-")
			continue;
		const thread = /thread\.name="((?:[^"\\]|\\.)*)"/.exec(attributes);
		const list = values === "-" ? [] : values.split(",").map(Number);

		times.split(",").forEach((t, i) => out.push({
			time: Number(BigInt(t) - ORIGIN),
			value: list.length ? list[i] : 1,
			thread: thread ? JSON.parse(`"${thread[1]}"`) : "" }));
	}
	return out;
}

module.exports = { ORIGIN, observations, timedFile };
