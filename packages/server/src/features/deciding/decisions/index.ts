import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { decisionMade } from './decisions.events.ts';
import { decisionJobs, retainers } from './decisions.jobs.ts';
import { answeredOperations, type DecisionRouteDeps, decisionRoutes } from './decisions.routes.ts';
import { decisionErasers } from './erasers.ts';

export type { ChunkDecision, ChunkWork } from './chunks/decide-chunk.ts';
export type { DecisionRouteDeps } from './decisions.routes.ts';
export { createDecisionService, type DecisionService } from './decisions.service.ts';
export { createDecisionMetrics } from './metrics.ts';
export {
  type MinuteSums,
  readMinuteSums,
  readQuantiles,
} from './minutes/daily-minutes.store.ts';
export type { TenantMetric } from './minutes/tenant-counts.ts';
export { type DecisionFigures, readDecisionFigures } from './minutes/window-minutes.store.ts';
export { type CallSignal, type CallSignalMemory, callSignalMemory, createCallSignal } from './queue/call-signal.ts';
export { shapeAnswer } from './recommend/answer.ts';
export { type RecommendCall, readRecommendCall } from './recommend/recommend.rules.ts';
export { readTrialClock } from './recommend/trial-clock.ts';
export {
  answerOfTrial,
  decideTrial,
  seedFrom,
  type Trial,
  type Trials,
} from './recommend/trials.ts';
export { decisionNamed } from './requests.store.ts';
export { readTrace } from './traces/shape-trace.ts';
export {
  countTraces,
  maxTracesRead,
  readFates,
  readOfferFigures,
  readPolicyFigures,
  readScoreBins,
  readStageFigures,
  type ScoreBin,
  type StageFigures,
  type TraceWindow,
} from './traces/trace-figures.store.ts';
export { reasonsOfFate } from './traces/trace-filter.ts';
export { hideValues, valuesNeverStored } from './traces/trace-rows.ts';
export { hasTrace, lockTrace } from './traces/traces.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['decision_minutes', 'decision_requests', 'decision_traces', 'response_keys'];

export const decisionsFeature = feature({
  name: 'decisions',
  tables,
  resets: { empties: tables },
  events: [decisionMade],
  erases: decisionErasers,
  operations: ({ decisions }: { readonly decisions: DecisionRouteDeps }) =>
    handlerEntries(answeredOperations, decisionRoutes(decisions)),
  retains: retainers,
  jobs: ({ database }: { readonly database: Database }) => decisionJobs(database),
});
