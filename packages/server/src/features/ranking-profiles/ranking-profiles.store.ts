import { rankingProfileResource } from '@arbiter/contract';
import { columns, select } from '../../db/columns.ts';
import type { Tx } from '../../db/tx.ts';
import { type RecordRow, recordSpec } from '../catalogue-records/index.ts';

export type RankingProfileRow = RecordRow<typeof rankingProfileResource>;

export const rankingProfileSpec = recordSpec(rankingProfileResource);

/** The keys of profiles, not deleted, that begin with this text. */
export async function profileKeysLike(tx: Tx, start: string): Promise<ReadonlySet<string>> {
  const rows = await select(
    tx,
    columns(rankingProfileSpec, ['key']),
    'from arbiter.ranking_profiles where tenant_id = $1 and deleted_at is null and starts_with(key, $2)',
    [tx.tenantId, start],
  );
  return new Set(rows.map(({ key }) => key));
}
