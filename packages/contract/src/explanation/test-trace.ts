import type { DroppedOffer } from '../deciding/decision-drops.ts';
import type { RuleResult } from '../deciding/decision-rules.ts';
import type { ScoredOffer, SelectedOffer, TraceStage } from '../deciding/decision-trace.ts';
import type { ExplainableTrace } from './explain.ts';

// A trace for tests: five offers, of which one is shown, two are outranked and two are blocked by a rule.

export const stage = (
  name: string,
  candidates: number,
  passed: number,
  dropped: Record<string, number> = {},
  nodeId: string | null = name,
): TraceStage => ({
  ...{ stage: name, nodeId, candidates, passed, topScore: null, method: null, dropped, warnings: [], durationMs: 1 },
});

export const score = (offerId: string, value: number, rank: number): ScoredOffer => ({
  ...{ offerId, score: value, rank, method: 'propensity', exponents: null, creativeWeight: 100, priority: 50 },
  components: { propensity: value, relevance: 1, impact: 1, emphasis: 0.5, fitMultiplier: 1 },
  evidence: { positives: 18, negatives: 42, maturity: 'maturing' },
  ...{ modelKey: null, modelType: null, propensitySource: 'offer', shadowScores: {}, contributions: [] },
});

const age = { attribute: 'age', operator: 'gte', expected: 18, actual: 4 };
const none = { ruleId: null, policyId: null };

export const blocked = (offerId: string, offerName: string): DroppedOffer => ({
  ...{ offerId, offerName, stage: 'qualify', nodeId: 'qualify', ruleId: 'r1', policyId: null },
  reason: 'qualification',
  detail: age,
});

export const outranked = (offerId: string, offerName: string): DroppedOffer => ({
  ...{ offerId, offerName, stage: 'rank', nodeId: 'rank', ...none },
  reason: 'cut',
  detail: null,
});

export const ended = (offerId: string, offerName: string): DroppedOffer => ({
  ...{ offerId, offerName, stage: 'inventory', nodeId: 'inventory', ...none },
  reason: 'schedule',
  detail: { cause: 'ended' },
});

export const selection = { probability: 0.9, estimated: false, explored: false, method: 'topN' };

export const selected = (offerId: string, offerName: string, value: number): SelectedOffer => ({
  ...{ offerId, offerName, rank: 1, score: value, creativeId: 'k', channelId: null, placementId: null },
  ...{ mandatory: false, interactionId: null, selection },
});

const failedRule = (offerId: string, ruleId: string, ruleName: string): RuleResult => ({
  ...{ offerId, ruleId, ruleName, passed: false, penalty: null, reason: 'age is 4, required gte 18' },
  ...{ ruleType: 'attribute_condition', stage: 'fit', status: 'failed', detail: age },
});

export const trace: ExplainableTrace = {
  ...{ channel: 'web', channelId: null, placement: null },
  pipeline: [
    stage('inventory', 5, 5),
    stage('match_creatives', 5, 5),
    stage('qualify', 5, 3, { qualification: 2 }),
    stage('suppression', 3, 3, {}, null),
    stage('score', 3, 3),
    stage('rank', 3, 1, { cut: 2 }),
    stage('compute', 1, 1),
  ],
  selectedOffers: [selected('a', 'Apple', 0.5)],
  scoringResults: [score('a', 0.5, 1), score('b', 0.4, 2), score('c', 0.3, 3)],
  dropped: [blocked('d', 'Date'), blocked('e', 'Elder'), outranked('b', 'Berry'), outranked('c', 'Cherry')],
  qualificationResults: [
    failedRule('d', 'r1', 'Lapsed'),
    { ...failedRule('a', 'r2', 'Likes it'), stage: 'match', penalty: 0.5 },
  ],
  contactPolicyResults: [
    {
      ...{ offerId: 'a', policyId: 'p1', policyName: 'Cap', ruleType: 'frequency_cap' },
      ...{ status: 'overridden', blocked: false, overriddenBy: 'p2', reason: null, detail: null },
    },
  ],
  suppressionResults: [],
  summary: {
    ...{ candidateCount: 5, mandatoryCount: 0, afterCreatives: 5, afterQualification: 3, afterSuppression: 3 },
    ...{ afterContactPolicy: 3, afterScoring: 3, finalCount: 1, computeErrors: 0, channelCoupling: [] },
    ...{ slateProbability: 0.9, droppedByReason: { cut: 2, qualification: 2 }, warnings: [], durationMs: 3 },
  },
};
