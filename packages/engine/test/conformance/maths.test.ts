import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseInstant } from '../../src/arithmetic/calendar.ts';
import { round6, roundHalfAway } from '../../src/arithmetic/decimal.ts';
import { compileCondition } from '../../src/conditions/compile-condition.ts';
import { compileFormula } from '../../src/formula/compile-formula.ts';
import { emptyScope } from '../../src/formula/scope.ts';
import type { FormulaScope, ZoneOffsets } from '../../src/plan/formula.ts';
import type { Json, PersonalizationEntry } from '../../src/plan/snapshot.ts';
import { h32, u } from '../../src/random/hash.ts';
import { stream } from '../../src/random/stream.ts';
import { compileRegex } from '../../src/regex/compile-regex.ts';
import { compileTemplate, type TemplateOptions } from '../../src/templates/compile-template.ts';

type JsonObject = { readonly [key: string]: Json };

/** A file of `packages/engine/conformance`. */
function load<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../conformance/${name}.json`, import.meta.url), 'utf8'));
}

function instant(text: string): number {
  const at = parseInstant(text);
  assert.notEqual(at, null, text);
  return at ?? 0;
}

function scopeOf(parts: JsonObject, now: number): FormulaScope {
  return Object.assign(emptyScope(), parts, { now });
}

test('hash', () => {
  const { cases } = load<{ cases: { text: string; h32: number; u?: number }[] }>('hash');
  for (const { text, h32: hash, u: uniform } of cases) {
    assert.equal(h32(text), hash, text);
    if (uniform !== undefined) assert.equal(round6(u(text)), uniform);
  }
});

test('stream', () => {
  const { cases } = load<{ cases: { seed: string; label: string; uniforms: number[] }[] }>('stream');
  for (const { seed, label, uniforms } of cases) {
    const next = stream(seed, label);
    assert.deepEqual(
      uniforms.map(() => round6(next())),
      uniforms,
    );
  }
});

test('rounding', () => {
  const { cases } = load<{ cases: { value: number; digits: number; result: number }[] }>('rounding');
  for (const { value, digits, result } of cases) {
    assert.equal(roundHalfAway(value, digits), result, `${value} to ${digits}`);
  }
});

interface FormulaCase {
  readonly name?: string;
  readonly formula: string;
  readonly zone?: readonly (readonly [from: string, minutes: number])[];
  readonly value?: Json;
  readonly error?: string;
  readonly refused?: string;
}

test('formulas', () => {
  const file = load<{ now: string; scope: JsonObject; cases: FormulaCase[] }>('formulas');
  const scope = scopeOf(file.scope, instant(file.now));
  for (const { name, formula: source, zone = [], value = null, error, refused } of file.cases) {
    const title = name ?? source;
    const compiled = compileFormula(source, { bareNames: 'any' });
    if (!compiled.ok || refused !== undefined) {
      assert.equal(compiled.ok ? 'compiled' : compiled.problems[0]?.kind, refused, title);
      continue;
    }
    scope.zone = zone.map(([from, minutes]) => [instant(from), minutes * 60_000] as const) satisfies ZoneOffsets;
    assert.equal(compiled.formula.evaluate(scope), value, title);
    assert.equal(scope.failure?.kind, error, title);
  }
});

test('conditions', () => {
  const file = load<{
    now: string;
    data: Record<string, JsonObject>;
    cases: { condition: Json; holds: string[] }[];
    refused: { condition: Json; paths: string[] }[];
  }>('conditions');
  for (const { condition, holds } of file.cases) {
    const compiled = compileCondition(condition);
    assert.ok(compiled.ok, JSON.stringify(condition));
    const rows = Object.entries(file.data).filter(([, customer]) =>
      compiled.condition.test(scopeOf({ customer }, instant(file.now))),
    );
    assert.deepEqual(
      rows.map(([row]) => row),
      holds,
      JSON.stringify(condition),
    );
    const again = compileCondition(compiled.condition.stored);
    assert.deepEqual(again.ok && again.condition.stored, compiled.condition.stored);
  }
  for (const { condition, paths } of file.refused) {
    const compiled = compileCondition(condition);
    assert.deepEqual(compiled.ok ? [] : compiled.problems.map(({ path }) => path), paths, JSON.stringify(condition));
  }
});

interface TemplateCase {
  readonly name?: string;
  readonly templateType?: string;
  readonly content: JsonObject;
  readonly personalization?: readonly PersonalizationEntry[];
  readonly item?: JsonObject;
  readonly markup?: TemplateOptions['markup'];
  readonly result: JsonObject;
  readonly variables?: JsonObject;
}

test('templates', () => {
  const file = load<{ scope: JsonObject; computed: JsonObject; cases: TemplateCase[] }>('templates');
  const scope = scopeOf(file.scope, 0);
  for (const {
    name,
    templateType = 'banner',
    content,
    personalization = [],
    result,
    variables,
    ...more
  } of file.cases) {
    const { item = null, markup = {} } = more;
    const template = compileTemplate(content, personalization, templateType, item, { markup });
    const title = name ?? JSON.stringify(content);
    assert.deepEqual(template.render(scope, file.computed), result, title);
    if (variables !== undefined) assert.deepEqual(template.variables(scope, file.computed), variables, title);
  }
});

test('regex', () => {
  const file = load<{ cases: { pattern: string; matches: string[]; misses: string[] }[]; refused: string[] }>('regex');
  for (const { pattern, matches, misses } of file.cases) {
    const compiled = compileRegex(pattern);
    assert.ok(compiled.ok, pattern);
    for (const text of matches) assert.equal(compiled.regex.test(text), true, `${pattern} on ${text}`);
    for (const text of misses) assert.equal(compiled.regex.test(text), false, `${pattern} on ${text}`);
  }
  for (const pattern of file.refused) assert.equal(compileRegex(pattern).ok, false, pattern);
});
