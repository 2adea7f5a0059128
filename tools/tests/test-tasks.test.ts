import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureReport, filesInTurn, sumSummaries, tasksOf } from './test-tasks.ts';

const named = (count: number) => Array.from({ length: count }, (_, at) => `packages/a/${at + 10}.test.ts`);

test('shares processes between up to 16 files', () => {
  const sizes = (count: number) => tasksOf(named(count), () => '').map((task) => task.files.length);
  assert.deepEqual(sizes(0), []);
  assert.deepEqual(sizes(16), [16]);
  assert.deepEqual(sizes(17), [16, 1]);
});

test('files in turns run once per round, evenly spread; others run in every turn', () => {
  const files = named(20);
  const textOf = (file: string) =>
    /[02468]\.test/.test(file) ? '// Runs in one of 3 turns: the parts have tests of their own.\n' : '';
  const before = { ...process.env };
  delete process.env.TEST_FORM;
  try {
    const turns = [7, 8, 9].map((turn) => {
      process.env.TEST_TURN = String(turn);
      return filesInTurn(files, textOf);
    });
    assert.deepEqual(turns.map(({ length }) => length).toSorted(), [13, 13, 14]);
    const always = files.filter((file) => textOf(file) === '');
    for (const turn of turns)
      assert.deepEqual(
        always.filter((file) => !turn.includes(file)),
        [],
      );
    assert.deepEqual(
      turns
        .flat()
        .filter((file) => textOf(file) !== '')
        .toSorted(),
      files.filter((file) => textOf(file) !== ''),
    );
    process.env.TEST_FORM = 'long';
    assert.equal(filesInTurn(files, textOf).length, files.length);
  } finally {
    for (const name of ['TEST_FORM', 'TEST_TURN']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
});

test('files without databases share other processes, 24 at most', () => {
  const files = ['test/a/one.test.ts', ...named(26)];
  const fast = new Set(['test/a/one.test.ts', ...named(25)]);
  const tasks = tasksOf(files, () => '', fast).map((task) => task.files);
  assert.deepEqual(tasks[0], ['packages/a/35.test.ts']);
  assert.deepEqual(
    tasks.slice(1).map(({ length }) => length),
    [24, 2],
  );
});

test("suites don't share with files next to sources, and start before them", () => {
  const files = ['packages/a/one.test.ts', 'tools/two.test.ts', 'test/a/three.test.ts', './test/b/four.test.ts'];
  assert.deepEqual(
    tasksOf(files, () => '').map((task) => task.files),
    [
      ['./test/b/four.test.ts', 'test/a/three.test.ts'],
      ['packages/a/one.test.ts', 'tools/two.test.ts'],
    ],
  );
});

test("files that can't share run alone, and start first", () => {
  const texts: Record<string, string> = {
    'packages/a/each.test.ts': "import x from 'y';\nbeforeEach(() => {});\n",
    'packages/a/own.test.ts': '// Runs in a process of its own: it measures memory.\n',
    'packages/a/one.test.ts': "describe('x', () => {\n  beforeEach(() => {});\n});\n",
    'packages/a/two.test.ts': '// It says: "Runs in a process of its own" somewhere else.\n',
    'test/journeys/three.test.ts': '',
    './test/faults/four.test.ts': '',
  };
  assert.deepEqual(
    tasksOf(Object.keys(texts), (file) => texts[file] ?? '').map((task) => task.files),
    [
      ['packages/a/each.test.ts'],
      ['packages/a/own.test.ts'],
      ['test/journeys/three.test.ts'],
      ['./test/faults/four.test.ts'],
      ['packages/a/one.test.ts', 'packages/a/two.test.ts'],
    ],
  );
});

test('adds up the closing lines; a process without them adds nothing', () => {
  const output = (pass: number, fail: number, cancelled: number) =>
    `✔ a test\n  ℹ pass 99\nℹ tests ${pass + fail + cancelled}\nℹ suites 1\nℹ pass ${pass}\n\u001b[34mℹ fail ${fail}\u001b[39m\nℹ cancelled ${cancelled}\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 1\n`;
  assert.equal(
    sumSummaries([output(3, 0, 0), 'killed', output(4, 1, 2)]),
    'ℹ tests 10\nℹ suites 2\nℹ pass 7\nℹ fail 1\nℹ cancelled 2\nℹ skipped 0\nℹ todo 0\n7 passed, 3 failed\n',
  );
});

test('the report of a failed process has the last step of its journeys and the errors, and nothing else', () => {
  const state = 'ℹ where it stood\nhttp://localhost/offers\n  heading: Offers\n';
  const output = `✔ opens\n✖ saves\n${state}✔ closes\nℹ tests 3\n\n✖ failing tests:\n\ntest at a.test.ts:4:1\n✖ saves\n  Error: no\n`;
  assert.equal(
    failureReport(output),
    '  ℹ where it stood\n  http://localhost/offers\n    heading: Offers\n  test at a.test.ts:4:1\n  ✖ saves\n    Error: no\n',
  );
  assert.equal(failureReport('killed'), '');
});
