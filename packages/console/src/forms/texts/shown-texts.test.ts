import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMarkup } from '../../ui/preview/markup.ts';
import { lengthOf, partsOf, shownOf, tokensOf } from './shown-texts.ts';

test('splits a text at its tokens without loss', () => {
  const text = 'Hello {first_name}, {{customer.points | 0}} points';
  const parts = partsOf(text);
  assert.equal(parts.map((part) => part.text).join(''), text);
  assert.deepEqual(
    parts.flatMap((part) => (part.token === null ? [] : [part.token])),
    ['first_name', 'customer.points'],
  );
  assert.deepEqual(partsOf('{}'), [{ text: '{}', token: null }]);
  assert.deepEqual(partsOf(''), []);
});

test('recognizes markup by tags, not by angle brackets', () => {
  for (const text of ['<p>Hi</p>', '<br/>', '<img src="x" onerror="y">', '<!doctype html>'])
    assert.ok(isMarkup(text), text);
  for (const text of ['a < b', '5 <6> 7', 'I <3 coffee', '']) assert.ok(!isMarkup(text), text);
});

test('puts the texts that people read first; writes other values as JSON', () => {
  const shown = shownOf({
    ctaUrl: 'https://a.example',
    extra: { deep: [1] },
    body: '<b>b</b>',
    subject: 's',
    off: false,
  });
  assert.deepEqual(
    shown.map(({ key, kind }) => [key, kind]),
    [
      ['subject', 'text'],
      ['body', 'markup'],
      ['ctaUrl', 'text'],
      ['extra', 'json'],
      ['off', 'json'],
    ],
  );
});

test('counts a character outside the basic plane once', () => {
  assert.equal(lengthOf('☕🎉'), 2);
});

test('lists every token, with and without an entry', () => {
  const content = {
    title: 'Hello {{customer.job}}, {first_name}',
    deep: { list: ['{{points|0}} points', '{{customer.job}} again'] },
  };
  const entries = [
    { variable: 'first_name', source: 'customer.first_name', fallback: 'there' },
    { variable: 'unused', source: '', fallback: 'x' },
  ];
  assert.deepEqual(tokensOf(content, entries), [
    { name: 'customer.job', source: 'customer.job', fallback: undefined },
    { name: 'first_name', source: 'customer.first_name', fallback: 'there' },
    { name: 'points', source: 'points', fallback: '0' },
    { name: 'unused', source: null, fallback: 'x' },
  ]);
  assert.deepEqual(tokensOf({ title: 'Hello' }, []), []);
});
