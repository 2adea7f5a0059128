import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaletteSearch, Screen } from '../../route/feature.ts';
import { bestFirst, fitting, foundEntries, looksLikeId, ownEntries, searchesFor } from './entries.ts';

const screen = (path: string, title: string, more: Partial<Screen> = {}): Screen => ({
  path,
  title,
  load: async () => () => null,
  ...more,
});

test('finds pages by the start of words first, then by letters in order', () => {
  const { pages } = ownEntries(
    [
      screen('/flows/routes', 'Flow routes'),
      screen('/offers', 'Offers'),
      screen('/offers/$id', 'Offer'),
      screen('/login', 'Sign in', { access: 'public' }),
      screen('/categories', 'Catégories'),
    ],
    [],
  );
  const titles = (text: string) => fitting(text, pages).map(({ title }) => title);
  assert.deepEqual(titles(''), ['Flow routes', 'Offers', 'Catégories']);
  assert.deepEqual(titles('o'), ['Offers', 'Flow routes', 'Catégories'], 'the beginning of a word before the middle');
  assert.deepEqual(titles('ofs'), ['Offers']);
  assert.deepEqual(titles('categ'), ['Catégories']);
  assert.deepEqual(titles('xyz'), []);
});

test('finds actions by their search terms, with their keys', () => {
  const { acts } = ownEntries(
    [],
    [{ id: 'theme', title: 'Use the dark theme', words: 'light color', keys: 'mod+d', act: { open: '/' } }],
  );
  assert.deepEqual(
    fitting('color', acts).map(({ keys }) => keys),
    ['mod+d'],
  );
});

test('sorts groups by their best line: a whole name before a part', () => {
  const group = (title: string) => ({ title, entries: [{ id: title, title, act: { open: '/' } }] });
  const titles = (text: string) => bestFirst(text, [group('API keys'), group('Keys')]).map(({ title }) => title);
  assert.deepEqual(titles('keys'), ['Keys', 'API keys']);
  assert.deepEqual(titles('api'), ['API keys', 'Keys']);
  assert.deepEqual(titles(''), ['API keys', 'Keys']);
});

test('recognizes pasted IDs', () => {
  for (const id of ['0199c0de-1234-7abc-8def-0123456789ab', 'CM-000001', 'req_8f3a', 'mia@example.com', 'a/b', '100%'])
    assert.ok(looksLikeId(id), id);
  for (const name of ['latte', 'gold birthday drink', 'oat 2', 'a1']) assert.ok(!looksLikeId(name), name);
  const load: PaletteSearch['load'] = async () => async () => [];
  const searches: PaletteSearch[] = [
    { title: 'Offers', load },
    { title: 'Decisions', of: 'ids', load },
  ];
  const titlesFor = (text: string) => searchesFor(text, searches).map(({ title }) => title);
  assert.deepEqual(titlesFor('o'), []);
  assert.deepEqual(titlesFor('oat'), ['Offers']);
  assert.deepEqual(titlesFor('CM-000001'), ['Offers', 'Decisions']);
});

test('groups search results and keeps their order', () => {
  const found = (title: string, group?: string) => ({ title, open: `/x/${title}`, ...(group ? { group } : {}) });
  const groups = foundEntries('Records', [
    found('Oat', 'Offers'),
    found('Mail', 'Channels'),
    found('Rye', 'Offers'),
    found('Other'),
  ]);
  assert.deepEqual(
    groups.map(({ title, entries }) => [title, ...entries.map((each) => each.title)]),
    [
      ['Offers', 'Oat', 'Rye'],
      ['Channels', 'Mail'],
      ['Records', 'Other'],
    ],
  );
  assert.deepEqual(groups[0]?.entries[0]?.act, { open: '/x/Oat' });
});
