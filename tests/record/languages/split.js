// SPDX-License-Identifier: Apache-2.0
// Spends CPU time in a known way: 60, 30 and 10 % in three functions.
"use strict";

let sink = 0;

function work(n) {
	let sum = sink;

	for (let i = 0; i < n; i++)
		sum = (Math.imul(sum, 31) + (i ^ (sum >> 7))) | 0;
	sink = sum;
}

function sixty() {
	work(600000);
	sink++;
}

function thirty() {
	work(300000);
	sink++;
}

function ten() {
	work(100000);
	sink++;
}

function round() {
	sixty();
	thirty();
	ten();
	sink++;
}

function run(seconds) {
	const end = performance.now() + 1000 * seconds;

	while (performance.now() < end)
		round();
}

run(1);
console.log("ready");
run(Number(process.argv[2]));
