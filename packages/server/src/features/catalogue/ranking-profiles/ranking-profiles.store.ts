import { rankingProfileResource } from '@arbiter/contract';
import type { SnapshotRankingProfile } from '@arbiter/engine';
import { columns, select } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
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

/** What decisions need of the tenant's profiles, in id order: their weights, not their names. */
export async function snapshotRankingProfiles(tx: Tx): Promise<SnapshotRankingProfile[]> {
  const rows = await select(
    tx,
    columns(rankingProfileSpec, ['id', 'weights']),
    'from arbiter.ranking_profiles where tenant_id = $1 and deleted_at is null order by id',
    [tx.tenantId],
  );
  return rows.map(({ id, weights }) => ({ id, weights: { ...weights } }));
}

/** True when the tenant has the profile, which cannot be deleted until the transaction ends. */
export async function keepsProfile(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    'select id from arbiter.ranking_profiles where tenant_id = $1 and id = $2 and deleted_at is null for key share',
    [tx.tenantId, id],
  );
  return rows.length > 0;
}
