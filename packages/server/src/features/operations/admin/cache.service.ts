import { type CacheFlush, type CacheFlushed, cacheScopes } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { renewCounts } from '../../deciding/objectives/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { enqueueRecount } from '../stream/index.ts';

/**
 * Has every process read the tenant's catalogue anew before its next decision (docs/design/api-access.md 15). With scope `all` what ranking objectives count is counted anew as well, and used at once
 * (docs/design/api-settled.md 112), and the tenant's daily figures are counted anew from history by a job, in the days of the
 * tenant's zone.
 */
export async function flushCaches(tx: Tx, { scope = 'all' }: CacheFlush): Promise<CacheFlushed> {
  const flushed: CacheFlushed['flushed'] =
    scope === 'all' ? [...cacheScopes, 'objectiveCounts', 'dailyTotals'] : [scope];
  if (scope === 'all') {
    await renewCounts(tx, null, 0);
    await enqueueRecount(tx);
  }
  tx.touchCatalogue();
  await recordAudit(tx, {
    action: 'update',
    entityType: 'cache',
    entityId: scope,
    entityName: null,
    after: { flushed },
  });
  return { success: true, flushed, tenantId: tx.tenantId, timestamp: tx.now.toISOString() };
}
