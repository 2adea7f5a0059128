import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
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
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'tools/build.js'), ...options], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};
const stand = (text: string) => {
  for (const part of ['console', 'server']) write(`tools/bundle-${part}.ts`, text.replaceAll('PART', part));
};
const builds = `import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const dist = join(import.meta.dirname, '../packages/PART/dist');
mkdirSync(dist, { recursive: true });
for (const name of ['index.html', 'main.js']) writeFileSync(join(dist, name), '');
writeFileSync(join(dist, '.stamp'), process.argv[2] ?? '');
console.log('built PART');
`;

test('a failed build stops only those who need it', () => {
  write('package.json', '{ "type": "module" }');
  mkdirSync(join(root, 'tools'), { recursive: true });
  cpSync(join(import.meta.dirname, 'build.js'), join(root, 'tools/build.js'));
  for (const name of ['cli', 'console', 'contract', 'engine', 'lab', 'packs', 'sdk', 'server'])
    write(`packages/${name}/package.json`, '{}');
  stand(builds);
  const without = run('--if-stale');
  assert.equal(without.status, 0);
  const lines = without.stderr.trim().split('\n');
  assert.equal(lines.length, 2, without.stderr);
  assert.match(lines[0]!, /^arbiter: the console was not built: Vite is not installed\. .*npm run build.*$/);
  assert.match(lines[1]!, /^arbiter: the server's bundle was not built: Vite is not installed\. .*sources.*$/);
  assert.equal(run('--required').status, 1);

  write('node_modules/vite/package.json', '{}');
  stand('throw new Error("no room left");');
  const failed = run('--if-stale');
  assert.equal(failed.status, 0);
  assert.equal(failed.stderr.trim().split('\n').length, 2, 'a line for each');
  const required = run('--required');
  assert.equal(required.status, 1);
  assert.match(required.stderr, /no room left/);
});

test('rebuilds after a change of sources, except tests', () => {
  stand(builds);
  const built = (...parts: readonly string[]) => ({
    status: 0,
    stdout: parts.map((part) => `built ${part}\n`).join(''),
    stderr: '',
  });
  assert.deepEqual(run('--if-stale'), built('console', 'server'));
  assert.ok(existsSync(join(root, 'packages/console/dist/index.html')));
  assert.deepEqual(run('--if-stale'), built());
  write('packages/console/src/table.test.ts', 'changed');
  assert.deepEqual(run('--if-stale'), built());
  for (const [path, ...parts] of [
    ['packages/console/src/data/boot.ts', 'console'],
    ['packages/server/src/main/compose.ts', 'server'],
    ['packages/engine/src/index.ts', 'console', 'server'],
    ['package-lock.json', 'console', 'server'],
  ] as const) {
    write(path, 'changed');
    assert.deepEqual(run('--if-stale'), built(...parts), path);
    assert.deepEqual(run('--if-stale'), built(), path);
  }
  assert.match(readFileSync(join(root, 'packages/console/dist/.stamp'), 'utf8'), /^[0-9a-f]{64}$/);
});

test("the command line starts the bundle while it's newer than every source", () => {
  const program = join(root, 'packages/cli/bin/arbiter.js');
  mkdirSync(join(program, '..'), { recursive: true });
  cpSync(join(import.meta.dirname, '../packages/cli/bin/arbiter.js'), program);
  const at = (path: string, minute: number) => utimesSync(join(root, path), minute * 60, minute * 60);
  const started = () => spawnSync(process.execPath, [program], { encoding: 'utf8' }).stdout.trim();
  const names = ['cli', 'contract', 'engine', 'lab', 'packs', 'sdk', 'server'];
  for (const name of names) write(`packages/${name}/src/deep/part.ts`, '');
  write('packages/cli/src/main.ts', "console.log('sources');");
  for (const name of names)
    for (const path of ['src/deep/part.ts', 'src/deep', 'src']) at(`packages/${name}/${path}`, 1);
  for (const path of ['packages/cli/src/main.ts', 'packages/server/src/main/compose.ts', 'packages/server/src/main'])
    at(path, 1);
  at('packages/engine/src/index.ts', 1);
  rmSync(join(root, 'packages/server/dist'), { recursive: true, force: true });
  assert.equal(started(), 'sources', 'without a stamp');

  write('packages/server/dist/main.js', "console.log('bundle');");
  write('packages/server/dist/.stamp', '');
  at('packages/server/dist/.stamp', 2);
  assert.equal(started(), 'bundle');
  for (const path of ['packages/lab/src/deep/part.ts', 'packages/sdk/src/deep']) {
    at(path, 3);
    assert.equal(started(), 'sources', path);
    at(path, 1);
  }
  assert.equal(started(), 'bundle');
});
