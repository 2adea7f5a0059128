import {
  type DecisionRecord,
  type ExplainableTrace,
  type ExplainedDecision,
  type Explanation,
  explainRecord,
  explainTrace,
} from '@arbiter/contract';
import { decide } from '@arbiter/engine';
import type { Tx } from '../../../../db/index.ts';
import { openPlan } from '../../plans/index.ts';
import { type RecordPorts, recordedQuestion } from '../../sealed-records/index.ts';
import { roundedSummary, timedStages } from '../recommend/answer.ts';
import { selectedOffers } from './trace.ts';
import { hiddenValues, shownRows } from './trace-rows.ts';
import { findTrace } from './traces.store.ts';

/**
 * Returns how a recorded decision came about: from its trace, by repeating it if no trace is stored, or from its items if
 * it can't be repeated. Null for an erased customer. Throws 409 `record_corrupt`.
 */
export async function explainDecision(tx: Tx, ports: RecordPorts, record: DecisionRecord): Promise<Explanation | null> {
  const { traceId, customerId, inputsState, result } = record;
  if (customerId === null || result === null) return null;
  const stored = traceId === null ? null : await findTrace(tx, traceId);
  if (stored !== null) return { source: 'trace', ...explainTrace(stored.body) };
  if (inputsState === 'available') {
    return { source: 'replay', ...(await explainReplay(tx, ports, record.recommendationId, customerId)) };
  }
  const { plan } = await openPlan(tx, Buffer.from(record.planHash, 'hex'));
  return { source: 'record', ...explainRecord(result, (offerId) => plan.names.offer(offerId)?.name ?? null) };
}

async function explainReplay(tx: Tx, ports: RecordPorts, id: string, customerId: string): Promise<ExplainedDecision> {
  const { flow, input } = await recordedQuestion(tx, ports, id, customerId);
  const { plan, neverStore, comparedWith } = flow;
  const decision = decide(plan, input, { trace: true });
  if (decision.trace === null) throw new Error('a decision with a trace has one');
  const hidden = neverStore.size === 0 ? null : hiddenValues(plan, neverStore, comparedWith);
  const { channel, channelId, placement } = input.request;
  const explained = explainTrace({
    channel,
    channelId,
    placement,
    pipeline: timedStages(decision.trace, null),
    selectedOffers: selectedOffers(plan, decision, () => null),
    ...shownRows(decision.trace, hidden),
    summary: { ...roundedSummary(decision.summary), durationMs: 0 },
  } as ExplainableTrace);
  // How long the repetition took says nothing about the decision.
  return { ...explained, summary: { ...explained.summary, durationMs: null } };
}
