import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { demandOf, type Figures, figuresOf, scalingTable } from './scaling-figures.ts';

const figures: Figures = {
  nodeUs: 300,
  postgresUs: 100,
  workerTimes: 2,
  walBytes: 2_000,
  storedBytes: 1_000,
  archivedBytes: 500,
  customerBytes: 1_000,
};

test('counts a process per core that is 60 % busy', () => {
  assert.equal(demandOf(figures, 1e6, 1_000).processes, 1);
  assert.equal(demandOf(figures, 1e6, 4_000).processes, 2);
  assert.equal(demandOf(figures, 1e6, 4_001).processes, 3);
});

test('stays with one database until a machine is full, and names what fills it', () => {
  const small = demandOf({ ...figures, storedBytes: 0 }, 1e6, 90_000);
  assert.deepEqual([small.databases, small.limit], [1, 'processor time']);
  // From here on, each decision takes twice the time.
  const large = demandOf({ ...figures, storedBytes: 0 }, 1e6, 100_000);
  assert.deepEqual([large.databases, large.limit], [3, 'processor time']);
  const written = demandOf({ ...figures, storedBytes: 0, walBytes: 20_000 }, 1e6, 100_000);
  assert.deepEqual([written.databases, written.limit], [10, 'WAL']);
});

test('counts four months of rows and all customers against the disk', () => {
  // 1,000 decisions a second are 2,592,000,000 a month, of 1,000 bytes each.
  assert.deepEqual(demandOf(figures, 1e9, 1_000), {
    processes: 1,
    cores: 1,
    walBytesPerSecond: 2e6,
    databases: 2,
    limit: 'disk',
    storedBytesPerMonth: 2.592e12,
    archivedBytesPerMonth: 1.296e12,
    customerBytes: 1e12,
  });
});

test('reads every figure, and names a missing one', () => {
  const benchmarks = readFileSync(join(import.meta.dirname, '../../docs/benchmarks.md'), 'utf8');
  for (const [name, value] of Object.entries(figuresOf(benchmarks))) assert.ok(value > 0, name);
  assert.throws(() => figuresOf(benchmarks.replace('| WAL of a decision |', '| WAL |')), /no row for walBytes/);
});

test('shows a line per size', () => {
  const lines = scalingTable(figures).split('\n');
  assert.equal(lines.length, 2 + 9);
  assert.equal(lines[2], '| 10 M | 1,000 | 1 | 1 | 2.0 MB/s | 10 GB | 2.6 TB | 1.3 TB | 2 workers | disk |');
});
