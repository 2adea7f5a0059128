import { countsOf, isObject, type JsonObject, numberOf, objectOf, objectsOf, textOf, textsOf } from './reading.ts';

/** How a decision was made, from any source. */
export interface Explained {
  /**
   * `trace`: the stored trace. `rebuilt`: the record replayed because no trace was stored; it names no passed gates. `record`:
   * only the items in the sealed record.
   */
  readonly origin: 'trace' | 'rebuilt' | 'record';
  readonly stages: readonly StageRow[];
  readonly shown: readonly ShownRow[];
  readonly scores: readonly ScoreRow[];
  readonly dropped: readonly DroppedRow[];
  /** Null if this source has no gates. */
  readonly gates: readonly GateRow[] | null;
  readonly summary: Summary;
  /** Truncated arrays; the rest is unknown. */
  readonly cut: readonly ('scores' | 'dropped' | 'gates')[];
}

export interface Summary {
  readonly candidates: number;
  readonly mandatory: number;
  readonly shown: number;
  readonly slateProbability: number | null;
  readonly droppedByReason: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
  readonly computeErrors: number;
  readonly coupling: readonly JsonObject[];
  /** Milliseconds; null if it wasn't measured. */
  readonly durationMs: number | null;
}

export interface StageRow {
  readonly stage: string;
  readonly nodeId: string | null;
  readonly candidates: number;
  readonly passed: number;
  readonly topScore: number | null;
  readonly method: string | null;
  readonly dropped: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
  readonly durationMs: number | null;
  readonly skipped: boolean;
}

export interface ShownRow {
  readonly offerId: string;
  readonly offerName: string | null;
  readonly rank: number;
  readonly score: number | null;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly placementId: string | null;
  readonly mandatory: boolean;
  readonly selection: Selection | null;
}

export interface Selection {
  readonly probability: number;
  readonly estimated: boolean;
  readonly explored: boolean;
  readonly method: string;
}

export interface Components {
  readonly propensity: number;
  readonly relevance: number;
  readonly impact: number;
  readonly emphasis: number;
  readonly fitMultiplier: number;
}

export interface Exponents {
  readonly propensity: number;
  readonly relevance: number;
  readonly impact: number;
  readonly emphasis: number;
}

export interface ScoreRow {
  readonly offerId: string;
  readonly score: number;
  /** Rank by score; null if the source has no order. */
  readonly rank: number | null;
  readonly components: Components | null;
  /** Null if the source doesn't name the method. */
  readonly method: string | null;
  readonly exponents: Exponents | null;
  readonly creativeWeight: number | null;
  readonly priority: number | null;
  readonly modelKey: string | null;
  readonly modelType: string | null;
  readonly propensitySource: string | null;
  readonly evidence: { readonly positives: number; readonly negatives: number; readonly maturity: string } | null;
  readonly shadowScores: Readonly<Record<string, number>>;
}

export interface DroppedRow {
  readonly offerId: string;
  readonly offerName: string | null;
  readonly stage: string;
  readonly nodeId: string | null;
  readonly reason: string;
  readonly ruleId: string | null;
  readonly policyId: string | null;
  readonly detail: JsonObject;
}

export interface GateRow {
  readonly offerId: string;
  readonly kind: 'rule' | 'policy' | 'suppression';
  readonly id: string | null;
  readonly name: string | null;
  readonly ruleType: string | null;
  /** Of rules: eligibility, fit, match. */
  readonly stage: string | null;
  readonly status: 'passed' | 'blocked' | 'skipped' | 'overridden' | 'lowered';
  readonly reason: string | null;
  readonly detail: JsonObject;
  /** For failed match rules: the factor that lowers the score. */
  readonly penalty: number | null;
  readonly overriddenBy: string | null;
}

const most = { scores: 2_000, dropped: 500, gates: 2_000, metaScores: 200 } as const;

