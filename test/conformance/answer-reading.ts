import type { RecommendAnswer } from '@arbiter/contract';
import { type Json, round6 } from '@arbiter/engine';

/** What the API says about a decision, with the ids of the case. */
export interface Heard {
  readonly answer: RecommendAnswer;
  readonly trace: { readonly [name: string]: readonly { readonly [name: string]: Json }[] } & {
    readonly experimentAssignment?: { readonly experimentKey: Json; readonly [name: string]: Json } | null;
  };
  readonly record: {
    readonly flows: readonly { readonly key: string; readonly version: number }[];
    readonly assignment: {
      readonly creative: readonly number[];
      readonly experiment: number | null;
      readonly holdout: { readonly share: number } | null;
      readonly called?: Json;
    };
    readonly result: { readonly items: readonly { readonly selection: { readonly draws?: number } }[] };
  };
}

/** Expectations that are read in the stored trace. */
export const inTrace: ReadonlySet<string> = new Set(['policyRows', 'ruleRows', 'variant']);
/** Expectations that are read in the sealed record. */
export const inRecord: ReadonlySet<string> = new Set([
  'assigned',
  'called',
  'creativeShares',
  'estimatedIn',
  'experiments',
  'holdoutShare',
  'subFlows',
]);

type Row = { readonly [name: string]: Json };

/** The expectations of conformance cases, read over HTTP; compare packages/engine/test/conformance/expectations.ts. */
export function heardExpectations({ answer, trace, record }: Heard): { readonly [key: string]: () => unknown } {
  const items = answer.decisions;
  const { summary } = answer.trace;
  const meta = answer.meta as {
    readonly stages: Row[];
    readonly dropped: Row[];
    readonly scores: Row[];
    warnings: Json;
  };
  const results = Object.values(answer.placementResults ?? {});
  return {
    items: () => items.map((item) => item.offerId),
    creatives: () => items.map((item) => item.creativeId),
    placements: () => items.map((item) => item.placementId),
    scores: () => items.map((item) => item.score),
    models: () => items.map((item) => item.modelKey),
    degraded: () => answer.degradedScoring,
    warnings: () => meta.warnings,
    shadows: () => meta.scores.map((row) => row.shadowScores),
    sources: () => items.map((item) => item.propensitySource),
    propensities: () => items.map((item) => item.scoreComponents?.propensity),
    fits: () => items.map((item) => item.scoreComponents?.fitMultiplier),
    components: () => items.map(({ scoreComponents: c }) => [c?.relevance, c?.impact, c?.emphasis]),
    methods: () => items.map((item) => item.selection?.method),
    estimated: () => items.map((item) => item.selection?.estimated),
    estimatedIn: () => record.result.items.map(({ selection }) => selection.draws ?? null),
    creativeShares: () => record.assignment.creative.map((share) => round6(share)),
    holdoutShare: () => record.assignment.holdout?.share ?? null,
    assigned: () => record.assignment.experiment,
    called: () => record.assignment.called ?? null,
    variant: () => {
      const { experimentKey: _, ...variant } = trace.experimentAssignment ?? { experimentKey: null };
      return trace.experimentAssignment === null ? null : variant;
    },
    experiment: () => answer.experiment?.experimentKey ?? null,
    experiments: () =>
      answer.experiment === null
        ? null
        : [[answer.experiment.experimentKey, answer.experiment.variant, record.assignment.experiment]],
    subFlows: () => record.flows.slice(1).map(({ key, version }) => `${key} ${version}`),
    skipped: () => meta.stages.filter((row) => row.skipped === true).map((row) => row.nodeId),
    stageNodes: () => meta.stages.map((row) => row.nodeId),
    probabilities: () => items.map((item) => item.selection?.probability),
    explored: () => items.map((item) => item.selection?.explored),
    slateProbability: () => summary.slateProbability,
    effects: () =>
      items.map((item) => (item.impressionRecorded ? 'impress' : item.reservation === null ? 'none' : 'reserve')),
    personalization: () => items.map((item) => item.personalization),
    content: () => items.map((item) => item.content),
    properties: () => answer.properties,
    emptyReason: () => answer.emptyReason,
    controlGroup: () => answer.controlGroup,
    coupling: () => summary.channelCoupling,
    slots: () => answer.placementResults && results.map(({ decisions }) => decisions.map((item) => item.offerId)),
    placementReasons: () => results.map((row) => [row.placementId, row.emptyReason]),
    dropped: () => summary.droppedByReason,
    counts: () => [
      summary.candidateCount,
      summary.mandatoryCount,
      summary.afterCreatives,
      summary.afterQualification,
      summary.afterSuppression,
      summary.afterContactPolicy,
      summary.afterScoring,
      summary.finalCount,
    ],
    drops: () =>
      meta.dropped.map(({ offerId, stage, reason, ruleId, policyId, detail }) => ({
        offerId,
        stage,
        reason,
        detail,
        ...(ruleId === null ? {} : { ruleId }),
        ...(policyId === null ? {} : { policyId }),
      })),
    policyRows: () =>
      trace.contactPolicyResults?.map(({ offerId, policyId, status, reason, overriddenBy, detail }) => ({
        offerId,
        policyId,
        status,
        reason,
        overriddenBy,
        detail,
      })),
    ruleRows: () =>
      trace.qualificationResults?.map(({ offerId, ruleId, status, reason, detail }) => ({
        offerId,
        ruleId,
        status,
        reason,
        detail,
      })),
    ranked: () => meta.scores.map((row) => row.offerId),
    rankedScores: () => meta.scores.map((row) => row.score),
    stages: () => meta.stages.map((row) => [row.stage, row.candidates, row.passed]),
  };
}
