import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeToken, tokenAt, tokenCompletions } from './token-words.ts';

const words = ['first_name', 'favourite_drink', 'tier', 'customer.metrics.visits'].map((text) => ({
  text,
  detail: '',
}));

test('finds the token at the caret', () => {
  assert.equal(tokenAt('Hello {fir', 10)?.text, 'fir');
  assert.equal(tokenAt('Hello {{ fir', 12)?.close, '}}');
  assert.equal(tokenAt('Hello {', 7)?.text, '');
  assert.equal(tokenAt('Hello {first|th', 15), null);
  assert.equal(tokenAt('Hello {first} ', 14), null);
});

test('completes with words that begin with the text first, and nothing that is complete', () => {
  const found = (typed: string) => tokenCompletions(words, typed).map(({ text }) => text);
  assert.deepEqual(found('fi'), ['first_name']);
  assert.deepEqual(found('t'), ['tier', 'first_name', 'favourite_drink', 'customer.metrics.visits']);
  assert.deepEqual(found('tier'), []);
});

test('closes the token once', () => {
  const at = (text: string) => tokenAt(text, text.length)!;
  assert.deepEqual(completeToken('Hi {fi', at('Hi {fi'), 'first_name'), { text: 'Hi {first_name}', caret: 15 });
  assert.deepEqual(completeToken('Hi {{fi', at('Hi {{fi'), 'first_name').text, 'Hi {{first_name}}');
  assert.deepEqual(completeToken('Hi {fi}!', at('Hi {fi'), 'first_name'), { text: 'Hi {first_name}!', caret: 14 });
});
