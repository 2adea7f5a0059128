import assert from 'node:assert/strict';
import type { RecommendAnswer } from '@arbiter/contract';
import type { ConformanceCase } from '../../packages/engine/test/conformance/case.ts';
import type { Tools } from './case-catalogue.ts';

/** A contact of a case that is an open reservation, and when to make it so that it ends when the case says. */
export interface CaseReservation {
  readonly offerId: string;
  readonly at: number;
  readonly seconds: number;
}

export function reservationsOf({ source }: ConformanceCase): CaseReservation[] {
  return (source.contacts ?? []).flatMap(({ offerId, at, reservedUntil }) => {
    if (reservedUntil === undefined) return [];
    const until = Date.parse(reservedUntil);
    const seconds = Math.floor((until - Date.parse(at)) / 1000);
    return [{ offerId, at: until - seconds * 1000, seconds }];
  });
}

/** Has a decision of its own reserve the offer: on the case's channel, while that is explicit. */
export async function reserve(
  { snapshot, source }: ConformanceCase,
  { offerId, at, seconds }: CaseReservation,
  tools: Tools,
): Promise<void> {
  const { ids, create, put, post } = tools;
  const channel = snapshot.channels[0]!;
  const channelId = ids.of('channel', channel.id);
  const isOfCase = snapshot.offers.some(({ id }) => id === offerId);
  const offer = ids.of('offer', offerId);
  if (!isOfCase) {
    await put('offers', { id: offer, status: 'active' });
    const name = `${offerId}-c of ${offerId} to reserve ${at}`;
    await create('creatives', { name, offerId: offer, channelId, status: 'active' });
  }
  await put('tenant-settings', { reservationTtlSeconds: seconds });
  await put('channels', { id: channelId, impressionMode: 'explicit' });
  const key = `reserve-${at}`;
  const nodes = [
    { id: 'i', type: 'inventory', config: { scope: 'offers', offerIds: [offer] } },
    { id: 'm', type: 'match_creatives' },
    { id: 'q', type: 'qualify', config: { mode: 'selected', ruleIds: [] } },
    { id: 'p', type: 'contact_policy', config: { mode: 'selected', policyIds: [] } },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
  ];
  const id = await create('decision-flows', { key, name: key, draftConfig: { version: 2, nodes, flowConfig: {} } });
  await post('decision-flows/publish', { id });
  const customerId = source.request?.customerId ?? 'C1';
  const answer = (await post('recommend', { customerId, decisionFlowKey: key })) as RecommendAnswer;
  assert.equal(answer.decisions.length, 1, `${offerId} was not reserved: ${JSON.stringify(answer)}`);
  await put('channels', { id: channelId, impressionMode: channel.impressionMode });
  if (!isOfCase) await put('offers', { id: offer, status: 'archived' });
}
