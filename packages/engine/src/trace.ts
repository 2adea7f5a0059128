import { round6 } from './arithmetic/decimal.ts';
import type { DecisionTrace, DroppedRow } from './decision.ts';
import { maturityOf } from './scoring/propensity.ts';
import type { Json } from './snapshot.ts';
import type { Probe } from './why-not/probe.ts';

type StageRow = DecisionTrace['pipeline'][number];
const mostOfferRows = 2000;
const mostDropped = 500;

export interface QualificationRow {
  readonly offerId: string;
  readonly passed: boolean;
  readonly reason: string | null;
  readonly ruleId: string | null;
  readonly ruleName: string | null;
  readonly ruleType: string | null;
  readonly stage: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly penalty: number | null;
  readonly detail: Json;
}

export interface PolicyRow {
  readonly offerId: string;
  readonly blocked: boolean;
  readonly reason: string | null;
  readonly policyId: string;
  readonly policyName: string;
  readonly ruleType: string;
  readonly status: 'passed' | 'blocked' | 'skipped' | 'overridden';
  readonly overriddenBy: string | null;
  readonly detail: Json;
}

export interface SuppressionRow {
  readonly offerId: string;
  readonly blocked: boolean;
  readonly scope: string;
  readonly reason: string;
  readonly policyId: string | null;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** A scored candidate's part of a trace; unrounded. */
export interface ScoredRow {
  readonly offerId: string;
  readonly score: number;
  /** Name of the score method that gave the score. */
  readonly method: string;
  /** Exponents of the method `formula`; null where another method scored. */
  readonly exponents: {
    readonly propensity: number;
    readonly relevance: number;
    readonly impact: number;
    readonly emphasis: number;
  } | null;
  /** Weight of the chosen creative, 100 without one: a factor of `priority_weighted`. */
  readonly creativeWeight: number;
  readonly priority: number;
  readonly components: {
    readonly propensity: number;
    readonly relevance: number;
    readonly impact: number;
    readonly emphasis: number;
    readonly fitMultiplier: number;
  };
  readonly modelKey: string | null;
  readonly modelType: string | null;
  readonly propensitySource: string;
  readonly positives: number;
  readonly negatives: number;
  /** By key of the shadow model. */
  readonly shadowScores: Readonly<Record<string, number>>;
}

/** Collects the trace of one decision (docs/design/api-decisioning.md 11). */
export interface TraceBuilder {
  stage(row: StageRow): void;
  drop(row: DroppedRow): void;
  /** The offer is a candidate by another list than the one that refused it; a trace that is whole then forgets the refusal. */
  cameBack(offerId: string): void;
  qualification(row: QualificationRow): void;
  policy(row: PolicyRow): void;
  suppression(row: SuppressionRow): void;
  /** Best first. */
  scored(row: ScoredRow): void;
  /** Records the policies whose blocks an override lifted for an offer. */
  liftedFrom(offerId: string, overrideId: string): readonly string[];
  /** `winners`: offers of the answer, whose rows come first. */
  build(winners: ReadonlySet<string>): DecisionTrace;
}

/** `probe`: keeps the rows of its offer alone, and tells them to its examination. `isWhole`: nothing is cut from it. */
export function createTrace(probe: Probe | null = null, isWhole = false): TraceBuilder {
  const offerRows = isWhole ? Number.POSITIVE_INFINITY : mostOfferRows;
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
      dropped: isWhole ? dropped : dropped.slice(0, mostDropped),
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
    contributions: [],
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
