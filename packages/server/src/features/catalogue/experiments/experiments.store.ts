import { experimentResource } from '@arbiter/contract';
import { columns, type RowOf, select } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { type RecordRow, recordSpec } from '../catalogue-records/index.ts';

export type ExperimentRow = RecordRow<typeof experimentResource>;

export const experimentSpec = recordSpec<typeof experimentResource>(experimentResource);

const facts = columns(experimentSpec, [
  'id',
  'key',
  'status',
  'championModelId',
  'trafficSplit',
  'challengers',
  'holdoutPercent',
  'deletedAt',
]);

/** What decisions need to know about an experiment. */
export type ExperimentFacts = RowOf<typeof facts>;

/** All experiments by key, the newest first; deleted ones too, because flows may still name them. */
export async function selectExperiments(tx: Tx): Promise<ExperimentFacts[]> {
  return select(
    tx,
    facts,
    'from arbiter.experiments where tenant_id = $1 order by key collate "C", deleted_at desc nulls first, id desc',
    [tx.tenantId],
  );
}

const named = columns(experimentSpec, ['id', 'name']);

/** Another active experiment with this champion; null: none. */
export async function otherRunning(
  tx: Tx,
  championModelId: string,
  exceptId: string | null,
): Promise<RowOf<typeof named> | null> {
  const [row] = await select(
    tx,
    named,
    `from arbiter.experiments where tenant_id = $1 and champion_model_id = $2 and id is distinct from $3
       and status = 'active' and deleted_at is null`,
    [tx.tenantId, championModelId, exceptId],
  );
  return row ?? null;
}

/** Active experiments that score with the model. */
export async function experimentsWithModel(tx: Tx, modelId: string): Promise<RowOf<typeof named>[]> {
  return select(
    tx,
    named,
    `from arbiter.experiments where tenant_id = $1 and status = 'active' and deleted_at is null
       and (champion_model_id = $2 or challengers @> $3::jsonb) order by key collate "C"`,
    [tx.tenantId, modelId, JSON.stringify([{ modelId }])],
  );
}

/** Two experiments with one champion start one after the other. */
export async function lockChampionOfExperiments(tx: Tx, championModelId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('experiment.champion:' || $1 || ':' || $2, 0))`, [
    tx.tenantId,
    championModelId,
  ]);
}

/** Experiments to judge at this instant: active ones that are due, without a verdict. */
export async function selectDueExperiments(tx: Tx): Promise<{ readonly id: string }[]> {
  return tx.query<{ id: string }>(
    // Days of 24 hours, as in isDue.
    `select id from arbiter.experiments
     where tenant_id = $1 and status = 'active' and deleted_at is null and auto_promote
       and auto_promote_verdict is null and started_at + make_interval(hours => 24 * promote_after_days) <= $2
     order by id`,
    [tx.tenantId, tx.now],
  );
}
