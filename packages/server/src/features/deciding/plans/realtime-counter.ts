import type { TenantSettings } from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import { subCategoryOf } from '../../catalogue/offers/index.ts';
import { type ComputePorts, type RealtimeCounter, readRealtimeCounter } from '../../data/behavioral-metrics/index.ts';
import { customerAfterRows, eventsAheadMs, metricDayParameters, metricEventSources } from '../interactions/index.ts';

/** The events that behavioral metrics aggregate. */
export const metricEvents: ComputePorts['metricEvents'] = {
  sources: (from, seconds) => metricEventSources(from, seconds, subCategoryOf),
  dayParameters: metricDayParameters,
  aheadMs: eventsAheadMs,
  customerAfterRows,
};

/** What recording an event adds to realtime metrics. Null: nothing. */
export const realtimeCounterOf = async (
  tx: Tx,
  { enableBehavioralMetrics, timezone }: Pick<TenantSettings, 'enableBehavioralMetrics' | 'timezone'>,
): Promise<RealtimeCounter> => (enableBehavioralMetrics ? readRealtimeCounter(tx, metricEvents, timezone) : null);
