import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

/** Runs the tool in a folder of its own, with a stand-in for the bundler. */
const root = mkdtempSync(join(tmpdir(), 'arbiter-build-'));
after(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, text: string) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};
const run = (...options: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'tools/build-console.js'), ...options], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};
const stand = (text: string) => write('tools/bundle-console.ts', text);
const builds = `import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const dist = join(import.meta.dirname, '../packages/console/dist');
mkdirSync(dist, { recursive: true });
writeFileSync(join(dist, 'index.html'), '');
writeFileSync(join(dist, '.stamp'), process.argv[2] ?? '');
console.log('built');
`;

test('a console that cannot be built stops nobody who does not ask for it', () => {
  write('package.json', '{ "type": "module" }');
  mkdirSync(join(root, 'tools'), { recursive: true });
  cpSync(join(import.meta.dirname, 'build-console.js'), join(root, 'tools/build-console.js'));
  write('packages/console/vite.config.ts', '');
  stand(builds);
  const without = run('--if-stale');
  assert.equal(without.status, 0);
  assert.match(without.stderr, /^arbiter: the console was not built: Vite is not installed\. .*console:build.*\n$/);
  assert.equal(run('--required').status, 1);

  write('node_modules/vite/package.json', '{}');
  stand('throw new Error("no room left");');
  const failed = run('--if-stale');
  assert.equal(failed.status, 0);
  assert.equal(failed.stderr.trim().split('\n').length, 1, 'one line');
  const required = run('--required');
  assert.equal(required.status, 1);
  assert.match(required.stderr, /no room left/);
});

test('it is built when its sources have changed, tests aside', () => {
  stand(builds);
  const built = { status: 0, stdout: 'built\n', stderr: '' };
  const fresh = { status: 0, stdout: '', stderr: '' };
  assert.deepEqual(run('--if-stale'), built);
  assert.ok(existsSync(join(root, 'packages/console/dist/index.html')));
  assert.deepEqual(run('--if-stale'), fresh);
  write('packages/console/src/table.test.ts', 'changed');
  assert.deepEqual(run('--if-stale'), fresh);
  for (const path of ['packages/console/src/data/boot.ts', 'packages/engine/src/index.ts', 'package-lock.json']) {
    write(path, 'changed');
    assert.deepEqual(run('--if-stale'), built, path);
    assert.deepEqual(run('--if-stale'), fresh, path);
  }
  assert.match(readFileSync(join(root, 'packages/console/dist/.stamp'), 'utf8'), /^[0-9a-f]{64}$/);
});
