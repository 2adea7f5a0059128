import { hash, type KeyObject } from 'node:crypto';
import { channelAsked, type Decision, type DecisionInput, type Plan, resultText } from '@arbiter/engine';
import type { HotStatement } from '../../../../db/index.ts';
import type { ScoredDecision } from '../../../catalogue/models/index.ts';
import { createDecisionEvents, type DecisionEvents } from '../../../operations/stream/index.ts';
import { addContact, type BatchCustomer, laneOf } from '../../customer-states/index.ts';
import type { ShownDecision } from '../../interactions/index.ts';
import type { LiveFlow } from '../../plans/index.ts';
import {
  emptyCodes,
  inputText,
  newZoneWriter,
  type RecordRow,
  recordContext,
  requestContext,
  resultHash,
  type Seal,
  type ZoneWriter,
} from '../../sealed-records/index.ts';
import { insertRequest, type NamedDecision } from '../requests.store.ts';
import { traceBody } from '../traces/trace.ts';
import type { NewTrace } from '../traces/traces.store.ts';
import { shapeAnswer } from './answer.ts';
import type { StoredDecision } from './decide-one.ts';
import { type ExperimentWrites, newExperimentWrites, noteExperiments } from './note-experiments.ts';

/** A batch's writes, collected until the commit: one statement per table. */
export interface Writes {
  readonly tenantId: string;
  readonly at: Date;
  readonly configVersion: number;
  readonly seal: Seal;
  readonly zones: ZoneWriter;
  /** By flow, because records of one flow share most columns. */
  readonly records: Map<LiveFlow, RecordRow[]>;
  readonly shown: ShownDecision[];
  readonly events: DecisionEvents;
  /** Which learning models scored which decision. */
  readonly scored: ScoredDecision[];
  readonly experiments: ExperimentWrites;
  readonly traces: NewTrace[];
  /** Decisions without an answer to store. */
  readonly named: NamedDecision[];
  /** Answers to store for repeats, by client-chosen request id. */
  readonly requests: { readonly requestId: string; readonly statement: HotStatement }[];
}

export function newWrites(tenantId: string, at: Date, configVersion: number, seal: Seal): Writes {
  return {
    tenantId,
    at,
    configVersion,
    seal,
    zones: newZoneWriter(),
    records: new Map(),
    shown: [],
    events: createDecisionEvents(),
    scored: [],
    experiments: newExperimentWrites(),
    traces: [],
    named: [],
    requests: [],
  };
}

/** Adds a decision's rows to the batch, and its contacts and its number to the customer's row. */
export function noteDecision(writes: Writes, customer: BatchCustomer, key: KeyObject, stored: StoredDecision): void {
  const { tenantId, seal } = writes;
  const { id: decisionId, flow, input, decision, traceId } = stored;
  const { call, payloadHash, origin } = stored.job;
  const { plan } = flow;
  const { requestId, customerId } = input.request;
  customer.customerSeq += 1;
  customer.changed = true;
  const read = inputText(input, call.request, flow, writes.zones, stored.segments, decision.experiments);
  const result = resultText(decision, flow.refs);
  const storedResult = read.withheld.length === 0 ? result : resultText(decision, flow.refs, false);
  recordsOf(writes, flow).push({
    id: decisionId,
    requestId: call.clientRequestId ? requestId : null,
    source: origin?.source ?? 'recommend',
    sourceId: origin?.sourceId ?? null,
    customerRef: customer.row.ref,
    customerSeq: customer.customerSeq,
    evidenceNumber: input.evidence.number,
    itemCount: decision.items.length,
    traceId,
    channelId: channelOf(plan, input, decision),
    engineUs: stored.engineUs,
    emptyCode: decision.emptyReason === null ? null : emptyCodes[decision.emptyReason],
    explored: decision.explored,
    minProbability: decision.items.length === 0 ? null : decision.minProbability,
    resultHash: resultHash(result, stored.texts),
    body: seal(key, recordContext(tenantId, decisionId), `{"i":${read.text},"r":${storedResult}}`),
  });
  noteModelDecision(writes, stored);
  noteExperiments(writes.experiments, customerId, decision);
  noteItems(writes, customer, stored);
  noteEvent(writes, stored);
  if (traceId !== null) {
    const answer = shapeAnswer(plan, decision, stored.facts);
    const inputsHash = hash('sha256', read.text, 'hex');
    const facts = { inputsHash, source: origin?.source ?? 'recommend' };
    const trace = traceBody(plan, input, decision, answer, flow, facts, stored.facts.stages);
    const flowKey = plan.flow.key;
    writes.traces.push({ id: traceId, decisionId, requestId, customerId, flowKey, body: JSON.stringify(trace) });
  }
  if (stored.job.isSilent === true) {
    writes.named.push({ requestId, decisionId, customerRef: customer.row.ref });
  } else if (payloadHash !== null) {
    const answer = seal(key, requestContext(tenantId, requestId), stored.answer);
    const row = {
      requestId,
      decisionId,
      customerRef: customer.row.ref,
      payloadHash,
      at: writes.at,
    };
    writes.requests.push({ requestId, statement: insertRequest(tenantId, { ...row, answer }) });
  }
}

