import type { AlertMetric } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { countDeadLetters } from '../../../jobs/index.ts';
import { selectIdsByKey } from '../../catalogue/flows/index.ts';
import { type DecisionFigures, readDecisionFigures } from '../../deciding/decisions/index.ts';
import { readWindowFigures, type WindowFigures } from '../../deciding/interactions/index.ts';
import { readOutboxLag } from '../stream/index.ts';
import { type Measured, share } from './alerts.rules.ts';
import type { Rule } from './alerts.store.ts';

const ofFigures: Partial<Record<AlertMetric, (figures: WindowFigures) => Measured>> = {
  acceptance_rate: ({ positive, impressions }) => share(positive, impressions),
  ctr: ({ clicks, converts, impressions }) => share(clicks + converts, impressions),
  conversion_rate: ({ converts, impressions }) => share(converts, impressions),
  revenue: ({ value }) => ({ value, samples: null }),
};

const ofDecisions: Partial<Record<AlertMetric, (figures: DecisionFigures) => Measured>> = {
  decision_count: ({ decisions }) => ({ value: decisions, samples: null }),
  error_rate: ({ failed, decisions }) => share(failed, failed + decisions),
  selection_frequency: ({ decisions, empty }) => share(decisions - empty, decisions),
  latency_p99: ({ p99Ms, decisions }) => ({ value: p99Ms, samples: decisions }),
  degraded_scoring_rate: ({ degraded, decisions }) => share(degraded, decisions),
  cap_block_rate: ({ policyBlocked, candidates }) => share(policyBlocked, candidates),
};

const ofNow: Partial<Record<AlertMetric, (tx: Tx) => Promise<number>>> = {
  dlq_depth: async (tx) =>
    Object.values(await countDeadLetters(tx, { topic: null, ids: null })).reduce((sum, count) => sum + count, 0),
  outbox_lag_seconds: readOutboxLag,
};

/** A rule's figure over a window. */
export type MeasureRule = (from: Date, to: Date) => Promise<Measured>;

/** Reads a rule's figure. Current figures have no window, and so no previous window. */
export async function measureOf(
  tx: Tx,
  { metric, filters }: Rule,
): Promise<{ readonly over: MeasureRule; readonly isOfNow: boolean }> {
  const now = ofNow[metric];
  if (now !== undefined) return { isOfNow: true, over: async () => ({ value: await now(tx), samples: null }) };
  const figures = ofFigures[metric];
  if (figures !== undefined) {
    const { offerId = null, channelId = null } = filters;
    return {
      isOfNow: false,
      over: async (from, to) => figures(await readWindowFigures(tx, { from, to, offerId, channelId })),
    };
  }
  const decisions = ofDecisions[metric];
  if (decisions === undefined) throw new Error(`no source measures ${metric}`);
  const { decisionFlowKey } = filters;
  // A deleted flow that had the key before counts too: its decisions were decisions under this key.
  const flowIds = decisionFlowKey === undefined ? null : await selectIdsByKey(tx, decisionFlowKey);
  return { isOfNow: false, over: async (from, to) => decisions(await readDecisionFigures(tx, { from, to, flowIds })) };
}
