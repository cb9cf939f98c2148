// SPDX-License-Identifier: Apache-2.0
// load.js SECONDS: timers, workers and files; exits with 1 if any result is
// wrong.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const { Worker, isMainThread, parentPort } = require('worker_threads');

function sum(n) {
	let all = 0;
	for (let i = 0; i < n; i++)
		all += i;
	return all;
}

if (!isMainThread) {
	parentPort.on('message', (n) => parentPort.postMessage(sum(n)));
} else {
	const end = Date.now() + 1000 * Number(process.argv[2]);
	const digest = crypto.createHash('sha1').update('x').digest('hex');
	const worker = new Worker(__filename);
	let wrong = 0;

	const over = () => {
		worker.terminate();
		console.log('wrong:', wrong || 'nothing');
		process.exitCode = wrong ? 1 : 0;
	};
	const step = () => {
		const again = crypto.createHash('sha1').update('x').digest('hex');
		const junk = Array.from({ length: 1000 }, (_, i) => [i]);

		wrong += again !== digest || junk[999][0] !== 999;
		fs.readFile(__filename, 'utf8', (err, text) => {
			wrong += !!err || !text.includes('again');
			worker.postMessage(100000);
		});
	};
	worker.on('message', (n) => {
		wrong += n !== 4999950000;
		if (Date.now() < end)
			setTimeout(step, 3);
		else
			over();
	});
	step();
}
