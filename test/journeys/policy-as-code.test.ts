// Runs in one of 3 turns: what it calls has tests of its own.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { assertInTime } from '../deadline.ts';
import {
  createInstallation,
  type Installation,
  nodeEnvironment,
  type ServerProcess,
} from '../faults/server-process.ts';

/** The commands of docs/guides/policy-as-code.md, run in order as a newcomer would: against a server that has just been started. */

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
  await modelsTrained();
});
after(async () => {
  await installation?.stopAll();
  await db?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** The demo's models become active when they are trained, after the start. Until then they change during the commands. */
async function modelsTrained(): Promise<void> {
  const until = performance.now() + 120_000;
  for (;;) {
    const answer = await fetch(`${server.url}/api/v1/algorithm-models?limit=100`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const { data } = (await answer.json()) as { data: { status: string }[] };
    if (data.every(({ status }) => status === 'active')) return;
    assertInTime(performance.now() < until, 'the models of the demo are not trained');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A server that stopped shows up as a command that can't connect, so report what it printed. */
function assertRuns(): void {
  assert.ok(server.running(), `the server has ended:\n${server.output()}`);
}

async function shell(script: string, key = apiKey): Promise<{ code: number | null; out: string; err: string }> {
  assertRuns();
  const child = spawn('sh', ['-c', script], {
    cwd: folder,
    env: {
      ...nodeEnvironment(),
      PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
      XDG_CONFIG_HOME: folder,
      ARBITER_URL: server.url,
      ARBITER_API_KEY: key,
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
  assertRuns();
  return { code, out, err };
}

const guide = await readFile(join(repository, 'docs', 'guides', 'policy-as-code.md'), 'utf8');
/** Each command with its exit code and the output that follows it. */
const blocks = [...guide.matchAll(/```sh(?: exit=(\d))?\n([\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/g)].map(
  ([, exit, script, output]) => ({ exit: Number(exit ?? 0), script: script!, output }),
);

test("the guide's commands are complete", () => {
  assert.equal(blocks.length, 15);
});

for (const [at, { exit, script, output }] of blocks.entries()) {
  test(`${at + 1}. ${script.split('\n')[0]}`, async () => {
    if (at === 4) assert.equal((await shell('arbiter drift')).code, 2, 'no files were applied yet');
    const { code, out, err } = await shell(script);
    assert.equal(code, exit, `${out}\n${err}`);
    if (output !== undefined) assert.ok(out.includes(output.trimEnd()), out);
  });
}

test('usage: two folders, no terminal, no folder, a missing folder, an unreachable server', async () => {
  for (const [script, code, words] of [
    ['arbiter plan', 2, /expects one folder/],
    ['arbiter plan a b', 2, /expects one folder/],
    ['arbiter apply policy', 2, /pass --yes/],
    ['arbiter plan nowhere', 2, /nowhere/],
    ['arbiter drift policy', 2, /takes no arguments/],
    ['arbiter plan policy --secrets nowhere.json', 2, /nowhere\.json/],
    ['arbiter plan policy --url http://127.0.0.1:9', 3, /can't reach/],
  ] as const) {
    const answer = await shell(script);
    assert.equal(answer.code, code, `${script}: ${answer.out}${answer.err}`);
    assert.match(answer.err, words);
  }
});

test('other content of the folder: own files stay, unknown ones are rejected, secrets come from file or environment', async () => {
  await writeFile(join(folder, 'policy', 'notes.txt'), 'mine');
  const refused = await shell('arbiter plan policy');
  assert.equal(refused.code, 1);
  assert.match(refused.err, /notes\.txt# is not a known/);
  const exported = await shell('arbiter export policy --json');
  assert.equal(JSON.parse(exported.out).removed, 0);
  assert.equal(await readFile(join(folder, 'policy', 'notes.txt'), 'utf8'), 'mine');
  await rm(join(folder, 'policy', 'notes.txt'));
  const text = (description: string) =>
    `key: hook\nname: Hook\nchannelType: web\ndescription: ${description}\nproviderConfig: {provider: webhook, url: 'https://bank.example/', secret: {$secret: my/token}}\n`;
  await writeFile(join(folder, 'policy', 'channels', 'hook.yaml'), text('one'));
  const missing = await shell('arbiter plan policy');
  assert.equal(missing.code, 1);
  assert.match(missing.err, /hook\.yaml#\/providerConfig\/secret requires the secret my\/token/);
  const given = await shell('ARBITER_SECRET_MY_TOKEN=abc arbiter apply policy --yes');
  assert.equal(given.code, 0, given.err);
  await writeFile(join(folder, 'secrets.json'), JSON.stringify({ 'my/token': 'def' }));
  await writeFile(join(folder, 'policy', 'channels', 'hook.yaml'), text('two'));
  const named = await shell('arbiter apply policy --yes --secrets secrets.json');
  assert.equal(named.code, 0, named.err);
  assert.match(named.out, /description/);
});

test('content needs a second person: plan exits 4 until another one applies the same files', async () => {
  // A server whose operator lists two people.
  const own = await createTestDatabase();
  const people = await createInstallation({ DATABASE_URL: own.url }, []);
  const before = server;
  try {
    const keys = ['ada', 'ben'].map((name) => ({
      name,
      key: `krn_${name.padEnd(24, '0')}`,
      user: `${name}@bank.example`,
    }));
    const users = keys.map(({ name, user }) => ({ email: user, password: 'Passw0rd', name, role: 'admin' }));
    const scopes = ['read', 'write', 'admin'];
    const file = join(people.folder, 'people.json');
    const apiKeys = keys.map((key) => ({ ...key, scopes }));
    await writeFile(file, JSON.stringify({ tenants: [{ name: 'Bank', users, apiKeys }] }));
    server = await people.start({ BOOTSTRAP_FILE: file });
    const [ada, ben] = keys.map(({ key }) => key);
    await mkdir(join(folder, 'bank', 'content'), { recursive: true });
    await writeFile(
      join(folder, 'bank', 'content', 'hello.yaml'),
      'name: hello\nchannelType: web\ncontent: {headline: Hi}\n',
    );
    const made = await shell('arbiter apply bank --yes', ada);
    assert.equal(made.code, 0, made.err);
    assert.match(made.out, /\+ create content "hello"/);
    assert.match(made.out, /warning: content\/hello\.yaml# needs another person/);
    for (const command of ['arbiter plan bank', 'arbiter plan bank --prune']) {
      const waiting = await shell(command, ada);
      assert.equal(waiting.code, 4, waiting.err);
      assert.match(waiting.out, /^~ awaiting approval content "hello" \(content\/hello\.yaml\)$/m);
      assert.match(waiting.out, /^Plan: 0 to create, 0 to update, 0 to delete, 1 awaiting approval\.$/m);
    }
    assert.equal((await shell('arbiter apply bank --yes', ada)).code, 0);
    assert.equal((await shell('arbiter plan bank', ada)).code, 4, 'one person is one, however often');
    assert.equal((await shell('arbiter apply bank --yes', ben)).code, 0);
    for (const key of [ada, ben]) assert.equal((await shell('arbiter plan bank', key)).code, 0);
    assert.equal((await shell('arbiter export bank', ada)).code, 0);
    const text = await readFile(join(folder, 'bank', 'content', 'hello.yaml'), 'utf8');
    assert.doesNotMatch(text, /published/);
  } finally {
    server = before;
    await people.stopAll();
    await own.close();
  }
});
