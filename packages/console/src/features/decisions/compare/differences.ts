import type { ExplainedDecision } from '@arbiter/contract/explanation/explain';
import { type Fate, type OfferStory, offersOf } from '@arbiter/contract/explanation/offers';
import { funnelOf } from '@arbiter/contract/explanation/stages';
import { isObject } from '../json.ts';

/** A value that differs between two documents. */
export interface ValueDifference {
  /** JSON Pointer. */
  readonly path: string;
  /** Undefined if missing. */
  readonly a: unknown;
  readonly b: unknown;
}

/** Returns the deepest differences between two JSON values; objects by name, lists by position. */
export function valueDifferences(a: unknown, b: unknown, path = ''): ValueDifference[] {
  if (isObject(a) && isObject(b)) {
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
    return names.flatMap((name) => valueDifferences(a[name], b[name], `${path}/${pointerPart(name)}`));
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    const length = Math.max(a.length, b.length);
    return Array.from({ length }, (_, at) => valueDifferences(a[at], b[at], `${path}/${at}`)).flat();
  }
  return Object.is(a, b) ? [] : [{ path, a, b }];
}

const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** An offer's result in one of two decisions. */
export interface OfferSide {
  readonly fate: Fate;
  readonly rank: number | null;
  readonly score: number | null;
  readonly reason: string | null;
  readonly story: OfferStory;
}

/**
 * `gained`: shown only in b. `lost`: shown only in a. `moved`: different rank. `reason`: not shown in either, with different
 * reasons. `rescored`: different score.
 */
export type Change = 'gained' | 'lost' | 'moved' | 'reason' | 'rescored' | 'same';

export interface OfferDifference {
  readonly offerId: string;
  readonly name: string | null;
  readonly change: Change;
  readonly a: OfferSide | null;
  readonly b: OfferSide | null;
}

export interface StepDifference {
  readonly key: string;
  readonly stage: string;
  readonly a: number | null;
  readonly b: number | null;
}

const order: readonly Change[] = ['gained', 'lost', 'moved', 'reason', 'rescored', 'same'];

/** Compares the offers of two decisions, biggest changes first. */
export function compareOffers(a: ExplainedDecision, b: ExplainedDecision): readonly OfferDifference[] {
  const [ofA, ofB] = [byId(offersOf(a)), byId(offersOf(b))];
  const ids = new Set([...ofA.keys(), ...ofB.keys()]);
  const found = [...ids].map((offerId): OfferDifference => {
    const [left, right] = [sideOf(ofA.get(offerId)), sideOf(ofB.get(offerId))];
    const name = left?.story.name ?? right?.story.name ?? null;
    return { offerId, name, change: changeOf(left, right), a: left, b: right };
  });
  const best = ({ a: left, b: right }: OfferDifference): number => Math.min(left?.rank ?? 1e9, right?.rank ?? 1e9);
  return found.sort(
    (x, y) =>
      order.indexOf(x.change) - order.indexOf(y.change) ||
      best(x) - best(y) ||
      (x.name ?? x.offerId).localeCompare(y.name ?? y.offerId),
  );
}

const byId = (stories: readonly OfferStory[]): Map<string, OfferStory> =>
  new Map(stories.map((story) => [story.offerId, story]));

function sideOf(story: OfferStory | undefined): OfferSide | null {
  if (story === undefined) return null;
  const { fate, rank, score, shown, dropped } = story;
  return { fate, rank, score: score?.score ?? shown?.score ?? null, reason: dropped?.reason ?? null, story };
}

function changeOf(a: OfferSide | null, b: OfferSide | null): Change {
  const [inA, inB] = [a?.fate === 'shown', b?.fate === 'shown'];
  if (inA !== inB) return inB ? 'gained' : 'lost';
  if (inA && a?.rank !== b?.rank) return 'moved';
  if (!inA && (a?.fate !== b?.fate || a?.reason !== b?.reason || gateIdOf(a) !== gateIdOf(b))) return 'reason';
  return a?.score === b?.score ? 'same' : 'rescored';
}

const gateIdOf = (side: OfferSide | null): string | null =>
  side?.story.dropped?.ruleId ?? side?.story.dropped?.policyId ?? null;

/** Compares two funnels in the order of a; steps only in b follow the step before them. */
export function compareFunnels(a: ExplainedDecision, b: ExplainedDecision): readonly StepDifference[] {
  const [left, right] = [funnelOf(a), funnelOf(b)];
  const keys = left.map(({ key }) => key);
  right.forEach(({ key }, at) => {
    if (keys.includes(key)) return;
    const before = right[at - 1]?.key;
    const place = before === undefined ? 0 : keys.indexOf(before) + 1;
    keys.splice(place, 0, key);
  });
  return keys.map((key) => {
    const [mine, theirs] = [left.find((step) => step.key === key), right.find((step) => step.key === key)];
    return { key, stage: mine?.stage ?? theirs?.stage ?? key, a: mine?.count ?? null, b: theirs?.count ?? null };
  });
}
