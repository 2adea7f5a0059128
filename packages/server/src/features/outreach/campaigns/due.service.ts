import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import type { Logger } from '../../../platform/logger.ts';
import { claimCampaign, moveOn, selectDueCampaigns } from './campaigns.store.ts';
import { queueRun } from './runs.service.ts';
import { selectOpenRun } from './runs.store.ts';
import { nextRunOf } from './schedule.rules.ts';

const actor = systemActor('campaign');
/** Campaigns per tick. The rest follow in the next one. */
const maxAtOnce = 1_000;

/**
 * Starts the due campaigns of all tenants: run, job and next instant are one transaction, and one call claims a campaign.
 * Several missed instants make one run. While a run of the campaign is in progress, the instant is left out.
 */
export async function startDueCampaigns(
  { database, logger }: { readonly database: Database; readonly logger: Logger },
  now: Date,
): Promise<{ tenantId: string; error: string }[]> {
  const errors: { tenantId: string; error: string }[] = [];
  const due = await database.withSystem('campaign', (tx) => selectDueCampaigns(tx, now, maxAtOnce));
  for (const { tenantId, id } of due) {
    try {
      await database.withTenant(tenantId, actor, (tx) => startDue(tx, id, now));
    } catch (err) {
      const error = `campaign ${id} could not be started`;
      logger.warn({ err, tenantId }, error);
      errors.push({ tenantId, error });
    }
  }
  return errors;
}

async function startDue(tx: Tx, id: string, now: Date): Promise<void> {
  const campaign = await claimCampaign(tx, id, now);
  if (campaign === null) return;
  const isRunning = (await selectOpenRun(tx, id)) !== null;
  if (!isRunning) await queueRun(tx, campaign, { triggeredBy: 'schedule' });
  const next = nextRunOf(campaign, now.getTime());
  await moveOn(tx, id, next === null ? null : new Date(next), isRunning ? campaign.nextRunAt : null);
}
