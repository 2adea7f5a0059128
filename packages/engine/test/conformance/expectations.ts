import { type Decision, type Json, round6 } from '../../src/index.ts';

/**
 * Meaning of a conformance case's expectations: about a decision, and about the same one with its trace. Numbers have 6
 * decimals.
 */
export function expectationsOf(decision: Decision, traced: Decision): { readonly [key: string]: () => unknown } {
  const { items, summary } = decision;
  return {
    items: () => items.map((item) => item.offerId),
    creatives: () => items.map((item) => item.creativeId),
    placements: () => items.map((item) => item.placementId),
    scores: () => items.map((item) => round6(item.score)),
    models: () => items.map((item) => item.modelKey),
    degraded: () => decision.degradedScoring,
    variant() {
      if (decision.variant === null) return null;
      const { experimentKey: _, ...variant } = decision.variant;
      return variant;
    },
    experiment: () => decision.variant?.experimentKey ?? null,
    experiments: () => decision.experiments?.map(({ key, variant, share }) => [key, variant, share]) ?? null,
    assigned: () => decision.assignment.experiment,
    called: () => decision.assignment.called ?? null,
    warnings: () => summary.warnings,
    shadows: () => traced.trace?.scoringResults.map((row) => (row as { readonly shadowScores: Json }).shadowScores),
    sources: () => items.map((item) => item.propensitySource),
    propensities: () => items.map((item) => round6(item.scoreComponents.propensity)),
    fits: () => items.map((item) => round6(item.scoreComponents.fitMultiplier)),
    components: () =>
      items.map(({ scoreComponents: c }) => [c.relevance, c.impact, c.emphasis].map((value) => round6(value))),
    methods: () => items.map((item) => item.selection.method),
    estimated: () => items.map((item) => item.selection.estimated),
    subFlows: () => decision.subFlows?.map(({ key, version }) => `${key} ${version}`),
    skipped: () => traced.trace?.pipeline.filter(({ skipped }) => skipped === true).map(({ nodeId }) => nodeId),
    stageNodes: () => traced.trace?.pipeline.map(({ nodeId }) => nodeId),
    probabilities: () => items.map((item) => round6(item.selection.probability)),
    explored: () => items.map((item) => item.selection.explored),
    estimatedIn: () => items.map((item) => (item.selection.estimated ? item.selection.draws : null)),
    slateProbability: () => round6(decision.slateProbability),
    effects: () => items.map((item) => item.effect),
    personalization: () => items.map((item) => item.personalization),
    content: () => items.map((item) => item.content),
    properties: () => decision.properties,
    emptyReason: () => decision.emptyReason,
    controlGroup: () => decision.controlGroup,
    creativeShares: () => decision.assignment.creative.map((share) => round6(share)),
    holdoutShare: () => decision.assignment.holdout,
    coupling: () => summary.channelCoupling,
    slots: () => decision.placementResults?.map(({ items: positions }) => positions.map((at) => items[at]?.offerId)),
    placementReasons: () => decision.placementResults?.map((row) => [row.placementId, row.emptyReason]),
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
      traced.trace?.dropped.map(({ offerId, stage, reason, ruleId, policyId, detail }) => {
        const row: Record<string, Json> = { offerId, stage, reason, detail };
        if (ruleId !== null) row.ruleId = ruleId;
        if (policyId !== null) row.policyId = policyId;
        return row;
      }),
    policyRows: () =>
      traced.trace?.contactPolicyResults.map((row) => {
        const { offerId, policyId, status, reason, overriddenBy, detail } = row as { readonly [key: string]: Json };
        return { offerId, policyId, status, reason, overriddenBy, detail };
      }),
    ruleRows: () =>
      traced.trace?.qualificationResults.map((row) => {
        const { offerId, ruleId, status, reason, detail } = row as { readonly [key: string]: Json };
        return { offerId, ruleId, status, reason, detail };
      }),
    ranked: () => traced.trace?.scoringResults.map((row) => (row as { readonly offerId: string }).offerId),
    rankedScores: () => traced.trace?.scoringResults.map((row) => (row as { readonly score: Json }).score),
    stages: () => traced.trace?.pipeline.map(({ stage, candidates, passed }) => [stage, candidates, passed]),
  };
}
