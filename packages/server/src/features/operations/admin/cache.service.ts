import { type CacheFlush, type CacheFlushed, cacheScopes } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { renewCounts } from '../../deciding/objectives/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { enqueueRecount } from '../stream/index.ts';

/**
 * Makes every process reload the tenant's catalogue before its next decision (docs/design/api-access.md 15). With scope
 * `all`, also recounts what ranking objectives count, for immediate use (docs/design/api-settled.md 112), and a job
 * recounts the tenant's daily figures from history, by days of the tenant's zone.
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
