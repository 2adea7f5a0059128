import { connectorResource } from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import { recordSpec } from '../../catalogue/catalogue-records/index.ts';

export const connectorSpec = recordSpec<typeof connectorResource, { config: Readonly<Record<string, unknown>> }>(
  connectorResource,
  { unaudited: ['lastSyncAt', 'lastSyncRowCount'] },
);

/** Notes that a run of a pipeline has read the source. */
export async function noteSync(tx: Tx, id: string, rows: number): Promise<void> {
  await tx.query(
    'update arbiter.connectors set last_sync_at = $3, last_sync_row_count = $4 where tenant_id = $1 and id = $2',
    [tx.tenantId, id, tx.now, rows],
  );
}
