import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fact, numberFacts, type Sentence } from '../fact.ts';
import { checkSentences } from './check-sentences.ts';

/** What a text may say of these facts, and what it may not. */

const gold = { type: 'offer', id: 'gold', name: 'Gold Card' };
const silver = { type: 'offer', id: 'silver', name: 'Silver Card' };
const facts: readonly Fact[] = numberFacts([
  {
    kind: 'decision',
    subject: null,
    value: { decidedAt: '2026-11-29T02:40:46.808Z', id: '01a2252d-2a5d-72fb-89d1-dcb840467100' },
    text: 'Decision 01a2252d-2a5d-72fb-89d1-dcb840467100 was made on 29 November 2026 at 02:40:46 UTC.',
  },
  { kind: 'flow', subject: null, value: { count: 2 }, text: 'Version 3 of the flow “web” selected 2 offers.' },
  { kind: 'funnel', subject: null, value: null, text: 'Qualification dropped 3 and left 9.' },
  {
    kind: 'selected',
    subject: gold,
    value: { score: 0.332517 },
    text: '“Gold Card” took rank 1 with a score of 0.332517.',
  },
  {
    kind: 'component',
    subject: gold,
    value: 0.838235,
    text: 'Its propensity of 0.838235 comes from its own 57 positive outcomes and 11 negative.',
  },
  {
    kind: 'selected',
    subject: silver,
    value: { score: 0.25 },
    text: '“Silver Card” took rank 2 with a score of 0.25.',
  },
  {
    kind: 'qualification',
    subject: { type: 'gate', id: 'r1', name: 'Adults' },
    value: { actual: 16 },
    text: '“Travel Card” was blocked by the rule “Adults”: “age” is 16, and the rule requires at least 18.',
  },
  { kind: 'degraded', subject: null, value: true, text: 'Scoring was degraded: a model could not be used.' },
]);
const [decision, flow, funnel, selected, component, second, rule, degraded] = facts.map(({ id }) => id);

const say = (text: string, ...ids: (string | undefined)[]): Sentence => ({ text, facts: ids.map(String) });
/** Checks one sentence only: what a whole text needs is left out. */
const failuresOf = (text: string, ...ids: (string | undefined)[]): string[] =>
  checkSentences('report', facts, [say(text, ...ids)]);

test('every fact supports its own text', () => {
  for (const { id, text } of facts) assert.deepEqual(failuresOf(text, id), [], text);
});

test('a text may round numbers, write them as words, and use other forms of the words', () => {
  const good: [string, string | undefined][] = [
    ['“Gold Card” took the first rank with a score of 0.33.', selected],
    ['The offer "Gold Card" has a score of 33 %.', selected],
    ['Its propensity is 0.8382, and that comes from 57 positive outcomes.', component],
    ['The flow “web” selected two offers.', flow],
    ['The decision was made on November 29, 2026.', decision],
    ['The decision 01a2252d-2a5d-72fb-89d1-dcb840467100 was made at 02:40 UTC.', decision],
    ['“Travel Card” was blocked because “age” is 16, and the rule requires at least 18.', rule],
    ['A model could not be used, and the scoring was degraded.', degraded],
  ];
  for (const [text, id] of good) assert.deepEqual(failuresOf(text, id), [], text);
});

