import { outcomeTypeResource } from '@arbiter/contract';
import { columns, type RowOf, select } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { newId } from '../../../platform/ids.ts';
import { type RecordRow, recordSpec } from '../catalogue-records/index.ts';
import { systemOutcomeTypes } from './outcomes.rules.ts';

export type OutcomeTypeRow = RecordRow<typeof outcomeTypeResource>;

export const outcomeTypeSpec = recordSpec(outcomeTypeResource);

/** Gives a new tenant its system types. They are part of the product, so they leave no audit rows. */
export async function insertSystemOutcomeTypes(tx: Tx): Promise<void> {
  await tx.query(
    `insert into arbiter.outcome_types
       (tenant_id, id, key, name, classification, category, is_conversion, is_system, ordinal, version, created_at, updated_at)
     select $1, s.id, s.key, s.name, s.classification, s.category, s."isConversion", true, s.ordinal, 1, $3, $3
     from jsonb_to_recordset($2::jsonb) as s (id uuid, key text, name text, classification text, category text,
       "isConversion" boolean, ordinal integer)`,
    [
      tx.tenantId,
      JSON.stringify(systemOutcomeTypes.map((type, ordinal) => ({ ...type, id: newId(), ordinal }))),
      tx.now,
    ],
  );
  tx.touchCatalogue();
}

/** The deleted type of the tenant's own that has this key, which no other type can have; null: there is none. */
export async function deletedOutcomeType(tx: Tx, key: string): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    'select id from arbiter.outcome_types where tenant_id = $1 and key = $2 and deleted_at is not null and not is_system',
    [tx.tenantId, key],
  );
  return row?.id ?? null;
}

/** True when the tenant has an outcome type with this key, active or not. */
export async function hasOutcomeType(tx: Tx, key: string): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from arbiter.outcome_types where tenant_id = $1 and deleted_at is null and key = $2',
    [tx.tenantId, key],
  );
  return rows.length > 0;
}

/** Keys of the tenant's outcome types, active or not. */
export async function outcomeKeys(tx: Tx): Promise<ReadonlySet<string>> {
  const rows = await select(
    tx,
    columns(outcomeTypeSpec, ['key']),
    'from arbiter.outcome_types where tenant_id = $1 and deleted_at is null',
    [tx.tenantId],
  );
  return new Set(rows.map(({ key }) => key));
}

const facts = columns(outcomeTypeSpec, ['key', 'name', 'classification', 'category', 'isConversion']);

/** What the recording of outcomes must know of a type. */
export type OutcomeTypeFacts = RowOf<typeof facts>;

/** The types that new outcomes may name: active, not deleted. Any other key is 400 `unknown_outcome`. */
export async function readOutcomeTypes(tx: Tx): Promise<OutcomeTypeFacts[]> {
  return select(
    tx,
    facts,
    `from arbiter.outcome_types where tenant_id = $1 and deleted_at is null and status = 'active' order by ordinal, id`,
    [tx.tenantId],
  );
}

/** Deletes the outcome types that are not the product's own, those that were deleted before too. */
export async function deleteCustomOutcomeTypes(tx: Tx): Promise<void> {
  await tx.query('delete from arbiter.outcome_types where tenant_id = $1 and not is_system', [tx.tenantId]);
}
