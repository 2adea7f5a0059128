import { useMemo } from 'react';
import { useRecord, useSimulated, useTrace } from './calls.ts';
import { type Explained, explainRecord, explainSimulated, explainTrace } from './explained.ts';
import { isObject } from './reading.ts';

/** A decision from the best available source. */
export interface DecisionState {
  readonly record: ReturnType<typeof useRecord>;
  /** The stored trace; null without one. */
  readonly trace: Readonly<Record<string, unknown>> | null;
  /** Null while loading, and for an erased customer. */
  readonly explained: Explained | null;
  readonly isPending: boolean;
}

/**
 * Loads a decision by its own ID, request ID or trace ID: from the trace; else by replaying the record; else, with withheld
 * inputs, from the items in the record.
 */
export function useDecision(id: string, enabled = true): DecisionState {
  const record = useRecord(id, enabled);
  const data = record.data;
  const trace = useTrace(data?.traceId ?? null);
  const isTraceMissing = data?.traceId === null || trace.failure !== null;
  const mayRebuild = isTraceMissing && data?.inputsState === 'available';
  const { customerId = null, recommendationId: decisionId = '' } = data ?? {};
  const rebuilt = useSimulated(mayRebuild && customerId !== null ? { customerId, decisionId } : null);
  const explained = useMemo(() => {
    if (data === undefined) return null;
    if (trace.data !== undefined) return explainTrace(trace.data);
    if (rebuilt.data !== undefined && isObject(rebuilt.data)) return explainSimulated(rebuilt.data);
    const isWaiting = !isTraceMissing || (mayRebuild && rebuilt.failure === null);
    return isWaiting || data.result === null ? null : explainRecord(data.result);
  }, [data, trace.data, isTraceMissing, mayRebuild, rebuilt.data, rebuilt.failure]);
  const isWaiting = explained === null && data !== undefined && data.result !== null;
  return { record, trace: trace.data ?? null, explained, isPending: record.loading || isWaiting };
}
