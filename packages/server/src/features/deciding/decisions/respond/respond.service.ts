import type { Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { newId } from '../../../../platform/ids.ts';
import {
  type CustomerKeys,
  decodeState,
  encodeState,
  erasedAt,
  forgetState,
  instantFor,
  type KeyedHash,
  lockState,
  saveState,
} from '../../customer-states/index.ts';
import { findConfirmation, findShownItem, type ShownItem } from '../../interactions/index.ts';
import type { TenantCatalogue } from '../../plans/index.ts';
import { answerOf, type OpenResponse, recordResponse } from './record-response.ts';
import { type RespondCall, responseKeys } from './respond.rules.ts';
import { type Responded, withoutEffects } from './responded.ts';
import { claimKey, findEarlierAnswer, storeAnswer } from './response-keys.ts';
import { notFound, readSubjectFacts, resolveSubject } from './response-subject.ts';

/** Keys that protect customers' data, and what remains of erased customers. */
export interface RespondKeys {
  readonly keys: CustomerKeys;
  readonly customerHash: KeyedHash;
}

type FoundState = NonNullable<Awaited<ReturnType<typeof lockState>>>;

/**
 * Records one response in an open transaction (docs/design/api-decisioning.md 3, 4). Throws any rejection before the
 * first write, so that the batch's other responses stand. `held`: another transaction has the customer's row, and this
 * one may not `wait` for it. `in_progress`: another running transaction has the caller's key.
 */
export async function respondOne(
  tx: Tx,
  { keys, customerHash }: RespondKeys,
  catalogue: Pick<TenantCatalogue, 'outcomes' | 'outcomePolicies'>,
  call: RespondCall,
  credentialId: string,
  wait: boolean,
): Promise<Responded | 'held' | 'in_progress'> {
  const outcome = catalogue.outcomes.get(call.outcome);
  if (!outcome) throw new AppError('unknown_outcome', { detail: 'outcome must be an active outcome type.' });
  const subject = await resolveSubject(tx, call);
  const direction = call.direction ?? (outcome.category === 'impression' ? 'outbound' : 'inbound');
  const customerHashes = customerHash.all(tx.tenantId, subject.customerId);
  const [keyHash, ...otherHashes] = responseKeys(call, credentialId, subject, direction, customerHashes);
  if (call.explicitKey !== null && keyHash !== undefined) {
    const earlier = await claimKey(tx, call, [keyHash, ...otherHashes]);
    if (earlier !== null) return earlier;
  }
  const fresh = () => ({ ref: newId(), dataKey: keys.create(tx.tenantId) });
  const row = await lockState(tx, subject.customerId, fresh, wait);
  if (row === null) return 'held';
  await assertNotErased(tx, row, subject.customerId, customerHashes, call);
  if (call.explicitKey === null && keyHash !== undefined) {
    // A derived key belongs to one customer: nobody else stores an answer under it while the row is locked.
    const earlier = await findEarlierAnswer(tx, call, [keyHash, ...otherHashes]);
    if (earlier !== null) return earlier;
  }
  const open = await openResponse(tx, { call, outcome, subject, direction }, row);
  const { item, state, customerSeq } = open;
  if (outcome.key === 'impression' && item !== null && isCounted(item)) {
    // The row of the impression: that of an item that was reserved is another one than the item's.
    const interactionId = (await findConfirmation(tx, item)) ?? item.id;
    const answer = answerOf(open, interactionId, 'already_counted', 'duplicate');
    // A key of the caller's is given to this response like to any other.
    if (call.explicitKey !== null) await storeAnswer(tx, call, keyHash, answer);
    return withoutEffects(answer);
  }
  const responded = await recordResponse(open, catalogue.outcomePolicies);
  const { customerId } = subject;
  await saveState(tx, { customerId, customerSeq, hadBase: row.base !== null, stored: encodeState(state) });
  await storeAnswer(tx, call, keyHash, responded.answer);
  return responded;
}

/** Throws 404 for a response that's older than the customer's erasure. Under the lock, which may have waited for it. */
async function assertNotErased(
  tx: Tx,
  row: FoundState,
  customerId: string,
  customerHashes: readonly Buffer[],
  { at, receivedAt }: RespondCall,
): Promise<void> {
  const erased = await erasedAt(tx, customerHashes);
  if (erased === null || (at ?? receivedAt) >= erased.getTime()) return;
  if (row.isNew) await forgetState(tx, customerId);
  throw notFound('Customer');
}

async function openResponse(
  tx: Tx,
  resolved: Pick<OpenResponse, 'call' | 'outcome' | 'subject' | 'direction'>,
  row: FoundState,
): Promise<OpenResponse> {
  const { call, subject } = resolved;
  const state = decodeState(row.state, row.base);
  const now = instantFor(state, tx.now.getTime());
  const reservedId = subject.item?.interactionType === 'recommendation' ? subject.item.id : null;
  return {
    ...resolved,
    tx,
    // Another response may have changed a reservation. An impression never changes.
    item: reservedId === null ? subject.item : await findShownItem(tx, reservedId),
    reservedId,
    names: await readSubjectFacts(tx, subject),
    state,
    customerSeq: row.customerSeq + 1,
    now,
    at: call.at ?? now,
  };
}

/** The item's impression is already in history. */
const isCounted = (item: ShownItem): boolean =>
  item.interactionType === 'impression' || item.reservationState === 'confirmed';
