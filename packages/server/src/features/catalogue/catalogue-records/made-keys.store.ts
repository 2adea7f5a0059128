import type { Tx } from '../../../db/tx.ts';

/**
 * Lets one transaction at a time make a key from a name, until it ends; `among`: where the key is unique, such as the path of
 * the resource. Two that look for a free one at once would find the same, and one caller would be refused a key that he
 * never sent.
 */
export async function lockMadeKeys(tx: Tx, among: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.made_keys:' || $1, 0))`, [
    `${tx.tenantId} ${among}`,
  ]);
}
