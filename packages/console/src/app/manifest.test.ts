import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKeyOperations } from '@arbiter/contract/identity/api-keys';
import { auditLogOperations } from '@arbiter/contract/identity/audit-logs';
import { userOperations } from '@arbiter/contract/identity/users';
import { House } from 'lucide-react';
import { addresses } from '../route/addresses.ts';
import type { railGroups, Screen } from '../route/feature.ts';
import { basePath } from './base.ts';
import { features, screens } from './manifest.ts';
import { railEntryOf, railOf } from './rail-sections.ts';

test('every feature and every screen stands once in the manifest', () => {
  const names = features.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  const paths = screens.map(({ path }) => path);
  assert.equal(new Set(paths).size, paths.length);
  for (const path of paths) assert.match(path, /^\/([\w-]+|\$[a-zA-Z]+)?(\/([\w-]+|\$[a-zA-Z]+))*$/);
});

test('no two pages answer to the same letter after g, and pages of the rail need no parameter', () => {
  const keys = screens.flatMap(({ rail }) => (rail?.key === undefined ? [] : [rail.key]));
  assert.equal(new Set(keys).size, keys.length);
  for (const { path, rail, access } of screens) {
    if (rail === undefined) continue;
    assert.ok(!path.includes('$'), path);
    assert.notEqual(access, 'public', path);
  }
});

test('a page that only some may read says of whom its operation is', () => {
  const roles = {
    '/audit': auditLogOperations.list.role,
    '/settings/api-keys': apiKeyOperations.list.role,
    '/settings/people': userOperations.list.role,
  };
  assert.deepEqual(Object.fromEntries(screens.flatMap(({ path, needs }) => (needs ? [[path, needs]] : []))), roles);
});

test('every address leads to a screen', () => {
  const patterns = screens.map(({ path }) => new RegExp(`^${path.replaceAll(/\$[a-zA-Z]+/g, '[^/]+')}$`));
  for (const [name, address] of Object.entries(addresses)) {
    const [path = ''] = String(Reflect.apply(address, null, address.length === 0 ? [] : ['a/b', 'c'])).split('?');
    assert.ok(
      patterns.some((pattern) => pattern.test(path)),
      `${name}: ${path}`,
    );
  }
});

const screen = (path: string, group: (typeof railGroups)[number], order: number): Screen => ({
  path,
  title: path,
  rail: { group, order, icon: House },
  load: async () => () => null,
});

test('the rail keeps a page that cannot be read in its place, and leaves out a group of such pages alone', () => {
  const sections = railOf(
    [
      { ...screen('/audit', 'govern', 10), needs: 'admin' },
      { ...screen('/keys', 'operate', 20), needs: 'admin' },
      screen('/health', 'operate', 10),
    ],
    ({ needs }) => needs === undefined,
  );
  assert.deepEqual(
    sections.map(({ group, entries }) => [group, ...entries.map((entry) => entry.screen.path)]),
    [['operate', '/health', '/keys']],
  );
});

test('the rail has the groups that have screens, in their order', () => {
  const sections = railOf([
    screen('/audit', 'govern', 10),
    screen('/flows', 'decide', 30),
    screen('/decisions', 'decide', 10),
    { path: '/decisions/$id', title: 'Decision', load: async () => () => null },
    screen('/', 'home', 0),
  ]);
  assert.deepEqual(
    sections.map(({ group, entries }) => [group, ...entries.map((entry) => entry.screen.path)]),
    [
      ['home', '/'],
      ['decide', '/decisions', '/flows'],
      ['govern', '/audit'],
    ],
  );
  const at = (address: string) => railEntryOf(sections, address)?.screen.path;
  assert.equal(at('/decisions/0199'), '/decisions');
  assert.equal(at('/'), '/');
  assert.equal(at('/settings'), undefined, 'home is not the beginning of every address');
  assert.equal(at('/decisionsx'), undefined);
});

test('the base of the console is the path of the page, without the slash at its end', () => {
  assert.equal(basePath('https://a.example/'), '');
  assert.equal(basePath('https://a.example/arbiter/'), '/arbiter');
  assert.equal(basePath('https://a.example/x/arbiter/index.html?a=1'), '/x/arbiter');
});
