import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { createInstallation, type Installation, type ServerProcess } from '../faults/server-process.ts';

/** The commands of docs/guides/policy-as-code.md, run in their order as a newcomer would: against a server that has just been started. */

const repository = join(import.meta.dirname, '..', '..');
let db: TestDatabase;
let installation: Installation;
let server: ServerProcess;
let folder: string;
let apiKey: string;

before(async () => {
  // Without tenants of its own the server makes the demo.
  db = await createTestDatabase();
  installation = await createInstallation({ DATABASE_URL: db.url }, []);
  server = await installation.start();
  folder = await mkdtemp(join(tmpdir(), 'arbiter-policy-'));
  const program = `#!/bin/sh\nexec ${process.execPath} ${join(repository, 'packages/cli/bin/arbiter.js')} "$@"\n`;
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin', 'arbiter'), program);
  await chmod(join(folder, 'bin', 'arbiter'), 0o755);
  ({ apiKey } = JSON.parse(await readFile(join(installation.folder, 'data', 'first-run.json'), 'utf8')));
});
after(async () => {
  await installation?.stopAll();
  await db?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

async function shell(script: string): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn('sh', ['-c', script], {
    cwd: folder,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
      XDG_CONFIG_HOME: folder,
      ARBITER_URL: server.url,
      ARBITER_API_KEY: apiKey,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, err };
}

const guide = await readFile(join(repository, 'docs', 'guides', 'policy-as-code.md'), 'utf8');
/** Each command with its exit code, and what stands behind it as its output. */
const blocks = [...guide.matchAll(/```sh(?: exit=(\d))?\n([\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/g)].map(
  ([, exit, script, output]) => ({ exit: Number(exit ?? 0), script: script!, output }),
);

test('the guide has its commands', () => {
  assert.equal(blocks.length, 12);
});

for (const [at, { exit, script, output }] of blocks.entries()) {
  test(`${at + 1}. ${script.split('\n')[0]}`, async () => {
    if (at === 4) assert.equal((await shell('arbiter drift')).code, 2, 'no files were applied yet');
    const { code, out, err } = await shell(script);
    assert.equal(code, exit, `${out}\n${err}`);
    if (output !== undefined) assert.ok(out.includes(output.trimEnd()), out);
  });
}

test('usage: two folders, no terminal, no folder, a folder that is not there, a server that is not there', async () => {
  for (const [script, code, words] of [
    ['arbiter plan', 2, /takes one folder/],
    ['arbiter plan a b', 2, /takes one folder/],
    ['arbiter apply policy', 2, /needs --yes/],
    ['arbiter plan nowhere', 2, /nowhere/],
    ['arbiter drift policy', 2, /takes no arguments/],
    ['arbiter plan policy --secrets nowhere.json', 2, /nowhere\.json/],
    ['arbiter plan policy --url http://127.0.0.1:9', 3, /does not answer/],
  ] as const) {
    const answer = await shell(script);
    assert.equal(answer.code, code, `${script}: ${answer.out}${answer.err}`);
    assert.match(answer.err, words);
  }
});

test('what the folder holds beside: own files stay, unknown ones are refused, secrets come from file or environment', async () => {
  await writeFile(join(folder, 'policy', 'notes.txt'), 'mine');
  const refused = await shell('arbiter plan policy');
  assert.equal(refused.code, 1);
  assert.match(refused.err, /notes\.txt# is not known/);
  const exported = await shell('arbiter export policy --json');
  assert.equal(JSON.parse(exported.out).removed, 0);
  assert.equal(await readFile(join(folder, 'policy', 'notes.txt'), 'utf8'), 'mine');
  await rm(join(folder, 'policy', 'notes.txt'));
  const text = (description: string) =>
    `key: hook\nname: Hook\nchannelType: web\ndescription: ${description}\nproviderConfig: {provider: webhook, url: 'https://bank.example/', secret: {$secret: my/token}}\n`;
  await writeFile(join(folder, 'policy', 'channels', 'hook.yaml'), text('one'));
  const missing = await shell('arbiter plan policy');
  assert.equal(missing.code, 1);
  assert.match(missing.err, /hook\.yaml#\/providerConfig\/secret needs the secret my\/token/);
  const given = await shell('ARBITER_SECRET_MY_TOKEN=abc arbiter apply policy --yes');
  assert.equal(given.code, 0, given.err);
  await writeFile(join(folder, 'secrets.json'), JSON.stringify({ 'my/token': 'def' }));
  await writeFile(join(folder, 'policy', 'channels', 'hook.yaml'), text('two'));
  const named = await shell('arbiter apply policy --yes --secrets secrets.json');
  assert.equal(named.code, 0, named.err);
  assert.match(named.out, /description/);
});
