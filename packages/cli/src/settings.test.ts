import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Flags } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { connectionOf } from './settings.ts';

const home = mkdtempSync(join(tmpdir(), 'arbiter-cli-'));
after(() => rmSync(home, { recursive: true, force: true }));
mkdirSync(join(home, 'arbiter'));
const configFile = join(home, 'arbiter', 'config.json');

const flagsOf = (values: Readonly<Record<string, string>> = {}): Flags => ({
  text: (name) => values[name],
  flag: () => false,
  integer: () => undefined,
});
const resolve = (flags: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>>) =>
  connectionOf({ flags: flagsOf(flags), environment: { XDG_CONFIG_HOME: home, ...environment } });

test('flags override the environment, which overrides the file', () => {
  writeFileSync(configFile, JSON.stringify({ url: 'http://file:1', apiKey: 'krn_file', tenantId: 'from-file' }));
  assert.deepEqual(resolve({}, {}), { url: 'http://file:1', apiKey: 'krn_file', tenantId: 'from-file' });
  const environment = { ARBITER_URL: 'http://env:2/', ARBITER_API_KEY: 'krn_env' };
  assert.deepEqual(resolve({}, environment), { url: 'http://env:2', apiKey: 'krn_env', tenantId: 'from-file' });
  const flags = { url: 'https://flag', 'api-key': 'krn_flag', tenant: 'from-flag' };
  assert.deepEqual(resolve(flags, environment), { url: 'https://flag', apiKey: 'krn_flag', tenantId: 'from-flag' });
});

test('treats a blank variable as unset, and reads a key from a file', () => {
  writeFileSync(configFile, '{}');
  const keyFile = join(home, 'key');
  writeFileSync(keyFile, 'krn_secret\n');
  assert.deepEqual(resolve({}, { ARBITER_API_KEY: ' ', ARBITER_API_KEY_FILE: keyFile, ARBITER_URL: '' }), {
    url: 'http://localhost:3000',
    apiKey: 'krn_secret',
    tenantId: undefined,
  });
});

test('rejects missing and malformed settings by name', () => {
  writeFileSync(configFile, '{}');
  assert.throws(() => resolve({}, {}), /no API key/);
  assert.throws(() => resolve({ url: 'localhost:3000' }, { ARBITER_API_KEY: 'k' }), /isn't an http or https URL/);
  assert.throws(() => resolve({}, { ARBITER_API_KEY_FILE: join(home, 'absent') }), /ARBITER_API_KEY_FILE/);
  for (const broken of ['{', '[1]', 'null', '{"apiKey":7}']) {
    writeFileSync(configFile, broken);
    assert.throws(
      () => resolve({}, {}),
      (error: unknown) => error instanceof UsageError && /config\.json/.test(error.message),
    );
  }
});