/** Parses a stored trace. */
export function explainTrace(trace: JsonObject): Explained {
  const scores = objectsOf(trace.scoringResults);
  const dropped = objectsOf(trace.dropped);
  const rules = objectsOf(trace.qualificationResults);
  const policies = objectsOf(trace.contactPolicyResults);
  const cut: Explained['cut'][number][] = [];
  if (scores.length >= most.scores) cut.push('scores');
  if (dropped.length >= most.dropped) cut.push('dropped');
  if (rules.length >= most.gates || policies.length >= most.gates) cut.push('gates');
  return {
    origin: 'trace',
    stages: objectsOf(trace.pipeline).map(stageRow),
    shown: objectsOf(trace.selectedOffers).map(shownRow),
    scores: scores.map(scoreRow),
    dropped: dropped.map(droppedRow),
    gates: [
      ...rules.map(ruleGate),
      ...objectsOf(trace.suppressionResults).map(suppressionGate),
      ...policies.map(policyGate),
    ],
    summary: { ...summaryOf(trace.summary), durationMs: numberOf(trace.totalDurationMs) },
    cut,
  };
}

/** Parses a simulation: a new one, or a replay of a recorded decision. */
export function explainSimulated(answer: JsonObject): Explained {
  const meta = objectOf(answer.meta);
  const scores = objectsOf(meta.scores);
  const dropped = objectsOf(meta.dropped);
  const cut: Explained['cut'][number][] = [];
  if (scores.length >= most.metaScores) cut.push('scores');
  if (dropped.length >= most.dropped) cut.push('dropped');
  return {
    origin: 'rebuilt',
    stages: objectsOf(meta.stages).map(stageRow),
    shown: objectsOf(answer.decisions).map(shownRow),
    scores: scores.map(scoreRow),
    dropped: dropped.map(droppedRow),
    gates: null,
    summary: summaryOf(objectOf(answer.trace).summary),
    cut,
  };
}

/** Parses the result of a sealed record: items and counts, nothing about other offers. */
export function explainRecord(result: JsonObject): Explained {
  const items = objectsOf(result.items);
  return {
    origin: 'record',
    stages: [],
    shown: items.map(shownRow),
    scores: items
      .filter(({ mandatory }) => mandatory !== true)
      .map((item) => ({ ...scoreRow({ ...item, rank: null }), components: componentsOf(item.scoreComponents) })),
    dropped: [],
    gates: null,
    summary: summaryOf(result.summary),
    cut: [],
  };
}

function stageRow(row: JsonObject): StageRow {
  return {
    stage: textOf(row.stage) ?? '',
    nodeId: textOf(row.nodeId),
    candidates: numberOf(row.candidates) ?? 0,
    passed: numberOf(row.passed) ?? 0,
    topScore: numberOf(row.topScore),
    method: textOf(row.method),
    dropped: countsOf(row.dropped),
    warnings: textsOf(row.warnings),
    durationMs: numberOf(row.durationMs),
    skipped: row.skipped === true,
  };
}

function shownRow(row: JsonObject): ShownRow {
  const selection = isObject(row.selection) ? row.selection : null;
  return {
    offerId: textOf(row.offerId) ?? '',
    offerName: textOf(row.offerName),
    rank: numberOf(row.rank) ?? 0,
    score: numberOf(row.score),
    creativeId: textOf(row.creativeId),
    channelId: textOf(row.channelId),
    placementId: textOf(row.placementId),
    mandatory: row.mandatory === true,
    selection:
      selection === null
        ? null
        : {
            probability: numberOf(selection.probability) ?? 1,
            estimated: selection.estimated === true,
            explored: selection.explored === true,
            method: textOf(selection.method) ?? '',
          },
  };
}

