import { algorithmModelResource } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import { columns, type RowOf, select } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { type RecordRow, recordSpec } from '../catalogue-records/index.ts';

type JsonRecord = Readonly<Record<string, Json>>;

interface NarrowModel {
  readonly config: JsonRecord;
  readonly predictors: readonly Json[];
  readonly modelState: JsonRecord | null;
  readonly outcomeWeights: Readonly<Record<string, number>>;
}

export type ModelRow = RecordRow<typeof algorithmModelResource, NarrowModel>;

export const modelSpec = recordSpec<typeof algorithmModelResource, NarrowModel>(algorithmModelResource, {
  // Learned states can be large, and nobody chose them as a setting.
  unaudited: ['modelState'],
});

const facts = columns(modelSpec, [
  'id',
  'key',
  'modelType',
  'status',
  'config',
  'predictors',
  'registryStatus',
  'family',
]);

/** What decisions and flows need to know about a model. */
export type ModelFacts = RowOf<typeof facts>;

/** Models that are not deleted, by key. */
export async function selectModels(tx: Tx): Promise<ModelFacts[]> {
  return select(
    tx,
    facts,
    'from arbiter.algorithm_models where tenant_id = $1 and deleted_at is null order by key collate "C"',
    [tx.tenantId],
  );
}

/** Returns the same for models with one of these keys or families. `locks`: they can't be deleted until the transaction ends. */
export async function namedModels(tx: Tx, names: readonly string[], locks: boolean): Promise<ModelFacts[]> {
  if (names.length === 0) return [];
  return select(
    tx,
    facts,
    `from arbiter.algorithm_models where tenant_id = $1 and deleted_at is null
       and (key = any($2::text[]) or family = any($2::text[])
         or family in (select family from arbiter.algorithm_models
           where tenant_id = $1 and deleted_at is null and key = any($2::text[])))
     order by key collate "C"${locks ? ' for key share' : ''}`,
    [tx.tenantId, names],
  );
}

/** Returns the family's champion other than this model, locked; null: there is none. */
export async function lockChampion(tx: Tx, family: string, exceptId: string | null = null): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    `select id from arbiter.algorithm_models
     where tenant_id = $1 and family = $2 and id is distinct from $3 and registry_status = 'champion' and deleted_at is null for update`,
    [tx.tenantId, family, exceptId],
  );
  return row?.id ?? null;
}

/** Two promotions of one family come one after the other. */
export async function lockFamily(tx: Tx, family: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('model.family:' || $1 || ':' || $2, 0))`, [
    tx.tenantId,
    family,
  ]);
}