/** The channel under which the decision is listed: the requested one, or that of the first item. */
function channelOf(plan: Plan, { request }: DecisionInput, { items }: Decision): string | null {
  // Where something was shown, it was shown where the request asked for it.
  return request.channelId ?? items[0]?.channelId ?? (items.length === 0 ? channelAsked(plan, request) : null);
}

function recordsOf(writes: Writes, flow: LiveFlow): RecordRow[] {
  let rows = writes.records.get(flow);
  if (rows === undefined) {
    rows = [];
    writes.records.set(flow, rows);
  }
  return rows;
}

/** Outcomes of the items will teach the models that scored the decision. */
function noteModelDecision({ scored }: Writes, { id, decision }: StoredDecision): void {
  if (decision.models === null || decision.items.length === 0) return;
  for (const model of decision.models) if (model.learns) scored.push({ decisionId: id, modelId: model.id });
}

/** The decision's history, and one contact or reservation per item. */
function noteItems(writes: Writes, customer: BatchCustomer, stored: StoredDecision): void {
  const { decision, input, flow, reservationExpiresAt } = stored;
  if (decision.items.length === 0) return;
  const { state } = customer;
  const campaignId = input.request.campaignId ?? null;
  const requestContext = stored.job.call.request.context;
  const items = decision.items.map(({ offerId, creativeId, channelId, placementId, rank, effect }, i) => {
    const lane = laneOf(state, { offerId, creativeId, channelId, campaignId });
    const id = stored.interactionIds[i]!;
    const reserved = effect === 'reserve';
    if (reserved) state.reservations.push({ id, lane, at: input.now, expiresAt: reservationExpiresAt });
    else addContact(state, lane, input.now);
    const categoryId = flow.plan.names.offer(offerId)?.categoryId ?? null;
    const reservedUntil = reserved ? new Date(reservationExpiresAt) : null;
    return { id, rank, offerId, creativeId, channelId, placementId, categoryId, reservedUntil };
  });
  writes.shown.push({
    id: stored.id,
    customerId: input.request.customerId,
    customerSeq: customer.customerSeq,
    campaignId,
    context: Object.keys(requestContext).length > 0 ? JSON.stringify(requestContext) : null,
    experiments: decision.experiments,
    items,
  });
}

/** Adds the event `decisionMade` (described in decisions.events.ts). */
function noteEvent(writes: Writes, { id, flow, input, decision }: StoredDecision): void {
  const { request } = input;
  writes.events.add({
    id,
    requestId: request.requestId,
    customerId: request.customerId,
    decisionFlowKey: flow.plan.flow.key,
    configVersion: writes.configVersion,
    channel: request.channel,
    placement: request.placement,
    items: decision.items,
  });
}
