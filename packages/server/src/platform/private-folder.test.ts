import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createPrivateFolder } from './private-folder.ts';

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'arbiter-folder-'));
});
after(() => rm(root, { recursive: true, force: true }));

test('files are complete, listed in order, and readable by nobody else', async () => {
  const folder = createPrivateFolder(join(root, 'exports'));
  assert.deepEqual(await folder.list('a', '.json'), []);
  assert.equal(await folder.read('a/1.json'), null);
  for (const name of ['b/2.json', 'a/1.json', 'a/note.txt']) await folder.write(name, name);
  await folder.write('a/1.json', 'anew');
  assert.equal(await folder.read('a/1.json'), 'anew');
  assert.deepEqual(await folder.list('a', '.json'), ['a/1.json']);
  assert.equal((await stat(join(root, 'exports/a/1.json'))).mode & 0o777, 0o600);
  assert.equal((await stat(join(root, 'exports/a'))).mode & 0o777, 0o700);
  assert.deepEqual([await folder.exists('a/1.json'), await folder.exists('a/3.json')], [true, false]);
  await folder.remove('a/1.json');
  await folder.remove('a/1.json');
  assert.equal(await folder.exists('a/1.json'), false);
});

test('a draft left by a crash is never listed, and is overwritten', async () => {
  const folder = createPrivateFolder(root);
  await folder.write('c/0.json', 'first');
  await writeFile(join(root, 'c/1.json.draft'), 'half of it', { mode: 0o644 });
  assert.deepEqual(await folder.list('c', '.json'), ['c/0.json']);
  await folder.write('c/1.json', 'whole');
  assert.equal((await stat(join(root, 'c/1.json'))).mode & 0o777, 0o600);
  assert.deepEqual((await readdir(join(root, 'c'))).sort(), ['0.json', '1.json']);
});

test('T14: no path leaves the folder', async () => {
  const folder = createPrivateFolder(join(root, 'inside'));
  for (const path of ['../outside.json', 'a/../../outside.json', '/tmp/outside.json', '', '.', '..', 'a/..']) {
    await assert.rejects(folder.write(path, 'x'), /leaves its folder/, path);
    await assert.rejects(folder.read(path), /leaves its folder/, path);
  }
  await assert.rejects(folder.write('a\0b', 'x'));
});

test('T14: rejects links that lead out of the folder, but allows the folder itself to be a link', async () => {
  const [target, real] = [join(root, 'elsewhere'), join(root, 'real')];
  for (const path of [target, real]) await mkdir(path);
  await writeFile(join(target, 'secret.json'), 'of somebody else');
  await symlink(real, join(root, 'linked'));
  const folder = createPrivateFolder(join(root, 'linked'));
  await folder.write('a/1.json', 'fine');
  assert.deepEqual(await readdir(join(real, 'a')), ['1.json']);
  await symlink(target, join(real, 'b'));
  await symlink(join(target, 'secret.json'), join(real, 'a/2.json'));
  await symlink(join(target, 'new.json'), join(real, 'a/3.json.draft'));
  for (const path of ['b/1.json', 'b/deeper/1.json'])
    await assert.rejects(folder.write(path, 'x'), /follows a link/, path);
  for (const path of ['b/secret.json', 'a/2.json']) await assert.rejects(folder.read(path), /follows a link/, path);
  await assert.rejects(folder.write('a/3.json', 'x'), { code: 'ELOOP' });
  assert.deepEqual(await readdir(target), ['secret.json'], 'nothing was written there');
  assert.deepEqual(await folder.list('a', '.json'), ['a/1.json'], 'and no link is listed');
  await folder.write('a/2.json', 'a file of its own');
  assert.equal(await folder.read('a/2.json'), 'a file of its own');
});

test("a file that can't be written leaves no draft and keeps the old one", async () => {
  const folder = createPrivateFolder(root);
  await folder.write('d/1.json', 'old');
  await folder.write('d/2.json/3.json', 'a folder stands where the file should be');
  await assert.rejects(folder.write('d/2.json', 'new'), { code: /E(ISDIR|EXIST|NOTEMPTY|PERM)/ });
  assert.deepEqual((await readdir(join(root, 'd'))).sort(), ['1.json', '2.json']);
  assert.equal(await folder.read('d/1.json'), 'old');
});