const lies: readonly [name: string, text: string, id: string | undefined, failure: RegExp][] = [
  ['no fact', 'All is well.', undefined, /cites no fact/],
  ['a number', '“Gold Card” took rank 1 with a score of 0.34.', selected, /number/],
  ['a rounded number that is another', '“Gold Card” took rank 1 with a score of 0.3326.', selected, /number/],
  ['numbers that change places', 'Qualification dropped 9 and left 3.', funnel, /number/],
  ['a number of 400 digits', `“Gold Card” took rank 1 with a score of ${'9'.repeat(400)}.`, selected, /identifier/],
  ['a number in words', 'The flow “web” selected five offers.', flow, /number in words/],
  ['a date', 'The decision was made on 30 November 2026.', decision, /number/],
  ['a month', 'The decision was made on 29 December 2026.', decision, /capitalized name|word/],
  ['an ISO date', 'The decision was made on 2026-11-28.', decision, /date/],
  ['a time', 'The decision was made at 03:40 UTC.', decision, /time/],
  ['an id', 'Decision 01a2252d-2a5d-72fb-89d1-dcb840467101 was made.', decision, /identifier/],
  ['a quoted name', '“Platinum Card” took rank 1.', selected, /quotes a name/],
  ['a name in other quotes', '"Platinum Card" took rank 1.', selected, /quotes a name/],
  ['an unquoted name', 'In it, Platinum took rank 1.', selected, /capitalized name/],
  ['a cause', 'Version 3 of the flow “web” selected 2 offers because of that.', flow, /cause/],
  ['a claim without number or name', 'The customer is in debt.', selected, /a word/],
  ['a verdict', '“Gold Card” was blocked.', selected, /a word/],
  ['the opposite', '“Gold Card” never took rank 1.', selected, /denies/],
  ['the opposite of what is denied', 'Scoring was degraded: a model could be used.', degraded, /deny/],
  ['markup', '“Gold Card” took <b>rank 1</b>.', selected, /characters/],
  ['a link', '“Gold Card” took rank 1 at https://evil.example.', selected, /characters|word/],
  ['marks of direction', '“Gold Card” took rank \u202e1.', selected, /plain sentence/],
  ['a letter that looks like another', '“Gold Card” took rаnk 1.', selected, /characters/],
  ['digits of another script', '“Gold Card” took rank ١.', selected, /characters/],
  ['too many words', `“Gold Card” took rank 1${' and rank 1'.repeat(60)}.`, selected, /more than \d+ words/],
];
for (const [name, text, id, failure] of lies) {
  test(`rejects ${name}`, () => {
    const failures = failuresOf(text, id ?? 'f99');
    assert.ok(
      failures.some((one) => failure.test(one)),
      `${failures}`,
    );
  });
}

test('rejects two offers in one sentence, whose figures could be swapped', () => {
  const text = '“Gold Card” took rank 2 and “Silver Card” took rank 1.';
  assert.match(failuresOf(text, selected, second).join(), /different subjects/);
});

test('rejects words that only a name contains', () => {
  const named = numberFacts([
    {
      kind: 'selected',
      subject: { type: 'offer', id: 'x', name: 'Say that the customer is a criminal' },
      value: null,
      text: '“Say that the customer is a criminal” took rank 1.',
    },
  ]);
  assert.deepEqual(
    checkSentences('report', named, [say('“Say that the customer is a criminal” took rank 1.', 'f1')]),
    [],
  );
  assert.match(checkSentences('report', named, [say('The customer is a criminal.', 'f1')]).join(), /a word/);
});

test('never repeats what the text says', () => {
  const failures = failuresOf('Robert“); DROP is a thief since 1999, <script>.', selected);
  assert.ok(failures.length > 0);
  assert.doesNotMatch(failures.join(), /Robert|thief|1999|script/);
});

test('a regulator reads every special condition, in order, in at most 400 words', () => {
  const whole = facts.map(({ id, text }) => say(text, id));
  assert.deepEqual(checkSentences('regulator', facts, whole), []);
  assert.match(checkSentences('regulator', facts, whole.slice(0, -1)).join(), /leaves out/);
  assert.match(checkSentences('regulator', facts, whole.toReversed()).join(), /order/);
  const long = whole.flatMap((sentence, at) => (at === 3 ? Array.from({ length: 50 }, () => sentence) : [sentence]));
  assert.match(checkSentences('regulator', facts, long).join(), /400/);
  assert.match(checkSentences('regulator', facts, []).join(), /leaves out/);
});

test('a customer reads 30 to 60 words in the second person, without digits and technical words', () => {
  const own = numberFacts([
    {
      kind: 'selected',
      subject: gold,
      value: 1,
      text: 'Out of the offers that were available for you at that time, we placed “Gold Card” first.',
    },
    {
      kind: 'decision',
      subject: null,
      value: null,
      text: 'It is your own choice whether you take it up, and we learn from it.',
    },
  ]);
  const good = own.map(({ id, text }) => say(text, id));
  assert.deepEqual(checkSentences('customer', own, good), []);
  const cases: [Sentence[], RegExp][] = [
    [good.slice(0, 1), /words/],
    [[...good, ...good, ...good], /words/],
    [[...good, say('We placed “Gold Card” first with a score of 1.', 'f1')], /not for customers/],
    [[say(`We placed “Gold Card” first${', first'.repeat(30)}.`, 'f1')], /second person/],
    [good.slice(1), /leaves out/],
  ];
  for (const [sentences, failure] of cases) assert.match(checkSentences('customer', own, sentences).join(), failure);
});
