import type { DataClass, ErasureScope, ScopedErasureAnswer } from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import type { ErasedCustomer, Eraser } from '../../../feature.ts';
import { eraseKeptAnswers } from '../../../http/binding/idempotency.store.ts';
import { eraseDeadLetters } from '../../../jobs/index.ts';
import { newId } from '../../../platform/ids.ts';
import {
  type CustomerKeys,
  ensureStates,
  findRef,
  forgetState,
  type KeyedHash,
  recordErasure,
  rekeyState,
  resetState,
} from '../../deciding/customer-states/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { retentionOf } from '../retention/index.ts';

export interface ErasurePorts {
  readonly keys: CustomerKeys;
  readonly customerHash: KeyedHash;
  /** Of all features. */
  readonly erasers: readonly Eraser[];
}

/** What an erasure did. */
export interface Erased {
  readonly customerId: string;
  readonly counts: ScopedErasureAnswer['counts'];
  readonly total: number;
  /** What jobs still have to do. */
  readonly pending: ScopedErasureAnswer['pending'];
  readonly legalHoldOverridden: boolean;
  readonly timestamp: string;
}

type ErasureCounts = ScopedErasureAnswer['counts'];

const always: ErasureCounts = {
  interactionHistory: 0,
  interactionSummaries: 0,
  experimentAssignments: 0,
  impressions: 0,
  decisionTraces: 0,
};
/** What answers of the wider scopes count besides; zero where the product has none of it. */
const ofRecords = { sealedRecords: 0 };
const ofEverything = {
  suppressions: 0,
  metricValues: 0,
  segmentMemberships: 0,
  schemaRows: 0,
  events: 0,
  deliveries: 0,
  journeyEnrollments: 0,
  deadLetters: 0,
};

/** Classes of data that a scope deletes. */
const classesOf: Readonly<Record<ErasureScope, readonly DataClass[]>> = {
  interactions: ['interactions', 'summaries'],
  traces: ['traces', 'decisions'],
  all: ['interactions', 'summaries', 'traces', 'decisions'],
  everything: ['interactions', 'summaries', 'traces', 'decisions', 'metrics'],
};

/**
 * Makes the customer's row when there is none; to be committed before the erasure, which holds the row. A decision that
 * found none can then tell that someone was erased since it began (docs/adr/0038). Answers with the
 * `ref` of the row that it would have made.
 */
export async function prepareErasure(tx: Tx, { keys }: ErasurePorts, customerId: string): Promise<string> {
  const ref = newId();
  await ensureStates(tx, [{ customerId, ref, dataKey: keys.create(tx.tenantId) }]);
  return ref;
}

/**
 * Takes away what a scope names; null: what the contract's plain DELETE names, which leaves traces and sealed records. `made`:
 * from `prepareErasure`. Null: someone else has erased the customer since, and the row must be recreated. Late work is rejected after all scopes but `interactions` and `traces`. Erasure is stronger than a
 * legal hold, and says so.
 */
export async function eraseCustomer(
  tx: Tx,
  { keys, customerHash, erasers }: ErasurePorts,
  customerId: string,
  scope: ErasureScope | null,
  made: string,
): Promise<Erased | null> {
  const named = scope ?? 'interactions';
  const ref = await findRef(tx, customerId);
  if (ref === null) return null;
  const customer: ErasedCustomer = {
    customerId,
    ref,
    zone: (await readSettings(tx)).timezone,
    hash: () => customerHash.of(tx.tenantId, customerId),
  };
  const counts: ErasureCounts = {
    ...always,
    ...(named === 'interactions' ? {} : ofRecords),
    ...(named === 'everything' ? ofEverything : {}),
  };
  const add = (more: Partial<ErasureCounts>): void => {
    for (const [name, rows] of Object.entries(more)) {
      const key = name as keyof ErasureCounts;
      counts[key] = (counts[key] ?? 0) + rows;
    }
  };
  const own = erasers.filter(({ scopes }) => scopes.includes(named));
  for (const { settle } of own) await settle?.(tx, customer);
  for (const { erase } of own) add(await erase(tx, customer));
  const pending: ScopedErasureAnswer['pending'] = [];
  for (const { later } of own) pending.push(...((await later?.(tx, customer)) ?? []));
  if (named === 'everything') {
    add({ deadLetters: await eraseDeadLetters(tx, customerId) });
    await eraseKeptAnswers(tx, customerId);
  }
  // A row that was made for this erasure has nothing to keep.
  if (named === 'everything' || ref === made) await forgetState(tx, customerId);
  else {
    if (named !== 'traces') await resetState(tx, customerId);
    if (named !== 'interactions') await rekeyState(tx, customerId, { ref: newId(), dataKey: keys.create(tx.tenantId) });
  }
  if (scope === null || scope === 'all' || scope === 'everything') {
    await recordErasure(tx, customerHash.of(tx.tenantId, customerId));
  }
  const retentions = await Promise.all(classesOf[named].map((dataClass) => retentionOf(tx, dataClass)));
  return {
    customerId,
    counts,
    total: Object.values(counts).reduce((sum, rows) => sum + rows, 0),
    pending,
    legalHoldOverridden: retentions.some(({ legalHold }) => legalHold),
    timestamp: tx.now.toISOString(),
  };
}
