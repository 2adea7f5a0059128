import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

/** Runs test files with these texts and returns the exit code, the output and the names of the failures. */
function runTexts(...texts: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-test-process-'));
  try {
    const files = texts.map((text, at) => {
      const file = join(folder, `${at}.mjs`);
      writeFileSync(file, `import { before, describe, it, test } from 'node:test';\n${text}`);
      return file;
    });
    const report = join(folder, 'report.jsonl');
    const program = join(import.meta.dirname, 'test-process.ts');
    const { status, stdout } = spawnSync(
      process.execPath,
      [program, report, join(folder, 'costs.json'), '10000', ...files],
      { encoding: 'utf8' },
    );
    const lines = readFileSync(report, 'utf8').split('\n').slice(0, -1);
    const timed = Object.keys(JSON.parse(readFileSync(join(folder, 'costs.json'), 'utf8')));
    return { status, stdout, failures: lines.map((line): unknown => JSON.parse(line).name), timed: timed.length };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const passing = `
  let ready = false;
  before(async () => { ready = await true; });
  describe('a suite', () => it('runs', () => { if (!ready) throw new Error('before its hook'); }));`;

test('runs the tests of every file after their hooks', () => {
  const { status, stdout, failures, timed } = runTexts(passing, passing);
  assert.deepEqual([status, failures, timed], [0, [], 2], stdout);
  assert.match(stdout, /▶ a suite\n {2}✔ runs/);
  assert.match(stdout, /^ℹ pass 2$/m);
});

test('reports a failed test and runs the others', () => {
  const { status, stdout, failures } = runTexts(`test('fails', () => { throw new Error('this'); });`, passing);
  assert.deepEqual([status, failures], [1, ['fails']]);
  assert.match(stdout, /^ℹ pass 1$/m);
  assert.match(stdout, /✖ failing tests:/);
});

test('fails when a file has no tests because it throws', () => {
  assert.equal(runTexts(`throw new Error('no tests');`, passing).status, 1);
});

for (const [what, text] of [
  ['a rejection that nothing handles', 'Promise.reject(new Error("unhandled"));'],
  ['an error in a timer', 'setTimeout(() => { throw new Error("unhandled"); });'],
] as const) {
  test(`fails for ${what}`, () => {
    const { status, stdout } = runTexts(`
      test('waits', async () => { await null; ${text} await new Promise((done) => setTimeout(done, 50)); });`);
    assert.equal(status, 1, stdout);
    assert.match(stdout, /unhandled/);
  });
}
