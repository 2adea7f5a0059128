import type { DeliveryStatus } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';

/** Deliveries of a campaign run. */
export interface RunDeliveries {
  readonly queued: number;
  /** The provider accepted them; delivered, opened and clicked ones included. */
  readonly sent: number;
  /** Bounced ones included. */
  readonly failed: number;
  /** Those of `failed` that the provider may have sent. */
  readonly doubtful: number;
}

/** Counts the deliveries of each of these campaign runs. */
export async function countRunDeliveries(tx: Tx, runIds: readonly string[]): Promise<Map<string, RunDeliveries>> {
  const rows = await tx.query<RunDeliveries & { runId: string }>(
    `select run_id as "runId",
            count(*) filter (where status = 'queued')::int as queued,
            count(*) filter (where status in ('sent', 'delivered', 'opened', 'clicked'))::int as sent,
            count(*) filter (where status in ('failed', 'bounced'))::int as failed,
            count(*) filter (where status = 'failed' and error = 'doubtful')::int as doubtful
       from arbiter.deliveries where tenant_id = $1 and run_id = any($2::uuid[]) group by run_id`,
    [tx.tenantId, runIds],
  );
  return new Map(rows.map(({ runId, ...counts }) => [runId, counts]));
}

/** Returns the status of each of these deliveries that exists. */
export async function selectStatuses(tx: Tx, ids: readonly string[]): Promise<Map<string, DeliveryStatus>> {
  const rows = await tx.query<{ id: string; status: DeliveryStatus }>(
    'select id, status from arbiter.deliveries where tenant_id = $1 and id = any($2::uuid[])',
    [tx.tenantId, ids],
  );
  return new Map(rows.map(({ id, status }) => [id, status]));
}
