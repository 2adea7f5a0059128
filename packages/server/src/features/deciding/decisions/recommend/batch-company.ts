import type { DecisionRequest } from '@arbiter/engine';
import type { HotStatement, HotTransaction } from '../../../../db/index.ts';
import type { BatchRead } from '../reads/read-batch.ts';
import type { PreparedJob } from './decide-job.ts';
import type { MadeDecision, StoredDecision } from './decide-one.ts';
import type { QuotaInBatch } from './playground-quota.ts';

/** Work that a batch is a part of, such as the run of a campaign: what its transaction does besides deciding. */
export interface BatchCompany {
  /**
   * Runs first in each try, and forgets what the try before did. Returns the customers to leave out. What it throws ends
   * the transaction.
   */
  open(tx: HotTransaction): Promise<ReadonlySet<string>>;
  /**
   * Runs when all customers are locked and none is decided. `holdsShared`: the transaction may hold rows that transactions for
   * other customers also need, so none of them may wait for this one.
   */
  beforeDeciding(holdsShared: boolean): Promise<void>;
  /** Returns the request with what is used up by now excluded; null: nothing is left, and there is no decision. */
  narrow(request: DecisionRequest): DecisionRequest | null;
  /** Returns how many of the first items of a decision there is room for. */
  roomFor(items: MadeDecision['decision']['items']): number;
  decided(made: StoredDecision): void;
  /** Runs when all decisions are made and none is written. Throwing ends the transaction. */
  beforeWriting(tx: HotTransaction, holdsShared: boolean): Promise<void>;
  /** Statements to commit with the decisions. */
  statements(): readonly HotStatement[];
}

/** A customer's row was created or erased in the meantime. Repeat the batch. */
export class CustomersHeld extends Error {
  constructor() {
    super('a customer changed in the meantime');
  }
}

/**
 * Makes a decision within the limits of the work. With room for a part of its items only, makes it again with that limit as
 * an input: its record then says so, and a replay finds the same. Null: no decision.
 */
export function decideInCompany(
  company: BatchCompany,
  read: BatchRead,
  prepared: PreparedJob,
  decide: (read: BatchRead, prepared: PreparedJob) => MadeDecision,
): MadeDecision | null {
  const request = company.narrow(prepared.request);
  if (request === null) return null;
  const own = { ...prepared, request };
  const decided = decide(read, own);
  const room = company.roomFor(decided.decision.items);
  if (room === decided.decision.items.length) return decided;
  return decide({ ...read, quota: limitedTo(read.quota, room) }, own);
}

function limitedTo(quota: QuotaInBatch | null, room: number): QuotaInBatch {
  const left = (): number => Math.min(room, quota?.left() ?? room);
  return {
    left,
    take: (items) => quota?.take(items),
    facts: (taking, truncated) => ({ limit: room, used: 0, remaining: left() - taking, truncated }),
    statement: () => quota?.statement() ?? null,
  };
}
