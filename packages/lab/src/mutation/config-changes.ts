import { type Json, parseInstant } from '@arbiter/engine';
import { pointerStep } from '../decision-tests/problems.ts';

export type MutantKind = 'boundary' | 'gate' | 'weight';

/** A change to one value inside a config. */
export interface ConfigChange {
  readonly kind: MutantKind;
  /** JSON Pointer below the config. */
  readonly path: string;
  /** For people: `18 → 19`, `left out`. */
  readonly text: string;
  readonly after: Json;
}

/** Numbers that no decision depends on. */
const withoutEffect: ReadonlySet<string> = new Set(['cacheTtlSeconds', 'timeoutMs', 'draws']);

/** Numbers that weigh or draw, by the end of their key or by the object around them. */
const weightKey = /weight$|rate$|^lambda$|^diversityLambda$|^temperature$|^ucbC$|^blendFactor$|^penalty$|^smoothing$/i;
const weightObjects: ReadonlySet<string> = new Set(['weights', 'placementWeights', 'similarity']);

type Members = { readonly [key: string]: Json };
const isObject = (value: Json): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Yields the changes to a config, each with alternatives in the order to try them, because a limit may refuse the first.
 * Numbers and dates are boundaries unless their key makes them weights. Parts of a group of conditions are gates.
 */
export function* changesOf(config: Json): Generator<readonly ConfigChange[]> {
  for (const { path, keys, value } of placesIn(config, [])) {
    const key = keys.findLast((step) => !/^\d+$/.test(step)) ?? '';
    if (withoutEffect.has(key)) continue;
    const change = (kind: MutantKind, text: string, part: Json | undefined): ConfigChange => ({
      ...{ kind, path, text },
      after: replaced(config, keys, part),
    });
    const isWeight = weightKey.test(key) || keys.some((step) => weightObjects.has(step));
    if (typeof value === 'number') {
      const kind = isWeight ? 'weight' : 'boundary';
      const options = isWeight ? otherWeights(value) : nextNumbers(value);
      yield options.map((next) => change(kind, `${value} → ${next}`, next));
    } else if (typeof value === 'string') {
      const next = nextDay(value);
      if (next !== null) yield [change('boundary', `${value} → ${next}`, next)];
    } else if (keys.at(-2) === 'conditions' && isShared(config, keys)) {
      yield [change('gate', 'left out', undefined)];
    }
  }
}

interface Place {
  readonly path: string;
  readonly keys: readonly string[];
  readonly value: Json;
}

function* placesIn(value: Json, keys: readonly string[]): Generator<Place> {
  if (keys.length > 0) yield { path: keys.map((key) => `/${pointerStep(key)}`).join(''), keys, value };
  if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* placesIn(item as Json, [...keys, `${at}`]);
  else if (isObject(value)) for (const [key, inner] of Object.entries(value)) yield* placesIn(inner, [...keys, key]);
}

/** True for a part of a group with others. */
function isShared(config: Json, keys: readonly string[]): boolean {
  const group = keys.slice(0, -1).reduce<Json | undefined>(memberOf, config);
  return Array.isArray(group) && group.length > 1;
}

const memberOf = (holder: Json | undefined, key: string): Json | undefined =>
  Array.isArray(holder) ? holder[Number(key)] : holder !== undefined && isObject(holder) ? holder[key] : undefined;

/** Returns a copy with another value at a path; undefined removes the path. */
function replaced(holder: Json, [key, ...deeper]: readonly string[], value: Json | undefined): Json {
  if (key === undefined) return value ?? null;
  const inner = memberOf(holder, key) ?? null;
  const next = deeper.length === 0 ? value : replaced(inner, deeper, value);
  if (Array.isArray(holder)) {
    return holder.flatMap((item: Json, at) => (String(at) !== key ? [item] : next === undefined ? [] : [next]));
  }
  if (!isObject(holder)) return holder;
  return Object.fromEntries(
    Object.entries(holder).flatMap(([name, own]) =>
      name !== key ? [[name, own]] : next === undefined ? [] : [[name, next]],
    ),
  );
}

/** One step in the last digit, up and down. */
function nextNumbers(value: number): number[] {
  const digits = /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0;
  const step = 10 ** -digits;
  return [value + step, value - step].map((next) => Number(next.toFixed(digits)));
}

/** Without the weight; for one that is off, with it. */
const otherWeights = (value: number): number[] => (value === 0 ? [1, 0.5] : [0, value / 2, value * 2]);

const dayMs = 86_400_000;

/** The date or instant one day later; null for other texts. */
function nextDay(text: string): string | null {
  const at = parseInstant(text);
  if (at === null) return null;
  const next = new Date(at + dayMs).toISOString();
  return text.length === 10 ? next.slice(0, 10) : next;
}
