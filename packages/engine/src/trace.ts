import { round6 } from './arithmetic/decimal.ts';
import type { DroppedRow } from './plan/decision.ts';
import type { Probe } from './plan/probe.ts';
import type { Json } from './plan/snapshot.ts';
import type { PolicyRow, QualificationRow, ScoredRow, StageRow, SuppressionRow, TraceBuilder } from './plan/trace.ts';
import { maturityOf } from './scoring/propensity.ts';

const maxOfferRows = 2000;
const maxDropped = 500;

/** `probe`: keeps the rows of its offer alone, and tells them to its examination. `isWhole`: nothing is cut from it. */
export function createTrace(probe: Probe | null = null, isWhole = false): TraceBuilder {
  const offerRows = isWhole ? Number.POSITIVE_INFINITY : maxOfferRows;
  const pipeline: StageRow[] = [];
  const dropped: DroppedRow[] = [];
  const qualification: QualificationRow[] = [];
  const policy: PolicyRow[] = [];
  const suppression: SuppressionRow[] = [];
  const scored: Json[] = [];
  const lifted = new Map<string, string[]>();
  const isKept = ({ offerId }: { readonly offerId: string }): boolean => probe === null || offerId === probe.offerId;
  let ranked = 0;
  return {
    stage: (row) => void pipeline.push(roundStage(row)),
    drop: (row) => void (isKept(row) && dropped.push(row)),
    cameBack(offerId) {
      if (!isWhole) return;
      const left = dropped.filter((row) => row.offerId !== offerId);
      dropped.splice(0, dropped.length, ...left);
    },
    qualification(row) {
      if (!isKept(row)) return;
      qualification.push(row);
      probe?.examination?.qualification(row);
    },
    policy(row) {
      if (!isKept(row)) return;
      policy.push(row);
      probe?.examination?.policy(row);
      if (row.overriddenBy === null) return;
      const key = `${row.offerId} ${row.overriddenBy}`;
      const ids = lifted.get(key);
      if (ids === undefined) lifted.set(key, [row.policyId]);
      else ids.push(row.policyId);
    },
    suppression: (row) => void (isKept(row) && suppression.push(row)),
    scored(row) {
      ranked += 1;
      if (isKept(row)) scored.push(scoredRow(row, ranked));
    },
    liftedFrom: (offerId, overrideId) => lifted.get(`${offerId} ${overrideId}`) ?? [],
    build: (winners) => ({
      pipeline,
      scoringResults: scored.slice(0, offerRows),
      qualificationResults: winnersFirst(qualification, winners, offerRows),
      contactPolicyResults: winnersFirst(policy, winners, offerRows),
      suppressionResults: winnersFirst(suppression, winners, offerRows),
      dropped: isWhole ? dropped : dropped.slice(0, maxDropped),
    }),
  };
}

function roundStage(row: StageRow): StageRow {
  return row.topScore === null ? row : { ...row, topScore: round6(row.topScore) };
}

function scoredRow(row: ScoredRow, rank: number): Json {
  const { components, positives, negatives } = row;
  return {
    offerId: row.offerId,
    score: round6(row.score),
    rank,
    method: row.method,
    exponents: row.exponents === null ? null : { ...row.exponents },
    creativeWeight: row.creativeWeight,
    components: {
      propensity: round6(components.propensity),
      relevance: round6(components.relevance),
      impact: round6(components.impact),
      emphasis: round6(components.emphasis),
      fitMultiplier: round6(components.fitMultiplier),
    },
    priority: row.priority,
    modelKey: row.modelKey,
    modelType: row.modelType,
    propensitySource: row.propensitySource,
    evidence: { positives, negatives, maturity: maturityOf(positives + negatives) },
    shadowScores: Object.fromEntries(Object.entries(row.shadowScores).map(([key, score]) => [key, round6(score)])),
    contributions: row.contributions.map(({ feature, value }) => ({ feature, value: round6(value) })),
  };
}

function winnersFirst<R extends { readonly offerId: string }>(
  rows: readonly R[],
  winners: ReadonlySet<string>,
  most: number,
): Json[] {
  const first = rows.filter((row) => winners.has(row.offerId));
  const rest = rows.filter((row) => !winners.has(row.offerId));
  return [...first, ...rest].slice(0, most).map((row) => ({ ...row }));
}
