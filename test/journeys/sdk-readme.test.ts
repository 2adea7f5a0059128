// Runs in one of 3 turns: what it calls has tests of its own.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { createInstallation, type Installation, type ServerProcess } from '../faults/server-process.ts';

/** The programs of packages/sdk/README.md, run as a newcomer would: against a server that has just been started. */

const repository = join(import.meta.dirname, '..', '..');
let db: TestDatabase;
let installation: Installation;
let server: ServerProcess;
let folder: string;

before(async () => {
  // Without tenants of its own the server makes the demo, like the newcomer's.
  db = await createTestDatabase();
  installation = await createInstallation({ DATABASE_URL: db.url }, []);
  server = await installation.start();
  // A program next to an installation of the packages.
  folder = await mkdtemp(join(tmpdir(), 'arbiter-sdk-readme-'));
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
after(async () => {
  await installation?.stopAll();
  await db?.close();
  await rm(folder, { recursive: true, force: true });
});

async function run(
  name: string,
  program: string,
): Promise<{ code: number | null; output: string; complaints: string }> {
  const file = join(folder, name);
  await writeFile(file, program);
  const { apiKey }: { apiKey: string } = JSON.parse(
    await readFile(join(installation.folder, 'data', 'first-run.json'), 'utf8'),
  );
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, ARBITER_URL: server.url, ARBITER_API_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let complaints = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output, complaints };
}

const readme = await readFile(join(repository, 'packages', 'sdk', 'README.md'), 'utf8');
const programs = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text);

test('the first program decides for a customer and reports a click', async () => {
  const { code, output, complaints } = await run('first.ts', programs[0] ?? '');
  assert.equal(code, 0, complaints);
  assert.match(output, /^1\. .+ \(score 0\.\d+\)\n2\. .+\nclick: recorded\n$/);
});

test('the program with the small bundle lists offers', async () => {
  const { code, output, complaints } = await run('small.ts', programs[1] ?? '');
  assert.equal(code, 0, complaints);
  assert.equal(output, '5 offers\n');
  assert.equal(programs.length, 2, 'a program of the README that no test runs');
});
