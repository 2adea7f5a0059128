import type { OfferFate, traceFilters } from '@arbiter/contract';
import type { Static, TObject } from 'typebox';
import type { Tx } from '../../../../db/index.ts';
import { isUuid } from '../../../../platform/ids.ts';
import { readDecisionFilter } from '../../sealed-records/index.ts';
import type { TraceFilter } from './traces.store.ts';

/** Filters for traces (docs/design/console.md K3). */
export type TraceFilters = Static<TObject<typeof traceFilters>> & { readonly requestId?: string };

/** Reads the filters. 400 as `readDecisionFilter`; null: nothing can match. */
export async function readTraceFilter(tx: Tx, asked: TraceFilters): Promise<TraceFilter | null> {
  const record = await readDecisionFilter(tx, asked);
  const isMalformed = [asked.ruleId, asked.policyId].some((id) => id !== undefined && !isUuid(id));
  if (record === null || isMalformed) return null;
  const mentions = mentionsOf(asked);
  if (mentions?.length === 0) return null;
  const { requestId = null, decisionFlowKey: flowKey = null } = asked;
  return { requestId, record, flowKey, mentions };
}

/** The drop reasons behind each fate of an offer that wasn't shown. */
export const reasonsOfFate: Readonly<Record<Exclude<OfferFate, 'selected'>, readonly string[]>> = {
  qualification: ['qualification'],
  suppression: ['suppressed'],
  contact_policy: ['contact_policy'],
  capacity: ['budget', 'stock', 'offer_frequency_cap', 'mandatory_cap', 'quota'],
  scored_too_low: ['min_propensity', 'min_score', 'cut'],
};

/**
 * Returns parts of a trace's body, one of which it must contain, for a question about one offer; null: no question. A
 * dropped offer has one row in `dropped`; nothing dropped a shown offer.
 */
function mentionsOf(asked: TraceFilters): object[] | null {
  const { offerId: sent, fate, stage, reason, ruleId, policyId } = asked;
  const offerId = sent?.toLowerCase();
  const about = Object.entries({ stage, reason, ruleId: ruleId?.toLowerCase(), policyId: policyId?.toLowerCase() });
  const dropped = Object.fromEntries(about.filter(([, value]) => value !== undefined));
  const saysWhy = Object.keys(dropped).length > 0;
  const offer = offerId === undefined ? {} : { offerId };
  if (fate === undefined && !saysWhy && offerId === undefined) return null;
  const shown = { selectedOffers: [offer] };
  if (fate === 'selected') return saysWhy ? [] : [shown];
  if (fate === undefined) {
    const row = { dropped: [{ ...offer, ...dropped }] };
    return saysWhy ? [row] : [shown, row];
  }
  return reasonsOfFate[fate]
    .filter((each) => reason === undefined || reason === each)
    .map((each) => ({ dropped: [{ ...offer, ...dropped, reason: each }] }));
}
