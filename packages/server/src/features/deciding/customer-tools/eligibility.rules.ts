import type { CustomerEligibility, JudgedOffer, PolicyResult, RuleResult } from '@arbiter/contract';
import { compareText, type DecisionTrace, round6, type SnapshotOffer } from '@arbiter/engine';
import type { ToolRows } from './trace-details.ts';

/** What every gate of a flow said of every offer, in one channel. */
export interface Survey {
  readonly dropped: DecisionTrace['dropped'];
  /** Its scores: all candidates of the flow except mandatory offers. */
  readonly rows: ToolRows;
  /** Why no offer can be shown at all: `no_channel`, `no_placement`, `placement_inactive`; otherwise null. */
  readonly closed: string | null;
}

/** What one channel says of an offer. */
interface Verdict {
  readonly reasons: ReadonlySet<string>;
  /** The first of them; null when nothing refuses it. */
  readonly first: string | null;
  /** Null when the flow does not score it. */
  readonly score: number | null;
  /** Its rank among scored offers; after them if it has no score. */
  readonly place: number;
  readonly qualification: readonly RuleResult[];
  readonly policies: readonly PolicyResult[];
}

type EligibilityRow = Omit<JudgedOffer, 'rank'>;

/** The offers with what refuses them, and how many each gate refuses (docs/design/api-access.md 16). */
export function judgeOffers(
  offers: readonly SnapshotOffer[],
  surveys: readonly Survey[],
  creativesOf: (offerId: string) => number,
  now: number,
): { readonly offers: JudgedOffer[]; readonly summary: CustomerEligibility['summary'] } {
  const verdictsOf = surveys.map(verdicts);
  const summary = {
    totalOffers: offers.length,
    eligibleCount: 0,
    ineligibleCount: 0,
    failedQualification: 0,
    blockedByContactPolicy: 0,
    suppressed: 0,
    blockedBySchedule: 0,
    noCreatives: 0,
  };
  const judged = offers.map((offer) => {
    const isForced = mustBeShown(offer, now);
    const verdict = verdictsOf
      .map((of) => of(offer.id, isForced))
      .reduce((best, other) => (isBetter(other, best) ? other : best));
    const { reasons } = verdict;
    summary[verdict.first === null ? 'eligibleCount' : 'ineligibleCount'] += 1;
    if (reasons.has('qualification')) summary.failedQualification += 1;
    if (reasons.has('contact_policy')) summary.blockedByContactPolicy += 1;
    if (reasons.has('suppressed')) summary.suppressed += 1;
    if (reasons.has('schedule')) summary.blockedBySchedule += 1;
    if (reasons.has('no_creative')) summary.noCreatives += 1;
    // Places of several channels say nothing of each other.
    const place = surveys.length === 1 ? verdict.place : 0;
    return { isForced, place, row: rowOf(offer, verdict, creativesOf(offer.id), isForced) };
  });
  const passing = judged.filter(({ row }) => row.eligible).sort(byPlace);
  const others = judged.filter(({ row }) => !row.eligible).sort((a, b) => compareText(a.row.offerId, b.row.offerId));
  const ranked = passing.map(({ row }, at) => ({ ...row, rank: at + 1 }));
  return { offers: [...ranked, ...others.map(({ row }) => ({ ...row, rank: null }))], summary };
}

function rowOf(offer: SnapshotOffer, verdict: Verdict, creativeCount: number, isForced: boolean): EligibilityRow {
  const { first, reasons } = verdict;
  return {
    offerId: offer.id,
    offerName: offer.name,
    categoryId: offer.categoryId,
    subCategoryId: offer.subCategoryId,
    priority: offer.priority,
    eligible: first === null,
    primaryReason: first,
    score: first === null ? round6(isForced ? 1 : (verdict.score ?? 0)) : null,
    scheduleBlocked: reasons.has('schedule'),
    qualificationPassed: !reasons.has('qualification'),
    qualification: verdict.qualification.map(({ ruleId, ruleName, ruleType, stage, passed, reason, detail }) => ({
      ruleId,
      ruleName,
      ruleType,
      stage,
      passed,
      reason,
      detail,
    })),
    contactPolicyBlocked: verdict.policies.length > 0,
    policies: verdict.policies.map(({ policyId, policyName, ruleType, blocked, reason, detail }) => ({
      policyId,
      policyName,
      ruleType,
      blocked,
      reason,
      detail,
    })),
    creativeCount,
  };
}

type PlacedRow = { readonly isForced: boolean; readonly place: number; readonly row: EligibilityRow };

/**
 * Mandatory offers come first; then the tie break of docs/design/api-decisioning.md 1 no. 3. Equal scores of one
 * channel stand as the decision has them, which compares unrounded scores and the priorities of creatives.
 */
function byPlace(a: PlacedRow, b: PlacedRow): number {
  if (a.isForced !== b.isForced) return a.isForced ? -1 : 1;
  return (
    (b.row.score ?? 0) - (a.row.score ?? 0) ||
    (a.isForced ? 0 : a.place - b.place) ||
    b.row.priority - a.row.priority ||
    compareText(a.row.offerId, b.row.offerId)
  );
}

const mustBeShown = ({ mandatory, mandatoryExpiresAt }: SnapshotOffer, now: number): boolean =>
  mandatory && (mandatoryExpiresAt === null || now < mandatoryExpiresAt);

/** Of two channels the one that lets the offer in, with the higher score; else the one with fewer refusals. */
function isBetter(a: Verdict, b: Verdict): boolean {
  if ((a.first === null) !== (b.first === null)) return a.first === null;
  if (a.first === null) return (a.score ?? 0) > (b.score ?? 0);
  return a.reasons.size < b.reasons.size;
}

function verdicts(survey: Survey): (offerId: string, isForced: boolean) => Verdict {
  const refusals = Map.groupBy(survey.dropped, ({ offerId }) => offerId);
  const rules = Map.groupBy(survey.rows.rules, ({ offerId }) => offerId);
  const policies = Map.groupBy(
    survey.rows.policies.filter(({ blocked }) => blocked),
    ({ offerId }) => offerId,
  );
  const scored = new Map(
    survey.rows.scores.map(({ offerId, score }, at) => [offerId, { score, at }] as const).toReversed(),
  );
  return (offerId, isForced) => {
    const drops = refusals.get(offerId) ?? [];
    const found = scored.get(offerId);
    const score = found?.score ?? null;
    // What no gate has seen the flow does not take.
    const isSeen = score !== null || isForced || drops.length > 0;
    return {
      reasons: new Set(drops.map(({ reason }) => reason)),
      first: survey.closed ?? drops[0]?.reason ?? (isSeen ? null : 'inventory'),
      score,
      place: found?.at ?? survey.rows.scores.length,
      qualification: rules.get(offerId) ?? [],
      // A policy of a list that the offer did not come by blocks nothing.
      policies: drops.some(({ reason }) => reason === 'contact_policy') ? (policies.get(offerId) ?? []) : [],
    };
  };
}
