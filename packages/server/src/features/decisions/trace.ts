import type { RecommendAnswer } from '@arbiter/contract';
import { type Decision, type DecisionInput, type Json, type Plan, round6 } from '@arbiter/engine';
import { isObject } from '../../platform/json.ts';
import type { CompiledFlow } from '../plans/index.ts';
import { timedStages } from './answer.ts';
import type { StageClock } from './stage-clock.ts';

const resultRows = 2_000;
const droppedRows = 500;

/** Body of a stored trace (part 2, "Decision trace"; docs/design/api-decisioning.md 11), without its ids. */
export function traceBody(
  plan: Plan,
  input: DecisionInput,
  decision: Decision,
  answer: RecommendAnswer,
  { hash: planHash, neverStore, comparedWith }: Pick<CompiledFlow, 'hash' | 'neverStore' | 'comparedWith'>,
  inputsHash: string,
  stages: StageClock | null,
): object {
  const { trace } = decision;
  const hidden = neverStore.size === 0 ? null : hiddenFields(plan, neverStore, comparedWith);
  const top = decision.items[0];
  return {
    source: 'recommend',
    decisionFlowId: plan.flow.id,
    decisionFlowVersion: plan.flow.version,
    configVersion: answer.freshness.configVersion,
    planHash: planHash.toString('hex'),
    seed: input.seed,
    inputsHash,
    channel: answer.channel,
    channelId: answer.channelId,
    placement: answer.placement,
    placements: input.request.placements,
    customerSegments: [...new Set([...input.segments, ...input.request.segments])],
    pipeline: trace === null ? [] : timedStages(trace, stages),
    scoringResults: trace?.scoringResults.slice(0, resultRows) ?? [],
    selectedOffers: decision.items.map((item, i) => ({
      offerId: item.offerId,
      score: round6(item.score),
      rank: item.rank,
      creativeId: item.creativeId,
      channelId: item.channelId,
      placementId: item.placementId,
      mandatory: item.mandatory,
      interactionId: answer.decisions[i]?.interactionId ?? null,
      selection: { ...item.selection, probability: round6(item.selection.probability) },
    })),
    qualificationResults: trace?.qualificationResults.slice(0, resultRows).map((row) => withhold(row, hidden)) ?? [],
    contactPolicyResults: trace?.contactPolicyResults.slice(0, resultRows) ?? [],
    suppressionResults: trace?.suppressionResults.slice(0, resultRows) ?? [],
    dropped: trace?.dropped.slice(0, droppedRows).map((row) => withhold({ ...row }, hidden)) ?? [],
    result: { count: decision.items.length, topOffer: top ? { offerId: top.offerId, score: round6(top.score) } : null },
    summary: answer.trace.summary,
    assignment: decision.assignment,
    controlGroup: decision.controlGroup,
    degradedScoring: decision.degradedScoring,
    experimentAssignment: null,
    totalDurationMs: answer.trace.summary.durationMs,
  };
}

interface Hidden {
  /** Names under `customer.` and `attributes.` whose values are never stored, those with an enrich prefix too. */
  readonly fields: ReadonlySet<string>;
  /** Paths of the values that rules compare with, by rule, where those are hidden. */
  readonly compared: ReadonlyMap<string, string>;
}

function hiddenFields(plan: Plan, neverStore: ReadonlySet<string>, comparedWith: ReadonlyMap<string, string>): Hidden {
  const prefixed = plan.enrichSources.flatMap(({ columns, prefix }) =>
    columns.filter((column) => neverStore.has(column)).map((column) => prefix + column),
  );
  const fields = new Set([...neverStore, ...prefixed]);
  const compared = [...comparedWith].filter(([, path]) => fields.has(fieldOf(path)));
  return { fields, compared: new Map(compared) };
}

/** The row without the value of a field that is never stored: neither in its detail nor in its text. */
function withhold(row: Json, hidden: Hidden | null): Json {
  if (hidden === null || !isObject(row) || !isObject(row.detail)) return row;
  const { attribute } = row.detail;
  const actual = typeof attribute === 'string' && hidden.fields.has(fieldOf(attribute)) ? attribute : null;
  const expected = typeof row.ruleId === 'string' ? (hidden.compared.get(row.ruleId) ?? null) : null;
  if (actual === null && expected === null) return row;
  const mask = { ...(actual === null ? {} : { actual: null }), ...(expected === null ? {} : { expected: null }) };
  const masked = { ...row, detail: { ...row.detail, ...mask } };
  return row.passed === false ? { ...masked, reason: `${actual ?? expected} is withheld` } : masked;
}

/** `diagnosis` of `diagnosis`, `customer.diagnosis` and `attributes.diagnosis.code`. */
function fieldOf(path: string): string {
  const [first = '', second] = path.split('.');
  return second !== undefined && (first === 'customer' || first === 'attributes') ? second : first;
}
