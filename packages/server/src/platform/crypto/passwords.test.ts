import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../app-error.ts';
import { createPasswords } from './passwords.ts';

test('stores a password as Argon2id with its own salt, and verifies it', async () => {
  const passwords = createPasswords();
  const [one, two] = [await passwords.hash('Passw0rd'), await passwords.hash('Passw0rd')];
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.notEqual(one, two);
  assert.equal(await passwords.verify(two, 'Passw0rd'), true);
  assert.equal(await passwords.verify(two, 'passw0rd'), false);
  assert.equal(await passwords.verify(one, 'Passw0rd '), false);
  assert.equal(passwords.computed(), 5);
});

test("equal letters are equal passwords, however they're composed", async () => {
  const passwords = createPasswords();
  const stored = await passwords.hash('Caf\u00e9 1');
  assert.equal(await passwords.verify(stored, 'Cafe\u0301 1'), true);
});

test("compares a missing user's password too, and it's never correct", async () => {
  const passwords = createPasswords();
  for (const password of ['Passw0rd', '']) assert.equal(await passwords.verify(null, password), false);
  assert.equal(passwords.computed(), 2);
});

test('hashes few at once; waiting calls get their turn, and too many are rejected', async () => {
  const passwords = createPasswords(1);
  const waiting = Array.from({ length: 65 }, () => passwords.verify(null, 'x'));
  await assert.rejects(
    passwords.verify(null, 'x'),
    (error) => error instanceof AppError && error.code === 'overloaded',
  );
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set([false]));
  assert.equal(await passwords.verify(null, 'x'), false, 'and then there is room again');
  assert.equal(passwords.computed(), 66);
});
