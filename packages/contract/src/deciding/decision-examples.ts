import { exampleId } from '../core/examples.ts';

/** What the documents show of a decision, its response and its replay: one story, told by all three. */
const decided = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00';
const interactionId = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a01';
const resultHash = '5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef';

export const recommendExample = { customerId: 'CM-000001', channel: 'web', limit: 2 };

export const recommendAnswerExample = {
  recommendationId: decided,
  requestId: decided,
  timestamp: '2026-11-20T09:00:00.000Z',
  customerId: 'CM-000001',
  anonymous: false,
  known: true,
  decisionFlowId: exampleId('decisionFlow'),
  decisionFlowKey: 'next-best-offer',
  decisionFlowVersion: 1,
  channel: 'web',
  channelId: null,
  placement: null,
  count: 1,
  decisions: [
    {
      rank: 1,
      placementRank: null,
      interactionId,
      recommendationId: decided,
      offerId: exampleId('offer'),
      offerName: 'Gold card',
      shortDesc: 'No fee in the first year',
      categoryId: exampleId('category'),
      categoryName: 'Cards',
      priority: 70,
      mandatory: false,
      score: 0.27,
      scoreComponents: { propensity: 0.5, relevance: 0.9, impact: 0.6, emphasis: 0.7, fitMultiplier: 1 },
      modelKey: null,
      propensitySource: 'default',
      selection: { probability: 1, estimated: false, explored: false, method: 'topN' },
      creativeId: exampleId('creative'),
      creativeName: 'Gold card on the website',
      channelId: exampleId('channel'),
      channelName: 'Website',
      channelType: 'web',
      content: { headline: 'Hello Ada', cta: 'Get the card' },
      personalization: { first: 'Ada' },
      metadata: {},
      impressionRecorded: true,
      reservation: null,
    },
  ],
  placementResults: null,
  properties: {},
  emptyReason: null,
  controlGroup: false,
  degradedScoring: false,
  dryRun: false,
  experiment: null,
  freshness: { configVersion: 12, configAgeMs: 40, evidenceAgeMs: 3, profileAgeMs: 0 },
  trace: {
    traceId: exampleId('trace'),
    summary: {
      candidateCount: 12,
      mandatoryCount: 0,
      afterCreatives: 10,
      afterQualification: 9,
      afterSuppression: 9,
      afterContactPolicy: 8,
      afterScoring: 8,
      finalCount: 1,
      computeErrors: 0,
      channelCoupling: [],
      slateProbability: 1,
      droppedByReason: { no_creative: 2, qualification: 1, contact_policy: 1, cut: 7 },
      warnings: [],
      durationMs: 0.84,
    },
  },
};

export const respondExample = { recommendationId: decided, rank: 1, outcome: 'click' };

export const respondAnswerExample = {
  interactionId: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a02',
  itemInteractionId: interactionId,
  recommendationId: decided,
  rank: 1,
  customerId: 'CM-000001',
  outcome: 'click',
  classification: 'positive',
  outcomeCategory: 'response',
  offerId: exampleId('offer'),
  offerName: 'Gold card',
  creativeId: exampleId('creative'),
  creativeName: 'Gold card on the website',
  channelId: exampleId('channel'),
  channelName: 'Website',
  categoryName: 'Cards',
  conversionValue: null,
  direction: 'inbound',
  impression: null,
  status: 'recorded',
  timestamp: '2026-11-20T09:00:07.000Z',
};

export const replayAnswerExample = {
  identical: true,
  differences: [],
  resultHash,
  replayedHash: resultHash,
  engineVersion: '1 tz=2026a',
  recordedEngineVersion: '1',
};