function scoreRow(row: JsonObject): ScoreRow {
  const evidence = isObject(row.evidence) ? row.evidence : null;
  const exponents = isObject(row.exponents) ? row.exponents : null;
  return {
    offerId: textOf(row.offerId) ?? '',
    score: numberOf(row.score) ?? 0,
    rank: numberOf(row.rank),
    components: componentsOf(row.components),
    method: textOf(row.method),
    exponents:
      exponents === null
        ? null
        : {
            propensity: numberOf(exponents.propensity) ?? 1,
            relevance: numberOf(exponents.relevance) ?? 1,
            impact: numberOf(exponents.impact) ?? 1,
            emphasis: numberOf(exponents.emphasis) ?? 1,
          },
    creativeWeight: numberOf(row.creativeWeight),
    priority: numberOf(row.priority),
    modelKey: textOf(row.modelKey),
    modelType: textOf(row.modelType),
    propensitySource: textOf(row.propensitySource),
    evidence:
      evidence === null
        ? null
        : {
            positives: numberOf(evidence.positives) ?? 0,
            negatives: numberOf(evidence.negatives) ?? 0,
            maturity: textOf(evidence.maturity) ?? '',
          },
    shadowScores: countsOf(row.shadowScores),
  };
}

function componentsOf(value: unknown): Components | null {
  if (!isObject(value)) return null;
  const { propensity, relevance, impact, emphasis, fitMultiplier } = countsOf(value);
  if (propensity === undefined || relevance === undefined || impact === undefined) return null;
  if (emphasis === undefined || fitMultiplier === undefined) return null;
  return { propensity, relevance, impact, emphasis, fitMultiplier };
}

function droppedRow(row: JsonObject): DroppedRow {
  return {
    offerId: textOf(row.offerId) ?? '',
    offerName: textOf(row.offerName),
    stage: textOf(row.stage) ?? '',
    nodeId: textOf(row.nodeId),
    reason: textOf(row.reason) ?? '',
    ruleId: textOf(row.ruleId),
    policyId: textOf(row.policyId),
    detail: objectOf(row.detail),
  };
}

function ruleGate(row: JsonObject): GateRow {
  const stage = textOf(row.stage);
  const failed = row.status === 'failed' || row.passed === false;
  return {
    offerId: textOf(row.offerId) ?? '',
    kind: 'rule',
    id: textOf(row.ruleId),
    name: textOf(row.ruleName),
    ruleType: textOf(row.ruleType),
    stage,
    // A failed match rule lets the offer pass but lowers its score.
    status: row.status === 'skipped' ? 'skipped' : failed ? (stage === 'match' ? 'lowered' : 'blocked') : 'passed',
    reason: textOf(row.reason),
    detail: objectOf(row.detail),
    penalty: numberOf(row.penalty),
    overriddenBy: null,
  };
}

function policyGate(row: JsonObject): GateRow {
  const status = textOf(row.status);
  return {
    offerId: textOf(row.offerId) ?? '',
    kind: 'policy',
    id: textOf(row.policyId),
    name: textOf(row.policyName),
    ruleType: textOf(row.ruleType),
    stage: null,
    status: status === 'skipped' || status === 'overridden' ? status : row.blocked === true ? 'blocked' : 'passed',
    reason: textOf(row.reason),
    detail: objectOf(row.detail),
    penalty: null,
    overriddenBy: textOf(row.overriddenBy),
  };
}

function suppressionGate(row: JsonObject): GateRow {
  return {
    offerId: textOf(row.offerId) ?? '',
    kind: 'suppression',
    id: textOf(row.policyId),
    name: null,
    ruleType: null,
    stage: null,
    status: row.blocked === true ? 'blocked' : 'overridden',
    reason: textOf(row.reason),
    detail: { scope: row.scope, reason: row.reason, expiresAt: row.expiresAt },
    penalty: null,
    overriddenBy: null,
  };
}

function summaryOf(value: unknown): Summary {
  const summary = objectOf(value);
  return {
    candidates: numberOf(summary.candidateCount) ?? 0,
    mandatory: numberOf(summary.mandatoryCount) ?? 0,
    shown: numberOf(summary.finalCount) ?? 0,
    slateProbability: numberOf(summary.slateProbability),
    droppedByReason: countsOf(summary.droppedByReason),
    warnings: textsOf(summary.warnings),
    computeErrors: numberOf(summary.computeErrors) ?? 0,
    coupling: objectsOf(summary.channelCoupling),
    durationMs: numberOf(summary.durationMs),
  };
}
