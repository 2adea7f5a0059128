import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMarkup } from '../../ui/preview/markup.ts';
import { lengthOf, partsOf, shownOf, tokensOf } from './content.ts';

test('a text is cut at its tokens and loses nothing', () => {
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

test('tags make a text markup, angles in a sentence do not', () => {
  for (const text of ['<p>Hi</p>', '<br/>', '<img src="x" onerror="y">', '<!doctype html>'])
    assert.ok(isMarkup(text), text);
  for (const text of ['a < b', '5 <6> 7', 'I <3 coffee', '']) assert.ok(!isMarkup(text), text);
});

test('what people read first stands first; what is no text stands as JSON', () => {
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

test('a character outside the basic plane counts once', () => {
  assert.equal(lengthOf('☕🎉'), 2);
});

test('every token of a content is listed, whether or not an entry names it', () => {
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
