import type { JourneyCreate } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import {
  type Addressed,
  createRecord,
  type RecordChange,
  softDeleteRecord,
  updateRecord,
} from '../../catalogue/catalogue-records/index.ts';
import { startFollowing } from '../customer-events/index.ts';
import { checkJourney } from './definition.service.ts';
import { assertEnabled } from './enrollments.service.ts';
import { type JourneyRow, journeySpec } from './journeys.store.ts';

/**
 * Creates a journey. Throws 422 `pipeline_invalid` for a definition that can't run, 400 for a condition that can't be
 * read, 400 `reference_not_found`, and 403 `feature_disabled`.
 */
export async function createJourney(tx: Tx, body: JourneyCreate): Promise<JourneyRow> {
  await assertEnabled(tx);
  const { definition, entryCondition = null, ...fields } = body;
  await startFollowing(tx);
  return createRecord(tx, journeySpec, {
    ...fields,
    entryCondition,
    definition: await checkJourney(tx, { definition, entryCondition }),
  });
}

/** Changes the supplied fields. Running enrollments follow the version with which they began. */
export async function changeJourney(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: RecordChange<JourneyRow>,
): Promise<JourneyRow> {
  await assertEnabled(tx);
  await startFollowing(tx);
  return updateRecord(tx, journeySpec, id, {
    rowVersion,
    async change(current) {
      const { definition = current.definition, entryCondition = current.entryCondition } = changes;
      if (changes.definition === undefined && changes.entryCondition === undefined) return changes;
      return { ...changes, definition: await checkJourney(tx, { definition, entryCondition }) };
    },
  });
}

/** Soft-deletes a journey. Its running enrollments stay where they are; restoring it lets them go on. */
export async function deleteJourney(tx: Tx, id: string, addressed: Addressed): Promise<void> {
  await assertEnabled(tx);
  await softDeleteRecord(tx, journeySpec, id, { addressed });
}
