import {
  canonicalJson,
  compile,
  decide,
  type Json,
  modelProblems,
  openReferences,
  policyProblems,
  ruleProblems,
  validateFlow,
} from '../../src/index.ts';
import { isObject } from '../../src/json-object.ts';
import { type CaseSource, readCase } from './case.ts';
import { expectationsOf } from './expectations.ts';

/**
 * A claim of a conformance case: `rank.topN:acts` means that the key decides what the case expects, `rank.topN:rests`
 * that it is set and changes nothing, and `rank.method=diversity` that this word decides. Claims are tested: the key is
 * removed from the case, or the word replaced by another, and the case is decided again. A key that acts must then
 * break an expectation, and one that rests must not.
 */
export interface Claim {
  readonly subject: string;
  readonly path: readonly string[];
  readonly word: string | null;
  readonly side: 'acts' | 'rests';
}

export function readClaim(text: string): Claim {
  const [subject = '', side = 'acts'] = text.split(':');
  if (side !== 'acts' && side !== 'rests') throw new Error(`${text} must claim either acts or rests`);
  const [key = '', word = null] = subject.split('=');
  return { subject, path: key.split('.'), word, side };
}

type Steps = readonly (string | number)[];

/** Something with keys in a case: a config or a record. */
interface Carrier {
  readonly name: string;
  /** Path to the key. */
  readonly at: Steps;
  /** Path to the record that needs the key. */
  readonly record: Steps;
}

/** Null: nothing in the case bears the subject. */
export function isTrue(claim: Claim, source: Json, words: readonly string[]): boolean | null {
  let found = false;
  for (const place of placesOf(claim, source)) {
    found = true;
    if (bearsOut(claim, source, place, words)) return true;
  }
  return found ? false : null;
}

function bearsOut(claim: Claim, source: Json, { steps, carrier }: Place, words: readonly string[]): boolean {
  const without = removed(source, steps, carrier);
  const holds = without === null ? null : stillHolds(without);
  if (claim.side === 'rests') return holds === true;
  if (holds === false) return true;
  if (claim.word === null) return false;
  return words.some((word) => {
    const replaced = changed(source, steps, (value) => (Array.isArray(value) ? [word] : word));
    return word !== claim.word && isSoundAs(replaced, source) && stillHolds(replaced) === false;
  });
}

interface Place {
  readonly steps: Steps;
  readonly carrier: Carrier;
}

function* placesOf({ path: [name, ...keys], word }: Claim, source: Json): Generator<Place> {
  for (const carrier of carriersOf(readCase(source).source)) {
    if (carrier.name !== name) continue;
    for (const steps of walk(read(source, carrier.at), keys, carrier.at)) yield { steps, carrier };
  }
  function* walk(value: Json | undefined, left: readonly string[], steps: Steps): Generator<Steps> {
    if (Array.isArray(value) && left.length > 0) {
      for (const [at, entry] of value.entries()) yield* walk(entry, left, [...steps, at]);
      return;
    }
    const [key, ...rest] = left;
    if (key === undefined) {
      const isMeant = word === null || `${value}` === word || (Array.isArray(value) && value.includes(word));
      if (isMeant) yield steps;
      return;
    }
    if (!isObject(value)) return;
    for (const own of key === '*' ? Object.keys(value) : [key]) {
      if (Object.hasOwn(value, own)) yield* walk(value[own], rest, [...steps, own]);
    }
  }
}

/** Everything in a case that bears keys, by the names that subjects begin with. */
function* carriersOf(source: CaseSource): Generator<Carrier> {
  const single = (name: string, at: Steps): Carrier => ({ name, at, record: at });
  const nodes = function* (list: CaseSource['nodes'], at: Steps): Generator<Carrier> {
    for (const [number, { type }] of (list ?? []).entries())
      yield { name: type, at: [...at, number, 'config'], record: [...at, number] };
  };
  yield* nodes(source.nodes, ['nodes']);
  yield single('flowConfig', ['flowConfig']);
  yield single('score', ['flowConfig', 'scoring']);
  for (const [number, flow] of (source.subFlows ?? []).entries()) {
    yield* nodes(flow.nodes, ['subFlows', number, 'nodes']);
    yield single('score', ['subFlows', number, 'flowConfig', 'scoring']);
  }
  for (const [list, name, usual] of [
    ['policies', 'policy', 'frequency_cap'],
    ['rules', 'rule', 'attribute_condition'],
  ] as const) {
    for (const [number, { ruleType = usual }] of (source[list] ?? []).entries()) {
      yield single(name, [list, number]);
      yield { name: ruleType, at: [list, number, 'config'], record: [list, number] };
    }
  }
  for (const [number, { key, modelType }] of (source.models ?? []).entries()) {
    yield { name: modelType, at: ['models', number, 'config'], record: ['models', number] };
    yield single('model', ['models', number]);
    yield single(`${modelType}_state`, ['modelStates', key]);
  }
  for (const [list, name] of [
    ['offers', 'offer'],
    ['creatives', 'creative'],
    ['channels', 'channel'],
    ['placements', 'placement'],
    ['suppressions', 'suppression'],
  ] as const) {
    for (const number of (source[list] ?? []).keys()) yield single(name, [list, number]);
  }
  for (const name of ['tenant', 'flow', 'request'] as const) yield single(name, [name]);
}

