import type { OutcomeCategory, OutcomeClassification } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { newId } from '../../platform/ids.ts';
import type { GovernedRow, RecordSpec } from '../records/index.ts';
import { systemOutcomeTypes } from './outcomes.rules.ts';

export interface OutcomeTypeRow extends GovernedRow {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly classification: OutcomeClassification;
  readonly category: OutcomeCategory;
  readonly isConversion: boolean;
  readonly isSystem: boolean;
  readonly ordinal: number;
  readonly status: 'active' | 'inactive';
  readonly version: number;
  readonly deletedAt: Date | null;
}

export const outcomeTypeSpec: RecordSpec<OutcomeTypeRow> = {
  table: 'outcome_types',
  noun: 'outcome type',
  entityType: 'outcomeType',
  softDelete: true,
  versionColumn: 'version',
  jsonColumns: [],
  idColumns: ['id'],
  searchColumns: ['name', 'key'],
  uniques: {
    outcome_types_key: { code: 'duplicate_key', path: '/key' },
    outcome_types_name: { code: 'duplicate_name', path: '/name' },
  },
  nameOf: (row) => row.name,
};

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

/** What the recording of outcomes must know of a type. */
export interface OutcomeTypeFacts {
  readonly key: string;
  readonly name: string;
  readonly classification: OutcomeClassification;
  readonly category: OutcomeCategory;
  readonly isConversion: boolean;
}

/** The types that new outcomes may name: active, not deleted. Any other key is 400 `unknown_outcome`. */
export async function readOutcomeTypes(tx: Tx): Promise<OutcomeTypeFacts[]> {
  return tx.query<OutcomeTypeFacts>(
    `select key, name, classification, category, is_conversion as "isConversion" from arbiter.outcome_types
     where tenant_id = $1 and deleted_at is null and status = 'active' order by ordinal, id`,
    [tx.tenantId],
  );
}
