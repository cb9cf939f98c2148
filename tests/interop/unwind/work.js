// SPDX-License-Identifier: Apache-2.0
// Compiled code, builtins, regular expressions and garbage: for stacks of node.
function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

class Keep {
  constructor() {
    this.map = new Map();
  }

  add(i) {
    this.map.set("k" + (i % 100), { v: i, a: [i, i + 1] });
    return JSON.stringify([...this.map.values()]).length;
  }
}

const keep = new Keep();
let sum = 0;
for (let i = 0; i < 1e7; i++) {
  sum += fib(12) + keep.add(i);
  sum += [3, 1, 2, i % 7].sort((a, b) => a - b).map((x) => x * 2)[0];
  "abc def".replace(/d(.)f/, "$1");
}
