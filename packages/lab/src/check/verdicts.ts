import type { Passage } from './offer-gates.ts';
import type { Branch, Solver } from './solver.ts';
import type { CheckInput, Gate } from './subject.ts';
import { canOpen } from './times.ts';

/** Whether some customer, request and instant passes all gates of one passage. */
export type PassageVerdict =
  | { readonly verdict: 'never' }
  | { readonly verdict: 'unknown' }
  | { readonly verdict: 'possible'; readonly branch: Branch };

export function judgePassage(
  gates: readonly Gate[],
  solver: Solver,
  { now, clockAt }: Pick<CheckInput, 'now' | 'clockAt'>,
): PassageVerdict {
  const limits = gates.flatMap(({ time }) => time ?? []);
  if (!canOpen(limits, now, clockAt)) return { verdict: 'never' };
  return solver.solve(gates.map(({ formula }) => formula));
}

/** Asks whether every passage is closed once the gates with these keys are away. */
export type IsClosed = (away: ReadonlySet<string>) => boolean;

export function closedBy(passages: readonly Passage[], solver: Solver, input: CheckInput): IsClosed {
  return (away) =>
    passages.every(
      ({ gates }) =>
        judgePassage(
          gates.filter(({ key }) => !away.has(key)),
          solver,
          input,
        ).verdict === 'never',
    );
}

/** The gates of all passages, once each, in order. */
export function gatesOf(passages: readonly Passage[]): ReadonlyMap<string, Gate> {
  return new Map(passages.flatMap(({ gates }) => gates.map((gate) => [gate.key, gate])));
}

/** Maximum cores to find, and gates to take away at once. */
const maxCores = 20;
const maxAway = 3;

export interface Conflicts {
  /** Minimal sets of gates that exclude each other. */
  readonly cores: readonly (readonly string[])[];
  /** Minimal sets with at least one gate of each core, smallest first. */
  readonly repairs: readonly (readonly string[])[];
}

/**
 * Finds minimal cores by deletion, and the sets that hit them all by a tree: below
 * each core are its gates, removed one by one (Reiter 1987, as corrected by Greiner).
 */
export function* conflictsOf(keys: readonly string[], isClosed: IsClosed): Generator<void, Conflicts> {
  const cores: (readonly string[])[] = [];
  const repairs: (readonly string[])[] = [];
  const seen = new Set<string>();
  const queue: (readonly string[])[] = [[]];
  for (let away = queue.shift(); away !== undefined; away = queue.shift()) {
    yield;
    const name = away.toSorted().join('\n');
    if (seen.has(name)) continue;
    seen.add(name);
    const removedGates = new Set(away);
    if (repairs.some((repair) => repair.every((key) => removedGates.has(key)))) continue;
    let core = cores.find((known) => !known.some((key) => removedGates.has(key)));
    if (core === undefined) {
      if (!isClosed(removedGates)) {
        repairs.push(away);
        continue;
      }
      if (cores.length === maxCores) continue;
      core = yield* shrink(
        keys.filter((key) => !removedGates.has(key)),
        keys,
        isClosed,
      );
      cores.push(core);
    }
    if (away.length < maxAway) for (const key of core) queue.push([...away, key]);
  }
  return { cores, repairs };
}

/** Takes gates away, many at first and then fewer, as long as the rest is still closed. */
function* shrink(
  candidates: readonly string[],
  keys: readonly string[],
  isClosed: IsClosed,
): Generator<void, readonly string[]> {
  let left = candidates;
  for (let size = Math.ceil(left.length / 2); ; size = Math.ceil(size / 2)) {
    for (let at = 0; at < left.length; ) {
      yield;
      const rest = left.filter((_, position) => position < at || position >= at + size);
      const isNeeded = new Set(rest);
      if (isClosed(new Set(keys.filter((key) => !isNeeded.has(key))))) left = rest;
      else at += size;
    }
    if (size === 1) return left;
  }
}
