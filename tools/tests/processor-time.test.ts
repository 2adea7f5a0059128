import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { costTable, costTotal, createChildClock } from './processor-time.ts';

const stat = (user: number, system: number) =>
  `7 (a (odd) name) S 1 7 7 0 -1 4194304 1 2 3 4 500 600 ${user} ${system} 20 0 11 0 99 1 2`;

test('counts the processor time of ended children since the last call', () => {
  const lines = [stat(100, 50), stat(250, 75), stat(250, 75)];
  const childClock = createChildClock(() => lines.shift() ?? null);
  assert.equal(childClock(), 1.75);
  assert.equal(childClock(), 0);
  assert.equal(childClock(), null);
});

test('reads the time of a real child', { skip: !existsSync('/proc/self/stat') }, () => {
  const childClock = createChildClock();
  const busy = 'const end = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < end);';
  spawnSync(process.execPath, ['-e', busy]);
  const spent = childClock();
  assert.ok(spent !== null && spent >= 0.25, String(spent));
});

test('lists the most expensive tasks first, 40 at most', () => {
  const costs = Array.from({ length: 50 }, (_, at) => ({
    task: { files: at === 49 ? ['x.test.ts', 'y.test.ts'] : [`${at}.test.ts`] },
    wall: at,
    processor: at * 2,
  }));
  const lines = costTable(costs).split('\n');
  assert.equal(lines.length, 42);
  assert.equal(lines[2], '   98    49  x.test.ts and 1 more');
  assert.equal(costTotal(costs, 50), 'processor time: 2500 s, of those 50 s in the database that the tests share');
});
