import type { DroppedOffer } from '../deciding/decision-drops.ts';
import type { PolicyResult } from '../deciding/decision-policies.ts';
import type { RuleResult } from '../deciding/decision-rules.ts';
import type { SuppressionResult } from '../deciding/decision-trace.ts';
import type { ExplainedDecision } from './explain.ts';
import type { ExplainedGates, ExplainedItem, ExplainedScore } from './explanation.ts';
import { type DetailFormat, dropDetail, reasonText } from './texts.ts';

// A decision offer by offer. Pure functions of types: importing them loads no schemas.

/** `shown`: in the response. `lost`: scored, but outranked. `blocked`: dropped before scoring. */
export type Fate = 'shown' | 'lost' | 'blocked';

/** `overridden`: another policy lifts the block. `lowered`: a failed match rule, which lowers the score. */
export type GateStatus = 'passed' | 'blocked' | 'skipped' | 'overridden' | 'lowered';

/** A rule, contact policy or suppression, and its verdict on an offer. */
export type OfferGate = { readonly id: string | null; readonly name: string | null; readonly status: GateStatus } & (
  | { readonly kind: 'rule'; readonly result: RuleResult }
  | { readonly kind: 'policy'; readonly result: PolicyResult }
  | { readonly kind: 'suppression'; readonly result: SuppressionResult }
);

/** An offer that the decision evaluated. */
export interface OfferStory {
  readonly offerId: string;
  /** Null if the source doesn't name it. */
  readonly name: string | null;
  readonly fate: Fate;
  /** Position in the response; null unless shown. */
  readonly rank: number | null;
  /** Position by score; null if it wasn't scored. */
  readonly place: number | null;
  readonly score: ExplainedScore | null;
  readonly shown: ExplainedItem | null;
  readonly dropped: DroppedOffer | null;
  /** Null if the source has no gates. */
  readonly gates: readonly OfferGate[] | null;
}

/** Returns every offer: shown ones in order, then lost ones by score, then blocked ones by name. */
export function offersOf(explained: ExplainedDecision): readonly OfferStory[] {
  const stories = new Map<string, OfferStory>();
  const scores = new Map(explained.scores.map((row) => [row.offerId, row]));
  const dropped = new Map<string, DroppedOffer>();
  // An offer with creatives for several placements may be dropped once per placement; use the first reason.
  for (const row of explained.dropped) if (!dropped.has(row.offerId)) dropped.set(row.offerId, row);
  const gates = explained.gates === null ? null : gatesByOffer(explained.gates);
  const add = (offerId: string, fate: Fate, shown: ExplainedItem | null): void => {
    if (stories.has(offerId)) return;
    const score = scores.get(offerId) ?? null;
    stories.set(offerId, {
      offerId,
      name: shown?.offerName ?? dropped.get(offerId)?.offerName ?? null,
      fate,
      rank: shown?.rank ?? null,
      place: score?.rank ?? null,
      score,
      shown,
      dropped: shown === null ? (dropped.get(offerId) ?? null) : null,
      gates: gates === null ? null : (gates.get(offerId) ?? []),
    });
  };
  for (const item of explained.items) add(item.offerId, 'shown', item);
  for (const row of explained.scores) add(row.offerId, 'lost', null);
  const blocked = [...dropped.values()].sort((a, b) => a.offerName.localeCompare(b.offerName));
  for (const row of blocked) add(row.offerId, 'blocked', null);
  return [...stories.values()];
}

function gatesByOffer({ rules, suppressions, policies }: ExplainedGates): ReadonlyMap<string, readonly OfferGate[]> {
  const gates = [...rules.map(ruleGate), ...suppressions.map(suppressionGate), ...policies.map(policyGate)];
  return Map.groupBy(gates, ({ result }) => result.offerId);
}

function ruleGate(result: RuleResult): OfferGate {
  // A failed match rule lets the offer pass but lowers its score.
  const failed = result.stage === 'match' ? 'lowered' : 'blocked';
  const status = result.status === 'failed' ? failed : result.status;
  return { kind: 'rule', id: result.ruleId, name: result.ruleName, status, result };
}

const suppressionGate = (result: SuppressionResult): OfferGate => ({
  kind: 'suppression',
  id: result.policyId,
  name: null,
  status: result.blocked ? 'blocked' : 'overridden',
  result,
});

const policyGate = (result: PolicyResult): OfferGate => ({
  kind: 'policy',
  id: result.policyId,
  name: result.policyName,
  status: result.status,
  result,
});

/** Returns the gate that dropped the offer; null if it is another reason, or unknown. */
export function droppingGate({ dropped, gates }: OfferStory): OfferGate | null {
  const id = dropped?.ruleId ?? dropped?.policyId ?? null;
  return id === null ? null : (gates?.find((gate) => gate.id === id) ?? null);
}

/** Returns why an offer was dropped, in one line; empty if it wasn't. */
export function dropLine(story: OfferStory, format: DetailFormat): string {
  const { dropped } = story;
  if (dropped === null) return '';
  const { detail } = dropped;
  const stated = detail !== null && 'reason' in detail ? detail.reason : null;
  return dropDetail(dropped, format) ?? droppingGate(story)?.result.reason ?? stated ?? reasonText(dropped.reason).text;
}

/** Counts offers by fate. */
export function countFates(offers: readonly OfferStory[]): Readonly<Record<Fate, number>> {
  const counts = { shown: 0, lost: 0, blocked: 0 };
  for (const { fate } of offers) counts[fate] += 1;
  return counts;
}

/** Offers dropped for the same reason. */
export interface ReasonGroup {
  readonly key: string;
  readonly reason: DroppedOffer['reason'];
  /** The blocking rule or policy; null for other reasons. */
  readonly gateId: string | null;
  /** Its name, if known. */
  readonly gateName: string | null;
  readonly stage: string;
  readonly offers: readonly OfferStory[];
}

/** Groups dropped offers by reason, largest group first. Excludes shown offers. */
export function groupByReason(offers: readonly OfferStory[]): readonly ReasonGroup[] {
  const left = offers.filter(({ fate }) => fate !== 'shown');
  const groups = [...Map.groupBy(left, groupKey)].map(([key, [first, ...others]]): ReasonGroup | null => {
    if (first === undefined) return null;
    const { dropped } = first;
    return {
      key,
      reason: dropped?.reason ?? 'cut',
      gateId: dropped?.ruleId ?? dropped?.policyId ?? null,
      gateName: droppingGate(first)?.name ?? null,
      stage: dropped?.stage ?? '',
      offers: [first, ...others],
    };
  });
  return groups
    .filter((group) => group !== null)
    .sort((a, b) => b.offers.length - a.offers.length || (a.key < b.key ? -1 : 1));
}

function groupKey({ dropped }: OfferStory): string {
  const gateId = dropped?.ruleId ?? dropped?.policyId ?? null;
  const detail = dropped?.detail ?? null;
  const cause = gateId === null && detail !== null && 'cause' in detail ? detail.cause : '';
  return [dropped?.reason ?? 'cut', gateId ?? '', cause].join(' ');
}
