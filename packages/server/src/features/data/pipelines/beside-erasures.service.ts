import type { Tx } from '../../../db/index.ts';
import { keepErasuresWaiting, tryKeepErasuresWaiting } from '../../catalogue/schemas/index.ts';
import { erasureMark } from '../../deciding/customer-states/index.ts';
import type { InTenant } from './work.ts';

/** A customer was erased between the check of the rows and their commit. */
class ErasedMeanwhile extends Error {}

/**
 * Runs `write`, which leaves out rows of customers erased since the run began, in a transaction. If someone is erased
 * in the meantime, nothing of it stays, and it runs again while erasures wait.
 */
export async function besideErasures<T>(
  inTenant: InTenant,
  runStartedAt: Date,
  write: (tx: Tx) => Promise<T>,
): Promise<T> {
  try {
    return await inTenant(async (tx) => {
      const before = await erasureMark(tx, runStartedAt);
      const result = await write(tx);
      // It has locked rows that the erasure may want, so it can't wait for the lock here.
      const isAlone = await tryKeepErasuresWaiting(tx);
      if (!isAlone || (await erasureMark(tx, runStartedAt)) !== before) throw new ErasedMeanwhile();
      return result;
    });
  } catch (error) {
    if (!(error instanceof ErasedMeanwhile)) throw error;
  }
  return inTenant(async (tx) => {
    await keepErasuresWaiting(tx);
    return write(tx);
  });
}
