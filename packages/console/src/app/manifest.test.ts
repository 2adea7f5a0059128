import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKeyOperations } from '@arbiter/contract/identity/api-keys';
import { auditLogOperations } from '@arbiter/contract/identity/audit-logs';
import { oauthOperations } from '@arbiter/contract/identity/oauth';
import { ssoOperations } from '@arbiter/contract/identity/sso';
import { userOperations } from '@arbiter/contract/identity/users';
import { searchedKinds } from '@arbiter/contract/operations/searched-kinds.generated';
import { House } from 'lucide-react';
import { recordKinds } from '../records/record-kinds.ts';
import { addresses } from '../route/addresses.ts';
import type { railGroups, Screen } from '../route/feature.ts';
import { basePath } from './base.ts';
import { features, screens } from './manifest.ts';
import { kindOfFound, recordSearches } from './palette/record-searches.ts';
import { railEntryOf, railOf } from './rail-sections.ts';

test('lists each feature and each screen once', () => {
  const names = features.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  const paths = screens.map(({ path }) => path);
  assert.equal(new Set(paths).size, paths.length);
  for (const path of paths) assert.match(path, /^\/([\w-]+|\$[a-zA-Z]+)?(\/([\w-]+|\$[a-zA-Z]+))*$/);
});

test('gives each sidebar page its own key, and no parameter', () => {
  const keys = screens.flatMap(({ rail }) => (rail?.key === undefined ? [] : [rail.key]));
  assert.equal(new Set(keys).size, keys.length);
  for (const { path, rail, access } of screens) {
    if (rail === undefined) continue;
    assert.ok(!path.includes('$'), path);
    assert.notEqual(access, 'public', path);
  }
});

test('restricts a page to the role of its operation', () => {
  const roles = {
    '/audit': auditLogOperations.list.role,
    '/settings/api-keys': apiKeyOperations.list.role,
    '/settings/oauth-clients': oauthOperations.listClients.role,
    '/settings/people': userOperations.list.role,
    '/settings/single-sign-on': ssoOperations.get.role,
  };
  assert.deepEqual(Object.fromEntries(screens.flatMap(({ path, needs }) => (needs ? [[path, needs]] : []))), roles);
});

test('has a screen for each address', () => {
  const patterns = screens.map(({ path }) => new RegExp(`^${path.replaceAll(/\$[a-zA-Z]+/g, '[^/]+')}$`));
  for (const [name, address] of Object.entries(addresses)) {
    const [path = ''] = String(Reflect.apply(address, null, address.length === 0 ? [] : ['a/b', 'c'])).split('?');
    assert.ok(
      patterns.some((pattern) => pattern.test(path)),
      `${name}: ${path}`,
    );
  }
});

test('has a list, a record page and a search for each record type', () => {
  const paths = new Set(screens.map(({ path }) => path));
  const searches = new Set([
    ...recordSearches.map(({ title }) => title),
    ...searchedKinds.map((kind) => recordKinds[kindOfFound(kind)].titles.many),
  ]);
  for (const [name, { path, record, titles }] of Object.entries(recordKinds)) {
    assert.ok(paths.has(path), `${name}: no feature in app/manifest.ts has its list ${path}`);
    const page = record('x').startsWith(`${path}/`) ? `${path}/$id` : path;
    assert.ok(paths.has(page), `${name}: no feature in app/manifest.ts has its page ${page}`);
    assert.ok(
      searches.has(titles.many),
      `${name}: its resource has no searchOrder, and there's no search in app/palette/record-searches.ts`,
    );
  }
});

const screen = (path: string, group: (typeof railGroups)[number], order: number): Screen => ({
  path,
  title: path,
  rail: { group, order, icon: House },
  load: async () => () => null,
});

test('keeps unreadable pages in the sidebar, but hides groups without a readable page', () => {
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

test('orders the sidebar groups, and hides empty ones', () => {
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

test('returns the path of the page as base, without the slash at its end', () => {
  assert.equal(basePath('https://a.example/'), '');
  assert.equal(basePath('https://a.example/arbiter/'), '/arbiter');
  assert.equal(basePath('https://a.example/x/arbiter/index.html?a=1'), '/x/arbiter');
});
