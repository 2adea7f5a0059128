import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import type { Failure } from './failure-reporter.ts';
import { reasonsToRunAgain } from './second-runs.ts';

const failure = (over: Partial<Failure>): Failure => ({
  name: 'a test',
  failureType: 'testCodeFailure',
  errorName: 'Error',
  code: '',
  message: 'it broke',
  actual: null,
  ...over,
});
const late = failure({ code: 'TEST_DEADLINE', message: 'no leader within 20000 ms' });
const busy = failure({ code: 'ERR_ASSERTION', errorName: 'AssertionError', actual: 503 });
const failed = (file: string, ...failures: Failure[]) => ({ task: { files: [file] }, failures });
const faults = 'test/faults/stop.test.ts';

test('our own deadline and a 503 allow a second run, and name their reason', () => {
  const tasks = [
    failed(faults, late),
    failed('./test/journeys/console/axe.test.ts', busy, failure({ errorName: 'TimeoutError' })),
  ];
  assert.deepEqual(
    [...(reasonsToRunAgain(tasks)?.values() ?? [])],
    ['deadline: no leader within 20000 ms', '503: a test; deadline: it broke'],
  );
});

test('a failed assertion about anything else never does, alone or with a deadline', () => {
  const exceeded = failure({ code: 'ERR_ASSERTION', message: 'cap exceeded: 11 of 10', actual: 11 });
  assert.equal(reasonsToRunAgain([failed(faults, exceeded)]), null);
  assert.equal(reasonsToRunAgain([failed(faults, late, exceeded)]), null);
  assert.equal(reasonsToRunAgain([failed(faults, late), failed('test/faults/cap-race.test.ts', exceeded)]), null);
});

test('a test that never ended, a crash and files of other suites never do', () => {
  assert.equal(reasonsToRunAgain([failed(faults, failure({ failureType: 'testTimeoutFailure' }))]), null);
  assert.equal(reasonsToRunAgain([failed(faults)]), null);
  assert.equal(reasonsToRunAgain([failed('test/tenancy/isolation.test.ts', late)]), null);
  assert.equal(reasonsToRunAgain([failed('packages/x/test/faults/a.test.ts', late)]), null);
  assert.equal(reasonsToRunAgain(Array.from({ length: 7 }, () => failed(faults, late))), null);
});

test('the reporter distinguishes deadlines, statuses and assertions of a real run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-second-runs-'));
  try {
    const deadline = JSON.stringify(resolve('test/deadline.ts'));
    const source = `
      import assert from 'node:assert/strict';
      import { describe, it } from 'node:test';
      import { assertInTime } from ${deadline};
      describe('suite', () => {
        it('late', () => assertInTime(false, 'too late'));
        it('busy', () => assert.equal(503, 200));
        it('wrong', () => assert.equal(11, 10, 'cap exceeded'));
        it('right', () => undefined);
      });`;
    const [file, report] = [join(folder, 'x.test.ts'), join(folder, 'report.jsonl')];
    writeFileSync(file, source);
    const reporter = ['--test-reporter=./tools/tests/failure-reporter.ts', `--test-reporter-destination=${report}`];
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    spawnSync(process.execPath, ['--test', '--test-isolation=none', ...reporter, file], { env });
    const failures = readFileSync(report, 'utf8')
      .trim()
      .split('\n')
      .map((line): Failure => JSON.parse(line));
    assert.deepEqual(
      failures.map(({ name, code, actual }) => [name, code, actual]),
      [
        ['late', 'TEST_DEADLINE', null],
        ['busy', 'ERR_ASSERTION', 503],
        ['wrong', 'ERR_ASSERTION', 11],
      ],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
