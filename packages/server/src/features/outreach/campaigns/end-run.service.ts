import type { CampaignSkipReason } from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import { deleteMembers, skipRest } from './results.store.ts';
import { enqueueRun } from './run-jobs.ts';
import { markEnded, type RunEnd, type RunRow, selectOpenRun } from './runs.store.ts';

/**
 * Ends a locked run of a locked campaign: skips the members without a result, and starts the campaign's next run if one
 * waits.
 */
export async function endRun(
  tx: Tx,
  { id, campaignId, nextPlace }: Pick<RunRow, 'id' | 'campaignId' | 'nextPlace'>,
  end: RunEnd,
  skipReason: CampaignSkipReason,
): Promise<void> {
  await skipRest(tx, id, nextPlace, skipReason);
  await deleteMembers(tx, id);
  await markEnded(tx, id, end);
  const next = await selectOpenRun(tx, campaignId);
  if (next !== null) await enqueueRun(tx, next.id);
}
