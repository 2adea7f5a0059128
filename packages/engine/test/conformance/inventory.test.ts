import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { functionNamed } from '../../src/formula/functions.ts';
import type { Json } from '../../src/index.ts';
import { policyKeys } from '../../src/policies/policy-kinds.ts';
import { ruleKeys } from '../../src/qualification/rule-kinds.ts';
import { readCase } from './case.ts';
import { isAtBoundary, isTrue, readClaim } from './claims.ts';
import { knownSubjects } from './inventory.ts';

const folder = new URL('../../conformance/', import.meta.url);
const readJson = <T>(file: string): T => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

const groups = ['nodes', 'flowConfig', 'policies', 'rules', 'operators', 'models', 'catalogue', 'request'] as const;
type Group = (typeof groups)[number];
/** Lists only what the engine doesn't know: parts and words of the keys of policies and rules, and what has no key. */
const inventory = readJson<
  Partial<Record<Group, readonly string[]>> &
    Record<'functions', readonly string[]> &
    Record<'smooth' | 'withoutEffect', Record<string, string>>
>('inventory.json');
const known = knownSubjects();
const startsAt = (subject: string, key: string): boolean =>
  subject === key || subject.startsWith(`${key}=`) || subject.startsWith(`${key}.`);
const subjects = groups.flatMap((group) => {
  const listed = inventory[group] ?? [];
  // A key whose words are subjects isn't one itself.
  const parts = [...listed, ...(known.operators ?? [])];
  const keys = (known[group] ?? []).filter(
    (key) => group === 'operators' || !parts.some((part) => startsAt(part, key)),
  );
  return [...listed, ...keys];
});

interface Claimed {
  readonly file: string;
  readonly name: string;
  readonly covers: readonly string[];
  readonly source: Json;
}
const claiming: readonly Claimed[] = readdirSync(new URL('decisions/', folder)).flatMap((file) =>
  readJson<readonly Json[]>(`decisions/${file}`).map((source) => {
    const { name, covers = [] } = readCase(source).source;
    return { file, name, covers, source };
  }),
);
const claims = claiming.flatMap(({ covers, ...where }) => covers.map((text) => ({ text, ...where })));
const claimed = new Set(claims.map(({ text }) => text));

const keyOf = (subject: string): string => subject.split('=')[0] ?? '';
const wordsOf = (subject: string): readonly string[] =>
  subjects.filter((other) => keyOf(other) === keyOf(subject)).map((other) => other.split('=')[1] ?? '');
/** Operators need cases on both sides; other words only need to act. */
const isOperator = (subject: string): boolean =>
  subject.startsWith('attribute_condition.operator=') || subject.startsWith('filter.conditions.operator=');
const sidesOf = (subject: string): readonly string[] =>
  subject.includes('=') && !isOperator(subject) ? [subject] : [`${subject}:acts`, `${subject}:rests`];
const isShown = (subject: string): boolean => !(subject in inventory.withoutEffect);

test('lists only keys that the engine knows, each once', () => {
  assert.deepEqual(inventory.functions.toSorted(), known.functions?.toSorted());
  for (const group of ['policies', 'rules'] as const) {
    const types = group === 'policies' ? policyKeys : ruleKeys;
    for (const subject of inventory[group] ?? []) {
      const [type = '', key = ''] = keyOf(subject).split('.');
      assert.ok(['policy', 'rule'].includes(type) || types[type]?.includes(key), `${subject} means nothing`);
    }
  }
  assert.equal(new Set(subjects).size, subjects.length);
  for (const subject of Object.keys(inventory.withoutEffect)) assert.ok(subjects.includes(subject), subject);
});

test('every key, word and operator has a case on both sides', () => {
  const missing = subjects.filter(isShown).flatMap((subject) => sidesOf(subject).filter((text) => !claimed.has(text)));
  assert.deepEqual(missing, []);
});

test('cases claim only what is listed and shown', () => {
  const listed = new Set(subjects.filter(isShown).flatMap(sidesOf));
  assert.deepEqual(
    claims.filter(({ text }) => !listed.has(text)).map(({ text, name }) => `${name}: ${text}`),
    [],
  );
});

