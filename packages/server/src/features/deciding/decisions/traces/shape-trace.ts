import type { DecisionTrace } from '@arbiter/contract';
import type { Tx } from '../../../../db/index.ts';
import { findTrace, type TraceRow } from './traces.store.ts';

/** Returns a stored trace as responses show it. */
export const shapeTrace = (row: TraceRow): DecisionTrace => ({
  id: row.id,
  customerId: row.customerId,
  requestId: row.requestId,
  recommendationId: row.decisionId,
  decisionFlowKey: row.decisionFlowKey,
  ...row.body,
  createdAt: row.createdAt.toISOString(),
});

/** Returns the trace with this id; null for none. */
export async function readTrace(tx: Tx, id: string): Promise<DecisionTrace | null> {
  const row = await findTrace(tx, id.toLowerCase());
  return row === null ? null : shapeTrace(row);
}
