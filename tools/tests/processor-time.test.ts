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

test('lists the most expensive files first, 60 at most', () => {
  const alone = Array.from({ length: 70 }, (_, at) => ({
    task: { files: [`${at}.test.ts`] },
    ...{ wall: at, processor: at * 2, byFile: { [`${at}.test.ts`]: at } },
  }));
  const together = {
    task: { files: ['x.test.ts', 'y.test.ts'] },
    ...{ wall: 400, processor: 300, byFile: { 'x.test.ts': 200.4, 'y.test.ts': 1 } },
  };
  const lines = costTable([...alone, together]).split('\n');
  assert.equal(lines.length, 62);
  assert.deepEqual(lines.slice(2, 4), ['  200        x.test.ts', '  138    69  69.test.ts']);
  assert.match(costTotal([together], 50), /^processor time: 350 s, of those 50 s in the database/);
});
