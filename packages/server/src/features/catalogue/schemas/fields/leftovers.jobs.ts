import Type from 'typebox';
import type { Tx } from '../../../../db/tx.ts';
import { enqueueJob, job } from '../../../../jobs/index.ts';

/**
 * Drops what deletions left behind. On a cluster, tables change in transactions of their own, after the commit of the deletion, and
 * a reader or a lost node can keep them from it.
 */
export const dropLeftoversJob = job({
  name: 'schemas.drop-leftovers',
  payload: Type.Object({}, { additionalProperties: false }),
});

/** On a cluster: has the drops of this transaction tried again until they're done. */
export async function noteDrops(tx: Tx): Promise<void> {
  if (tx.isCluster) await enqueueJob(tx, dropLeftoversJob, {}, { key: `schemas.drop-leftovers:${tx.tenantId}` });
}
