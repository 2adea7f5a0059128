import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { createLogger, terminalLine } from './logger.ts';

const module = new URL('./logger.ts', import.meta.url).href;

/** Lines that a process with the standard logger leaves behind, however it ends. */
function linesOf(body: string): Record<string, unknown>[] {
  const source = `import { createLogger } from ${JSON.stringify(module)}; const log = createLogger('info'); ${body}`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
  const { stdout, stderr, status, signal, error } = run;
  // A process that couldn't start says why there.
  assert.notEqual(stdout, '', `no output, status ${status}, signal ${signal}, ${error?.message ?? stderr}`);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const thousand = 'for (let i = 0; i < 1000; i++) log.info({ i }, "line");';
const inOrder = Array.from({ length: 1000 }, (_, i) => i);

for (const [name, end] of Object.entries({
  'comes to its end': '',
  exits: 'process.exit(0);',
  throws: 'throw new Error("on purpose");',
})) {
  test(`writes every line, in order, for a process that ${name}`, () => {
    assert.deepEqual(
      linesOf(`${thousand} ${end}`).map((line) => line.i),
      inOrder,
    );
  });
}

test('writes a fatal line before the call returns', () => {
  const lines = linesOf(`${thousand} log.fatal("last"); process.kill(process.pid, "SIGKILL");`);
  assert.equal(lines.length, 1001);
  assert.equal(lines.at(-1)?.msg, 'last');
});

test("a single line doesn't wait for others", () => {
  const lines = linesOf('log.info("alone"); setTimeout(() => process.kill(process.pid, "SIGKILL"), 1000);');
  assert.equal(lines.length, 1);
});

test('the time of a line is an ISO instant in milliseconds', (t) => {
  const lines: string[] = [];
  const log = createLogger('info', { write: (line) => lines.push(line) });
  const instants = [0, 7, 999, 1000, 1_795_215_599_042, 1_795_215_599_999, 1_795_215_600_000];
  t.mock.timers.enable({ apis: ['Date'] });
  for (const at of instants) {
    t.mock.timers.setTime(at);
    log.info('now');
  }
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).time),
    instants.map((at) => new Date(at).toISOString()),
  );
});

test('a terminal shows lines without JSON, and stacks on request only', () => {
  const line = JSON.stringify({
    level: 'warn',
    time: '2026-11-23T10:20:30.400Z',
    step: 'database',
    err: { name: 'Error', code: 'ECONNREFUSED', stack: ['at here'] },
    msg: 'waiting for the database',
  });
  assert.equal(
    terminalLine(line, false),
    '10:20:30 warn database: waiting for the database err={"name":"Error","code":"ECONNREFUSED"}\n',
  );
  assert.match(terminalLine(line, true), /at here/);
  assert.equal(
    terminalLine('{"level":"info","time":"2026-11-23T10:20:30.400Z","msg":"stopping"}', false),
    '10:20:30: stopping\n',
  );
});
