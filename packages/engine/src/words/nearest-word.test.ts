import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestWord } from './nearest-word.ts';
import { didYouMean, listWords, mustBeOneOf, shortenWord } from './word-texts.ts';

const recommend = ['customerId', 'channel', 'channelId', 'placement', 'placements', 'limit', 'maxOffers', 'flowId'];
const cap = ['maxPerDay', 'maxPerWeek', 'maxPerMonth', 'maxTotal', 'windows', 'per', 'bypassable'];

test('suggests the nearest word', () => {
  const cases: [string, readonly string[], string | null][] = [
    ['chanel', recommend, 'channel'],
    ['cahnnel', recommend, 'channel'],
    ['customer', recommend, 'customerId'],
    ['customer_id', recommend, 'customerId'],
    ['PLACEMENT', recommend, 'placement'],
    ['flow', recommend, 'flowId'],
    ['channelType', recommend, 'channel'],
    ['perDay', cap, 'maxPerDay'],
    ['per_week', cap, 'maxPerWeek'],
    ['greaterThan', ['gt', 'greater_than'], 'greater_than'],
    ['gtr', ['eq', 'gte', 'gt'], 'gte'],
    ['ca', ['abc'], null],
    ['abc', ['acb'], 'acb'],
    ['kitten', ['sitting', 'mitten'], 'mitten'],
    ['banana', recommend, null],
    ['x', ['q'], null],
    ['to', ['id', 'q'], null],
    ['', recommend, null],
  ];
  for (const [word, candidates, expected] of cases) assert.equal(nearestWord(word, candidates), expected, word);
});

test('prefers the first of equally near words, and never suggests the word itself', () => {
  assert.equal(nearestWord('aab', ['aac', 'aad']), 'aac');
  assert.equal(nearestWord('channel', ['channel']), null);
});

test('handles hostile words and lists cheaply', () => {
  const letters = 'ab'.repeat(64 * 1024);
  const many = Array.from({ length: 500 }, (_, at) => `${'ab'.repeat(31)}${at % 10}`);
  const longest = 'ba'.repeat(32);
  const endless = Array.from({ length: 100_000 }, () => 'abba');
  const started = process.cpuUsage();
  for (let times = 0; times < 10; times++) {
    assert.equal(nearestWord(letters, many), null);
    nearestWord(longest, many);
    nearestWord('ab', [letters, ...many]);
    nearestWord('abab', endless);
  }
  const { user, system } = process.cpuUsage(started);
  assert.ok(user + system < 1_000_000, `${user + system} us`);
});

test('shortens lists and foreign words', () => {
  const words = Array.from({ length: 30 }, (_, at) => `w${at}`);
  assert.equal(listWords(['a', 'b']), 'a, b');
  assert.ok(listWords(words).endsWith('w19 and 10 more'));
  assert.equal(
    mustBeOneOf('standart', ['standard', 'minimal']),
    'must be one of standard, minimal; did you mean standard?',
  );
  assert.equal(didYouMean(7, ['7']), '');
  assert.equal(shortenWord('x'.repeat(1000)).length, 67);
  assert.ok(shortenWord(`${'x'.repeat(63)}😀`).isWellFormed());
});