test('every claim is true', () => {
  const wrong = claims.filter(({ text, source }) => {
    const claim = readClaim(text);
    return isTrue(claim, source, wordsOf(claim.subject)) !== true;
  });
  assert.deepEqual(
    wrong.map(({ file, name, text }) => `${file} ${name}: ${text}`),
    [],
  );
});

test('a number has a case at its boundary', () => {
  const numbers = new Set<string>();
  const atBoundary = new Set<string>();
  for (const { text, source } of claims) {
    const claim = readClaim(text);
    if (claim.word !== null) continue;
    const found = isAtBoundary(claim, source);
    if (found !== null) numbers.add(claim.subject);
    if (found === true) atBoundary.add(claim.subject);
  }
  const without = [...numbers].filter((subject) => !atBoundary.has(subject));
  assert.deepEqual(without.toSorted(), Object.keys(inventory.smooth).toSorted());
});

test('finds a false claim', () => {
  const source: Json = {
    name: 'topN cuts',
    nodes: [
      { id: 'i', type: 'inventory' },
      { id: 's', type: 'score', config: { method: 'priority_weighted' } },
      { id: 'r', type: 'rank', config: { method: 'topN', topN: 1 } },
    ],
    offers: [{ id: 'A' }, { id: 'B' }],
    expect: { items: ['A'] },
  };
  const asked = (text: string, words: readonly string[] = []) => isTrue(readClaim(text), source, words);
  assert.equal(asked('rank.topN:acts'), true);
  assert.equal(asked('rank.topN:rests'), false);
  assert.equal(asked('rank.maxCandidates:acts'), null);
  assert.equal(asked('rank.method=topN', ['topN', 'diversity']), false);
  assert.equal(isAtBoundary(readClaim('rank.topN:acts'), source), true);
  assert.throws(() => readClaim('rank.topN:decides'));
});

interface FormulaCase {
  readonly formula: string;
  readonly value?: Json;
  readonly refused?: string;
}

/** Functions that return a value for any arguments. */
const neverFail = new Set(['now()', 'concat()']);

test('every formula function has a value, a failure, and both bounds of its arguments', () => {
  const { cases } = readJson<{ cases: readonly FormulaCase[] }>('formulas.json');
  for (const subject of inventory.functions) {
    const name = subject.slice(0, -2);
    const { min = 0, max = 0 } = functionNamed(name) ?? {};
    const calling = cases.filter(({ formula }) => callsOf(formula, name).length > 0);
    const counts = (refused: boolean) =>
      new Set(
        calling
          .filter((one) => (one.refused !== undefined) === refused)
          .flatMap(({ formula }) => callsOf(formula, name)),
      );
    assert.ok(
      calling.some(({ value }) => (value ?? null) !== null),
      `${subject} has no value`,
    );
    const fails = calling.some(({ value, refused }) => refused === undefined && (value ?? null) === null);
    assert.ok(fails || neverFail.has(subject), `${subject} has no failure`);
    for (const count of [min, max]) assert.ok(counts(false).has(count), `${subject} with ${count} arguments`);
    for (const count of min === 0 ? [max + 1] : [min - 1, max + 1])
      assert.ok(counts(true).has(count), `${subject} with ${count} arguments, refused`);
  }
});

/** Returns the number of arguments of each call of the function in a formula. */
function callsOf(formula: string, name: string): number[] {
  const calls: number[] = [];
  for (const { index } of formula.matchAll(new RegExp(`(?<![A-Za-z_.])${name}\\(`, 'g'))) {
    let depth = 0;
    let commas = 0;
    let isEmpty = true;
    for (let at = index + name.length; at < formula.length; at += 1) {
      const sign = formula[at];
      if (sign === '"') at = formula.indexOf('"', at + 1);
      if (sign === '(') depth += 1;
      else if (sign === ')') depth -= 1;
      else isEmpty = false;
      if (depth === 0) break;
      if (sign === ',' && depth === 1) commas += 1;
    }
    calls.push(isEmpty ? 0 : commas + 1);
  }
  return calls;
}
