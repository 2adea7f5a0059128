import { compareText } from '@arbiter/engine';
import type { Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { instantFor, type SavedState } from '../../customer-states/index.ts';
import type { ShownItem } from '../../interactions/index.ts';
import type { TenantCatalogue } from '../../plans/index.ts';
import {
  type Candidate,
  closeCustomers,
  hasExplicitKey,
  isFirst,
  type OpenBatch,
  type OpenCustomer,
  openBatch,
  type RespondKeys,
} from './open-batch.ts';
import { answerOf, type OpenResponse, recordResponse } from './record-response.ts';
import { type RespondCall, responseKeys } from './respond.rules.ts';
import { type Responded, withoutEffects } from './responded.ts';
import { type EarlierAnswers, findEarlierAnswer } from './response-keys.ts';
import { notFound, type ResponseFacts, readResponseFacts, resolveSubject, subjectFacts } from './response-subject.ts';
import type { NewResponseKey } from './responses.store.ts';

/** A response to record. */
export interface RespondItem {
  readonly call: RespondCall;
  readonly credentialId: string;
}

/** How the responses of one transaction end. Nothing of it is written yet, except rows of new customers. */
export interface BatchOutcome<Item> {
  readonly recorded: { readonly item: Item; readonly responded: Responded }[];
  readonly rejected: { readonly item: Item; readonly error: AppError }[];
  /** Responses of customers that another transaction has locked. */
  readonly left: Item[];
  /** States that the responses changed. */
  readonly saved: readonly SavedState[];
}

type RespondCatalogue = Pick<TenantCatalogue, 'outcomes' | 'outcomePolicies'>;

/**
 * Works out what responses do, one after the other on what they name, which is read for all of them at once
 * (docs/design/api-decisioning.md 3, 4). Rejects each on its own, so that the others are kept. A response whose customer another
 * transaction holds is `left` if this one may not `wait`.
 */
export async function respondTogether<Item extends RespondItem>(
  tx: Tx,
  ports: RespondKeys,
  catalogue: RespondCatalogue,
  items: readonly Item[],
  wait: boolean,
): Promise<BatchOutcome<Item>> {
  const outcome = { recorded: [], rejected: [], left: [] } as Omit<BatchOutcome<Item>, 'saved'>;
  const facts = await readResponseFacts(
    tx,
    items.map(({ call }) => call),
  );
  const candidates: Candidate<Item>[] = [];
  for (const item of items) {
    const rejection = orRejection(() => candidates.push(candidateOf(tx, ports, catalogue, facts, item)));
    if (rejection instanceof AppError) outcome.rejected.push({ item, error: rejection });
  }
  // By customer, each customer's in order of arrival.
  candidates.sort((a, b) => compareText(a.subject.customerId, b.subject.customerId));
  const batch = await openBatch(tx, ports, facts, candidates, wait);
  for (const candidate of candidates) {
    const { item } = candidate;
    const responded = orRejection(() => respondOne(batch, catalogue, candidate));
    if (responded instanceof AppError) outcome.rejected.push({ item, error: responded });
    else if (responded === null) outcome.left.push(item);
    else outcome.recorded.push({ item, responded });
  }
  return { ...outcome, saved: await closeCustomers(tx, batch) };
}

/** Returns the result, or the error that rejects the response. */
function orRejection<Result>(work: () => Result): Result | AppError {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return error;
    throw error;
  }
}

function candidateOf<Item extends RespondItem>(
  tx: Tx,
  { customerHash }: RespondKeys,
  { outcomes }: RespondCatalogue,
  facts: ResponseFacts,
  item: Item,
): Candidate<Item> {
  const { call, credentialId } = item;
  const outcome = outcomes.get(call.outcome);
  if (!outcome) throw new AppError('unknown_outcome', { detail: 'outcome must be an active outcome type.' });
  const subject = resolveSubject(facts, call);
  const direction = call.direction ?? (outcome.category === 'impression' ? 'outbound' : 'inbound');
  const customerHashes = customerHash.all(tx.tenantId, subject.customerId);
  const keyHashes = responseKeys(call, credentialId, subject, direction, customerHashes);
  return { item, call, outcome, subject, direction, customerHashes, keyHashes };
}

