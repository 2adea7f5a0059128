import type { OutcomeTypeCreate } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import {
  type Addressed,
  assertNotMentioned,
  createRecord,
  type RecordChange,
  softDeleteRecord,
  updateRecord,
} from '../catalogue-records/index.ts';
import { conversionFits } from './outcomes.rules.ts';
import { type OutcomeTypeRow, outcomeTypeSpec } from './outcomes.store.ts';

function assertConversionFits(isConversion: boolean, classification: string): void {
  if (!conversionFits(isConversion, classification)) {
    throw invalid('/isConversion', 'requires the classification positive');
  }
}

function assertOwn(row: OutcomeTypeRow): void {
  if (row.isSystem) {
    throw new AppError('protected', { detail: `Outcome type ${row.key} is built in and can't be changed.` });
  }
}

/** Registers a kind of outcome. 409 `duplicate_key` also when a deleted type has the key. */
export async function createOutcomeType(tx: Tx, body: OutcomeTypeCreate): Promise<OutcomeTypeRow> {
  assertConversionFits(body.isConversion ?? false, body.classification);
  return createRecord(tx, outcomeTypeSpec, body);
}

/** Changes a type of the tenant's own; system types are 409 `protected`. */
export async function changeOutcomeType(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: RecordChange<OutcomeTypeRow>,
): Promise<OutcomeTypeRow> {
  return updateRecord(tx, outcomeTypeSpec, id, {
    rowVersion,
    change(current) {
      assertOwn(current);
      assertConversionFits(
        changes.isConversion ?? current.isConversion,
        changes.classification ?? current.classification,
      );
      return changes;
    },
  });
}

/** Soft-deletes a type of the tenant's own; 409 `in_use` while an active contact policy names its key. */
export async function deleteOutcomeType(tx: Tx, id: string, addressed: Addressed): Promise<void> {
  await softDeleteRecord(tx, outcomeTypeSpec, id, {
    addressed,
    async check(row) {
      assertOwn(row);
      await assertNotMentioned(tx, outcomeTypeSpec.resource, row.key, addressed, {
        resource: 'contactPolicy',
        column: 'config',
        property: 'afterOutcome',
        status: 'active',
      });
    },
  });
}