/** Returns the case without the key. If the rest can't be stored, without the smallest surrounding part that can go. */
function removed(source: Json, steps: Steps, { at, record }: Carrier): Json | null {
  for (let length = steps.length; length > at.length; length -= 1) {
    const without = changed(source, steps.slice(0, length), () => undefined);
    if (isSoundAs(without, source)) return without;
  }
  const without = changed(source, record, () => undefined);
  return isSoundAs(without, source) ? without : null;
}

function changed(source: Json, steps: Steps, change: (value: Json) => Json | undefined): Json {
  const copy = JSON.parse(JSON.stringify(source)) as Json;
  const last = steps.at(-1);
  const holder = read(copy, steps.slice(0, -1)) as Record<string | number, Json> | Json[] | undefined;
  if (holder === undefined || last === undefined) throw new Error(`the case has no value at ${steps.join('.')}`);
  const value = change((holder as Record<string | number, Json>)[last] as Json);
  if (value !== undefined) (holder as Record<string | number, Json>)[last] = value;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete (holder as Record<string | number, Json>)[last];
  return copy;
}

function read(value: Json | undefined, steps: Steps): Json | undefined {
  return steps.reduce<Json | undefined>(
    (found, step) => (found as Readonly<Record<string | number, Json>> | null | undefined)?.[step],
    value,
  );
}

/** True when it can be read and no config has more mistakes than before. */
function isSoundAs(changedCase: Json, source: Json): boolean {
  try {
    return mistakesOf(changedCase) <= mistakesOf(source);
  } catch {
    // Without the key it is no case at all, as a suppression without an end.
    return false;
  }
}

function mistakesOf(json: Json): number {
  const read = readCase(json);
  const { snapshot } = read;
  // Reads the instants of the case.
  read.input(compile(snapshot));
  const flow = validateFlow(snapshot.flow.config, openReferences, { use: 'draft' });
  const configs = [
    ...snapshot.policies.map(({ ruleType, config }) => policyProblems(ruleType, config)),
    ...snapshot.rules.map(({ ruleType, config }) => ruleProblems(ruleType, config)),
    ...(snapshot.models ?? []).map(({ modelType, config }) => modelProblems(modelType, config)),
  ];
  return configs.reduce((sum, { length }) => sum + length, flow.errors.length);
}

const plain = (value: unknown): string => canonicalJson(JSON.parse(JSON.stringify(value ?? null)) as Json);

/** True if the case still meets its expectations; null if it can't be decided. */
function stillHolds(json: Json): boolean | null {
  const read = readCase(json);
  try {
    const plan = compile(read.snapshot);
    const input = read.input(plan);
    const actual = expectationsOf(decide(plan, input), decide(plan, input, { trace: true }));
    return Object.entries(read.expect).every(([key, wanted]) => plain(actual[key]?.()) === plain(wanted));
  } catch {
    // Without the key there is no plan, as with a flow that has no score.
    return null;
  }
}

/** True if the number, moved by one step up or down, breaks an expectation; null if it isn't a number. */
export function isAtBoundary(claim: Claim, source: Json): boolean | null {
  let isNumber = false;
  for (const { steps } of placesOf(claim, source)) {
    const value = read(source, steps);
    if (typeof value !== 'number') continue;
    isNumber = true;
    const step = Number.isInteger(value) ? 1 : 0.000001;
    for (const next of [value + step, value - step]) {
      const moved = changed(source, steps, () => next);
      if (isSoundAs(moved, source) && stillHolds(moved) === false) return true;
    }
  }
  return isNumber ? false : null;
}