/**
 * Records one response on what the earlier ones of the batch did. Null: another transaction has its customer. Throws
 * AppError when it's rejected.
 */
function respondOne(
  batch: OpenBatch,
  { outcomePolicies }: RespondCatalogue,
  candidate: Candidate<unknown>,
): Responded | null {
  const { call, outcome, subject, keyHashes } = candidate;
  const { answers, taken } = batch;
  if (hasExplicitKey(candidate)) {
    const earlier = findEarlierAnswer(answers, call, keyHashes);
    if (earlier !== null) return withoutEffects(earlier);
    // The key's holder may be another repeat of a response that was answered long ago.
    if (!isFirst(candidate, answers, taken)) throw new AppError('idempotency_in_progress');
  }
  const customer = batch.customers.get(subject.customerId);
  if (customer === undefined) return null;
  refuseErased(batch, candidate);
  if (!hasExplicitKey(candidate)) {
    const earlier = findEarlierAnswer(answers, call, keyHashes);
    if (earlier !== null) return withoutEffects(earlier);
  }
  const open = openResponse(batch, candidate, customer);
  const { item } = open;
  if (outcome.key === 'impression' && item !== null && isCounted(item)) {
    // The row of the impression: that of an item that was reserved is another one than the item's.
    const interactionId = batch.confirmations.get(item.id) ?? item.id;
    const answer = answerOf(open, interactionId, 'already_counted', 'duplicate');
    // A key of the caller's is given to this response like to any other.
    return withoutEffects(answer, hasExplicitKey(candidate) ? keep(answers, candidate, answer) : null);
  }
  const responded = recordResponse(open, outcomePolicies);
  customer.customerSeq += 1;
  customer.changed = true;
  noteSettlement(batch, item, responded);
  return { ...responded, key: keep(answers, candidate, responded.answer) };
}

/** Throws 404 for a response that's older than the customer's erasure. */
function refuseErased({ erasures }: OpenBatch, { call, customerHashes }: Candidate<unknown>): void {
  const happened = call.at ?? call.receivedAt;
  for (const hash of customerHashes) {
    const erased = erasures.get(hash.toString('hex'));
    if (erased !== undefined && happened < erased.getTime()) throw notFound('Customer');
  }
}

function openResponse(
  { facts, reserved, databaseNow }: OpenBatch,
  { call, outcome, subject, direction }: Candidate<unknown>,
  { state, customerSeq }: OpenCustomer,
): OpenResponse {
  const now = instantFor(state, databaseNow);
  const reservedId = subject.item?.interactionType === 'recommendation' ? subject.item.id : null;
  return {
    call,
    outcome,
    subject,
    direction,
    item: reservedId === null ? subject.item : (reserved.get(reservedId) ?? null),
    reservedId,
    names: subjectFacts(facts, subject),
    state,
    customerSeq: customerSeq + 1,
    now,
    at: call.at ?? now,
  };
}

/** The item's impression is already in history. */
const isCounted = (item: ShownItem): boolean =>
  item.interactionType === 'impression' || item.reservationState === 'confirmed';

/** Lets later responses of the batch see what happened to a reservation. */
function noteSettlement(
  { reserved, confirmations }: OpenBatch,
  item: ShownItem | null,
  { settlement, rows }: Responded,
): void {
  if (settlement === null || item === null) return;
  reserved.set(item.id, { ...item, reservationState: settlement.state });
  const impression = rows.find((row) => row.interactionType === 'impression');
  if (impression !== undefined && !confirmations.has(item.id)) confirmations.set(item.id, impression.id);
}

/** Notes the answer under the response's key, if it has one, and returns what to store. */
function keep(
  answers: EarlierAnswers,
  { call: { payloadHash }, keyHashes: [keyHash] }: Candidate<unknown>,
  answer: Responded['answer'],
): NewResponseKey | null {
  if (keyHash === undefined) return null;
  answers.set(keyHash.toString('hex'), { payloadHash, answer });
  return { keyHash, payloadHash, customerId: answer.customerId, answer: JSON.stringify(answer) };
}
