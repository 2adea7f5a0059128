import { useMemo } from 'react';
import { useRecord, useSimulated, useTrace } from './calls.ts';
import { type Explained, explainRecord, explainSimulated, explainTrace } from './explained.ts';
import { isObject } from './reading.ts';

/** What is known of a decision, from the best source there is. */
export interface DecisionState {
  readonly record: ReturnType<typeof useRecord>;
  /** The stored trace as it was answered; null without. */
  readonly trace: Readonly<Record<string, unknown>> | null;
  /** Null while it loads, and for an erased customer. */
  readonly explained: Explained | null;
  readonly isPending: boolean;
}

/**
 * Reads a decision by the id of itself, its request or its trace: the stored trace; without one the record decided once more;
 * and where inputs are withheld what the record says of its items.
 */
export function useDecision(id: string, enabled = true): DecisionState {
  const record = useRecord(id, enabled);
  const data = record.data;
  const trace = useTrace(data?.traceId ?? null);
  const isTraceGone = data?.traceId === null || trace.failure !== null;
  const mayRebuild = isTraceGone && data?.inputsState === 'available';
  const { customerId = null, recommendationId: decisionId = '' } = data ?? {};
  const rebuilt = useSimulated(mayRebuild && customerId !== null ? { customerId, decisionId } : null);
  const explained = useMemo(() => {
    if (data === undefined) return null;
    if (trace.data !== undefined) return explainTrace(trace.data);
    if (rebuilt.data !== undefined && isObject(rebuilt.data)) return explainSimulated(rebuilt.data);
    const isWaiting = !isTraceGone || (mayRebuild && rebuilt.failure === null);
    return isWaiting || data.result === null ? null : explainRecord(data.result);
  }, [data, trace.data, isTraceGone, mayRebuild, rebuilt.data, rebuilt.failure]);
  const isWaiting = explained === null && data !== undefined && data.result !== null;
  return { record, trace: trace.data ?? null, explained, isPending: record.loading || isWaiting };
}
