import { hash, type KeyObject } from 'node:crypto';
import { canonicalJson } from '@arbiter/engine';
import type { HotStatement } from '../../db/index.ts';
import { newId } from '../../platform/ids.ts';
import { addContact, type BatchCustomer, laneOf } from '../customer-states/index.ts';
import type { ItemRow } from '../interactions/index.ts';
import type { CompiledFlow } from '../plans/index.ts';
import {
  inputText,
  type RecordRow,
  recordContext,
  requestContext,
  resultHash,
  resultText,
  seal,
} from '../sealed-records/index.ts';
import { shapeAnswer } from './answer.ts';
import type { StoredDecision } from './decide-one.ts';
import { insertRequest } from './requests.store.ts';
import { traceBody } from './trace.ts';
import { insertTrace } from './traces.store.ts';

/** What a batch writes, gathered until the commit: one statement per table. */
export interface Writes {
  readonly tenantId: string;
  readonly at: Date;
  /** `at`, as events write it. */
  readonly timestamp: string;
  readonly configVersion: number;
  /** By flow: the records of one share most of their columns. */
  readonly records: Map<CompiledFlow, RecordRow[]>;
  readonly items: ItemRow[];
  readonly events: string[];
  readonly extra: HotStatement[];
}

export function newWrites(tenantId: string, at: Date, configVersion: number): Writes {
  return {
    tenantId,
    at,
    timestamp: at.toISOString(),
    configVersion,
    records: new Map(),
    items: [],
    events: [],
    extra: [],
  };
}

/** Adds a decision's rows to the batch, and its contacts and its number to the customer's row. */
export function noteDecision(writes: Writes, customer: BatchCustomer, key: KeyObject, stored: StoredDecision): void {
  const { tenantId } = writes;
  const { id: decisionId, flow, input, decision, traceId } = stored;
  const { call, payloadHash } = stored.job;
  const { plan } = flow;
  const { requestId, customerId } = input.request;
  customer.customerSeq += 1;
  customer.changed = true;
  const read = inputText(input, flow.neverStore, flow.refs);
  const result = resultText(decision, flow.refs);
  const kept = read.withheld.length === 0 ? result : resultText(decision, flow.refs, false);
  recordsOf(writes, flow).push({
    id: decisionId,
    requestId: call.clientRequestId ? requestId : null,
    customerRef: customer.row.ref,
    customerSeq: customer.customerSeq,
    evidenceNumber: input.evidence.number,
    itemCount: decision.items.length,
    traceId,
    resultHash: resultHash(result, stored.texts),
    body: seal(key, recordContext(tenantId, decisionId), `{"i":${read.text},"r":${kept}}`),
  });
  noteItems(writes, customer, stored);
  writes.events.push(decisionEvent(writes, stored));
  if (traceId !== null) {
    const answer = shapeAnswer(plan, decision, stored.facts);
    const inputsHash = hash('sha256', read.text, 'hex');
    const trace = traceBody(plan, input, decision, answer, flow, inputsHash, stored.facts.stages);
    const row = { id: traceId, decisionId, requestId, customerId, flowKey: plan.flow.key, at: writes.at };
    writes.extra.push(insertTrace(tenantId, { ...row, body: JSON.stringify(trace) }));
  }
  if (payloadHash !== null) {
    const answer = seal(key, requestContext(tenantId, requestId), stored.answer);
    const row = {
      requestId,
      decisionId,
      customerRef: customer.row.ref,
      payloadHash,
      at: writes.at,
    };
    writes.extra.push(insertRequest(tenantId, { ...row, answer }));
  }
}

function recordsOf(writes: Writes, flow: CompiledFlow): RecordRow[] {
  let rows = writes.records.get(flow);
  if (rows === undefined) {
    rows = [];
    writes.records.set(flow, rows);
  }
  return rows;
}

/** One history row and one contact, or reservation, per item. */
function noteItems(writes: Writes, customer: BatchCustomer, stored: StoredDecision): void {
  const { decision, input, flow, reservationExpiresAt } = stored;
  const { state } = customer;
  const asked = stored.job.call.request.context;
  const context = Object.keys(asked).length > 0 ? JSON.stringify(asked) : null;
  for (const [i, item] of decision.items.entries()) {
    const { offerId, creativeId, channelId, placementId } = item;
    const lane = laneOf(state, { offerId, creativeId, channelId, campaignId: null });
    const id = stored.interactionIds[i]!;
    const reserved = item.effect === 'reserve';
    if (reserved) state.reservations.push({ id, lane, at: input.now, expiresAt: reservationExpiresAt });
    else addContact(state, lane, input.now);
    writes.items.push({
      id,
      customerId: input.request.customerId,
      customerSeq: customer.customerSeq,
      reserved,
      offerId,
      creativeId,
      channelId,
      placementId,
      categoryId: flow.plan.names.offer(offerId)?.categoryId ?? null,
      recommendationId: stored.id,
      rank: item.rank,
      context,
      reservationExpiresAt: reserved ? new Date(reservationExpiresAt) : null,
    });
  }
}

/** Event `decisionMade` as text (decisions.events.ts says what is in it). */
function decisionEvent(writes: Writes, { id, flow, input, decision }: StoredDecision): string {
  const { request } = input;
  let items = '';
  for (const item of decision.items) {
    items +=
      `${items === '' ? '' : ','}{"offerId":"${item.offerId}","rank":${item.rank},"score":${item.score},` +
      `"selectionProbability":${item.selection.probability},"creativeId":${orNull(item.creativeId)},` +
      `"channelId":${orNull(item.channelId)},"impression":${item.effect === 'impress'}}`;
  }
  return (
    `{"id":"${newId()}","type":"decision.made.v1","tenantId":"${writes.tenantId}","timestamp":"${writes.timestamp}",` +
    `"payload":{"requestId":"${request.requestId}","recommendationId":"${id}",` +
    `"customerId":${canonicalJson(request.customerId)},"decisionFlowKey":${canonicalJson(flow.plan.flow.key)},` +
    `"configVersion":${writes.configVersion},"channel":${orNull(request.channel)},` +
    `"placement":${orNull(request.placement)},"offersReturned":${decision.items.length},"items":[${items}]}}`
  );
}

const orNull = (text: string | null): string => (text === null ? 'null' : canonicalJson(text));
