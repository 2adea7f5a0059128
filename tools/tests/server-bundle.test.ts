import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bundleServer, hooksOption } from './server-bundle.ts';

const root = join(import.meta.dirname, '../..');
const addressOf = (path: string): string => pathToFileURL(join(root, path)).href;
let bundle: string;
before(async () => {
  bundle = await bundleServer();
});

/** Runs node with the hooks and without what the runner of this test passes. Returns what it printed. */
function run(hooks: readonly string[], ...args: readonly string[]): string {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { stdout, stderr, status } = spawnSync(process.execPath, [...hooks, ...args], { encoding: 'utf8', env });
  assert.equal(status, 0, stderr);
  return stdout;
}

test('programs, processes and threads come from the bundle, their parts from the source', () => {
  const threads = globSync('packages/server/src/main/threads/*-thread.ts', { cwd: root });
  assert.ok(threads.length >= 6);
  const starts = [...threads, 'packages/cli/src/main.ts', 'packages/server/src/main/processes/process-entry.ts'];
  const addresses = [...starts, 'packages/cli/src/run.ts'].map(addressOf);
  const script = `console.log(JSON.stringify(${JSON.stringify(addresses)}.map((each) => import.meta.resolve(each))))`;
  const found: string[] = JSON.parse(run([hooksOption(bundle)], '--input-type=module', '-e', script));
  assert.equal(found.pop(), addressOf('packages/cli/src/run.ts'));
  for (const address of found) assert.match(address, new RegExp(`/test-server/${bundle}/[\\w-]+\\.js$`));
});

test('a command prints the same from the bundle and from the sources', () => {
  const sources = join(root, 'packages/cli/src/main.ts');
  const help = run([], sources, 'help');
  assert.match(help, /serve/);
  assert.equal(run([hooksOption(bundle)], sources, 'help'), help);
  assert.equal(run([], join(root, 'packages/cli/bin/arbiter.js'), 'help'), help);
});
