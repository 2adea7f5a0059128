import type { Tx } from '../../../db/index.ts';
import { findKnown, lockNumbers, saveNumbers } from './states.store.ts';

/** For settlements that count without reading the state: expiry is judged by its instant. */
export const customerNumbers = {
  /** See `SettlementNumbers` of interactions. */
  async lock(tx: Tx, customerIds: readonly string[]) {
    const numbers = await lockNumbers(tx, customerIds);
    const rest = customerIds.filter((id) => !numbers.has(id));
    const known = rest.length === 0 ? new Set<string>() : await findKnown(tx, rest);
    return { numbers, unknown: new Set(rest.filter((id) => !known.has(id))) };
  },
  save: saveNumbers,
};
