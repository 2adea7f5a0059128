import { isDeepStrictEqual } from 'node:util';
import { compile, type DecisionInput, decide, type Json, type Plan } from '@arbiter/engine';
import type { ConformanceCase } from '../../packages/engine/test/conformance/case.ts';
import { expectationsOf } from '../../packages/engine/test/conformance/expectations.ts';
import { isZone, zoneClock } from '../../packages/server/src/platform/time/zones.ts';

/** Which expectations of a case also apply to the server, with its own ids, sums and clocks. */
export interface Standing {
  /** Expectations that hold for any seed. */
  readonly keys: readonly string[];
  /** Expectations that depend on chance: they apply to a request whose seed has the same luck. */
  readonly chance: readonly string[];
  /** Expectations that hold in no plan of this version, for the evidence that the server can have. */
  readonly old: readonly string[];
  /** True: only the case's own time zones prevent the rest from applying. */
  readonly isOfClock: boolean;
}

/** Seeds that are tried on decisions with chance, and customers on those that pick among creatives. */
const others = 40;

/** `now`: when the case is decided. */
export function standingOf(read: ConformanceCase, now: number): Standing {
  const plan = planOf(read);
  const usual = served(read, plan, now);
  const holds = holding(plan, usual, read.expect);
  const always = new Set(holds);
  const { slateProbability, assignment, items } = decide(plan, usual);
  const isDrawn = slateProbability !== 1 || (read.snapshot.models ?? []).length > 0;
  // Creatives are picked by id, and the server has other ids, so expectations must not depend on the pick.
  const isPicked = assignment.creative.some((share) => share !== 1);
  for (let number = 1; number <= others && (isDrawn || isPicked); number += 1) {
    const input = isDrawn ? { ...usual, seed: someSeed(number) } : usual;
    const customerId = isPicked ? `other ${number}` : usual.request.customerId;
    const still = holding(plan, { ...input, request: { ...usual.request, customerId } }, read.expect);
    for (const key of always) if (!still.has(key)) always.delete(key);
  }
  const keys = Object.keys(read.expect);
  const old = keys.filter((key) => !holds.has(key));
  const asSaid = old.length === 0 ? holds : holding(plan, summed(read, read.input(plan)), read.expect);
  const isEstimated = items.some(({ selection }) => selection.estimated);
  // No seed can give a result that the pick of a creative affects.
  const drawn = isPicked ? [] : keys.filter((key) => holds.has(key) && !always.has(key));
  return {
    keys: [...always],
    chance: withinReach(
      drawn.filter((key) => !(isEstimated && estimates.has(key))),
      (some) => isMetBy(plan, usual, read, some),
    ),
    old,
    isOfClock: old.length > 0 && keys.every((key) => asSaid.has(key)),
  };
}

/** Estimates from repeated draws, which no other seed repeats. */
const estimates: ReadonlySet<string> = new Set(['probabilities', 'slateProbability']);
/** Numbers that a model draws itself. */
const drawnNumbers: ReadonlySet<string> = new Set([...estimates, 'scores', 'propensities']);
const maxSeeds = 300;

/** Returns the expectations that some other seed meets, all at once. */
function withinReach(
  keys: readonly string[],
  isMetFor: (keys: readonly string[]) => (seed: string) => boolean,
): readonly string[] {
  for (const wanted of [keys, keys.filter((key) => !drawnNumbers.has(key))]) {
    if (wanted.length === 0) continue;
    const isMet = isMetFor(wanted);
    for (let number = 1; number <= maxSeeds; number += 1) if (isMet(someSeed(number))) return wanted;
  }
  return [];
}

function isMetBy(plan: Plan, usual: DecisionInput, { expect }: ConformanceCase, keys: readonly string[]) {
  const wanted = Object.fromEntries(keys.map((key) => [key, expect[key] ?? null]));
  return (seed: string): boolean => holding(plan, { ...usual, seed }, wanted).size === keys.length;
}

/** Whether a decision with this seed gives what the case expects. */
export function luckOf(read: ConformanceCase, now: number, keys: readonly string[]): (seed: string) => boolean {
  const plan = planOf(read);
  return isMetBy(plan, served(read, plan, now), read, keys);
}

const planOf = ({ snapshot }: ConformanceCase): Plan => compile(snapshot);

const someSeed = (number: number): string => (0x9e3779b9 * number).toString(16).slice(-8).padStart(8, '0').repeat(4);

/** The input that the server will have: its time zones have their real offsets. */
function served(read: ConformanceCase, plan: Plan, now: number): DecisionInput {
  const clockOf = (zone: string) => (isZone(zone) ? zoneClock(zone, now) : null);
  return summed(read, read.input(plan, { now, clockOf }));
}

function holding(plan: Plan, input: DecisionInput, expect: { readonly [key: string]: Json }): Set<string> {
  const actual = expectationsOf(decide(plan, input), decide(plan, input, { trace: true }));
  const heard = (key: string): unknown => JSON.parse(JSON.stringify(actual[key]?.() ?? null));
  return new Set(Object.keys(expect).filter((key) => isDeepStrictEqual(heard(key), expect[key])));
}

/** One change of the tenant's evidence. */
export interface EvidenceOf {
  /** Null: an offer that the catalogue does not have. */
  readonly offerId: string | null;
  readonly categoryId: string | null;
  readonly pair: readonly [positives: number, negatives: number];
}

/**
 * Returns the evidence of a case as changes: a category is the sum of its offers, the tenant the sum of all, deleted
 * ones included.
 */
export function evidenceChanges({ source, snapshot }: ConformanceCase): EvidenceOf[] {
  const { offers = {}, categories = {}, global } = source.evidence ?? {};
  const categoryOf = (id: string) => snapshot.offers.find((offer) => offer.id === id)?.categoryId ?? null;
  const changes: EvidenceOf[] = Object.entries(offers).map(([id, pair]) => ({
    offerId: id,
    categoryId: categoryOf(id),
    pair,
  }));
  const sum = (rows: readonly EvidenceOf[]) =>
    rows.reduce(([p, n], { pair }) => [p + pair[0], n + pair[1]] as const, [0, 0] as readonly [number, number]);
  const missing = (wanted: readonly [number, number], rows: readonly EvidenceOf[]) => {
    const [p, n] = sum(rows);
    return [Math.max(0, wanted[0] - p), Math.max(0, wanted[1] - n)] as const;
  };
  for (const [categoryId, wanted] of Object.entries(categories)) {
    const own = changes.filter((change) => change.categoryId === categoryId);
    changes.push({ offerId: null, categoryId, pair: missing(wanted, own) });
  }
  if (global !== undefined) changes.push({ offerId: null, categoryId: null, pair: missing(global, changes) });
  return changes.filter(({ pair }) => pair[0] > 0 || pair[1] > 0);
}

function summed(read: ConformanceCase, input: DecisionInput): DecisionInput {
  const changes = evidenceChanges(read);
  const sum = (wanted: (change: EvidenceOf) => boolean): [number, number] => {
    const pairs = changes.filter(wanted).map(({ pair }) => pair);
    return [pairs.reduce((all, [p]) => all + p, 0), pairs.reduce((all, [, n]) => all + n, 0)];
  };
  return {
    ...input,
    evidence: {
      number: 1,
      offer: (id) => sum(({ offerId }) => offerId === id),
      category: (id) => sum(({ categoryId }) => categoryId === id),
      global: sum(() => true),
    },
  };
}
