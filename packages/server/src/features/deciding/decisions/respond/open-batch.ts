import type { Tx } from '../../../../db/index.ts';
import { newId } from '../../../../platform/ids.ts';
import type { OutcomeTypeFacts } from '../../../catalogue/outcomes/index.ts';
import {
  type CustomerKeys,
  type CustomerState,
  decodeState,
  encodeState,
  forgetState,
  type KeyedHash,
  lockOrMakeStates,
  readErasures,
  type SavedState,
} from '../../customer-states/index.ts';
import { type NewInteraction, readConfirmations, readShown, type ShownItem } from '../../interactions/index.ts';
import type { RespondCall } from './respond.rules.ts';
import { type EarlierAnswers, loadAnswers } from './response-keys.ts';
import type { ResponseFacts, ResponseSubject } from './response-subject.ts';
import { takeKeys } from './responses.store.ts';

/** Keys that protect customers' data, and what remains of erased customers. */
export interface RespondKeys {
  readonly keys: CustomerKeys;
  readonly customerHash: KeyedHash;
}

/** A response with what it names. */
export interface Candidate<Item> {
  readonly item: Item;
  readonly call: RespondCall;
  readonly outcome: OutcomeTypeFacts;
  readonly subject: ResponseSubject;
  readonly direction: NewInteraction['direction'];
  /** Keyed hashes of its customer, newest first. */
  readonly customerHashes: readonly Buffer[];
  /** Keys under which it may be stored, preferred first; none: it can't be told from others. */
  readonly keyHashes: readonly Buffer[];
}

/** A customer whose row this transaction holds. */
export interface OpenCustomer {
  readonly state: CustomerState;
  readonly hadBase: boolean;
  /** The row was created for the batch. */
  readonly isNew: boolean;
  customerSeq: number;
  changed: boolean;
}

/** What responses of one transaction read and change. */
export interface OpenBatch {
  /** The transaction's instant in epoch ms. */
  readonly databaseNow: number;
  readonly facts: ResponseFacts;
  readonly answers: EarlierAnswers;
  /** Explicit keys that this transaction has, in hex. */
  readonly taken: ReadonlySet<string>;
  /** Those that could be locked. */
  readonly customers: ReadonlyMap<string, OpenCustomer>;
  /** When customers were erased last, by hash in hex. */
  readonly erasures: ReadonlyMap<string, Date>;
  /** Items of reservations as they are now, by ID. */
  readonly reserved: Map<string, ShownItem>;
  /** IDs of the impressions that confirmed reservations, by item ID. */
  readonly confirmations: Map<string, string>;
}

/** Takes the keys of callers, locks the customers, and reads what may only be read under these locks. */
export async function openBatch<Item>(
  tx: Tx,
  { keys }: RespondKeys,
  facts: ResponseFacts,
  candidates: readonly Candidate<Item>[],
  wait: boolean,
): Promise<OpenBatch> {
  const answers: EarlierAnswers = new Map();
  const explicit = candidates.filter(hasExplicitKey).flatMap(({ keyHashes }) => keyHashes);
  const taken = explicit.length === 0 ? new Set<string>() : await takeKeys(tx, distinct(explicit));
  // Read before rows of customers are created: a rejected response leaves nothing behind.
  await loadAnswers(tx, answers, explicit);
  const open = candidates.filter((each) => !hasExplicitKey(each) || isFirst(each, answers, taken));
  const customerIds = [...new Set(open.map(({ subject }) => subject.customerId))];
  const rows = await lockOrMakeStates(
    tx,
    customerIds,
    () => ({ ref: newId(), dataKey: keys.create(tx.tenantId) }),
    wait,
  );
  const customers = new Map(
    [...rows].map(([id, { state, base, customerSeq, isNew }]): [string, OpenCustomer] => [
      id,
      { state: decodeState(state, base), hadBase: base !== null, isNew, customerSeq, changed: false },
    ]),
  );
  const locked = open.filter(({ subject }) => customers.has(subject.customerId));
  const hashes = distinct(locked.flatMap(({ customerHashes }) => customerHashes));
  const erasures = hashes.length === 0 ? new Map<string, Date>() : await readErasures(tx, hashes);
  // A derived key belongs to one customer: nobody else stores an answer under it while the row is locked.
  await loadAnswers(
    tx,
    answers,
    locked.flatMap((each) => (hasExplicitKey(each) ? [] : each.keyHashes)),
  );
  const reserved = await readReserved(tx, locked);
  const confirmed = locked.flatMap(({ outcome, subject: { itemId } }) => {
    const item = outcome.key === 'impression' && itemId !== null ? reserved.get(itemId) : undefined;
    return item?.reservationState === 'confirmed' ? [item] : [];
  });
  const confirmations = await readConfirmations(tx, confirmed);
  return {
    databaseNow: tx.now.getTime(),
    facts,
    answers,
    taken,
    customers,
    erasures,
    reserved,
    confirmations,
  };
}

export const hasExplicitKey = ({ call }: Pick<Candidate<unknown>, 'call'>): boolean => call.explicitKey !== null;

export const isFirst = (
  { keyHashes }: Candidate<unknown>,
  answers: EarlierAnswers,
  taken: ReadonlySet<string>,
): boolean => keyHashes.every((hash) => taken.has(hash.toString('hex')) && !answers.has(hash.toString('hex')));

const distinct = (hashes: readonly Buffer[]): readonly Buffer[] => [
  ...new Map(hashes.map((hash) => [hash.toString('hex'), hash])).values(),
];

/** Reads items that were reserved again, under the lock: another response may have changed them. Impressions never change. */
async function readReserved(tx: Tx, locked: readonly Candidate<unknown>[]): Promise<Map<string, ShownItem>> {
  const itemIds = locked.flatMap(({ subject: { item } }) =>
    item?.interactionType === 'recommendation' ? [item.id] : [],
  );
  return new Map((await readShown(tx, { itemIds, decisionIds: [] })).byId);
}

/** Deletes rows that no response needed after all, and returns the states to save. */
export async function closeCustomers(tx: Tx, { customers }: OpenBatch): Promise<SavedState[]> {
  const saved: SavedState[] = [];
  for (const [customerId, { state, hadBase, customerSeq, isNew, changed }] of customers) {
    if (changed) saved.push({ customerId, customerSeq, hadBase, stored: encodeState(state) });
    else if (isNew) await forgetState(tx, customerId);
  }
  return saved;
}
