import type { Decision } from './plan/decision.ts';
import type { Json } from './plan/snapshot.ts';

const maxDifferences = 200;

/**
 * Returns the part of a decision that its record stores and that the result hash covers: without trace, and without
 * anything created at commit or measured (docs/design/api-decisioning.md 12). Numbers are unrounded.
 */
export function resultOf(decision: Decision): Json {
  const {
    trace: _trace,
    responseFormat: _format,
    includeFields: _fields,
    policyBlocks: _blocks,
    explored: _explored,
    minProbability: _least,
    draws,
    subFlows,
    policyErrors: _errors,
    models: _models,
    variant: _variant,
    experiments: _experiments,
    ...result
  } = decision;
  const more = { ...(draws === null ? {} : { draws }), ...(subFlows === null ? {} : { subFlows }) };
  // The members are JSON already; a copy of each would cost as much as the decision.
  return (draws === null && subFlows === null ? result : { ...result, ...more }) as unknown as Json;
}

export interface Difference {
  /** JSON Pointer into the result. */
  readonly path: string;
  /** Null when the value is absent on that side. */
  readonly recorded: Json;
  readonly replayed: Json;
}

/** Returns where two results differ, leaf by leaf, in path order of the recorded one; at most 200. */
export function diffResults(recorded: Json, replayed: Json): readonly Difference[] {
  const differences: Difference[] = [];
  compare(recorded, replayed, '', differences);
  return differences;
}

function compare(a: Json | undefined, b: Json | undefined, path: string, differences: Difference[]): void {
  if (differences.length >= maxDifferences || a === b) return;
  if (isRecord(a) && isRecord(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const escaped = key.replaceAll('~', '~0').replaceAll('/', '~1');
      compare(own(a, key), own(b, key), `${path}/${escaped}`, differences);
    }
    return;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let at = 0; at < Math.max(a.length, b.length); at++) compare(a[at], b[at], `${path}/${at}`, differences);
    return;
  }
  differences.push({ path, recorded: a ?? null, replayed: b ?? null });
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function own(value: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
