import type { Tx } from '../../../../db/tx.ts';

/**
 * Lets one transaction at a time create a key from a name, until it ends; `among`: where the key is unique, such as the
 * resource's path. Two that look for a free key at once would find the same one, and one caller would get an error
 * about a key that they never sent.
 */
export async function lockDerivedKeys(tx: Tx, among: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.made_keys:' || $1, 0))`, [
    `${tx.tenantId} ${among}`,
  ]);
}
