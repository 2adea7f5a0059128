import Type from 'typebox';
import type { Tx } from '../../../db/tx.ts';
import { clearSchedule, job, setSchedule } from '../../../jobs/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import type { ModelRow } from './models.store.ts';

/** Trains a model again, as its schedule says (docs/design/api-decisioning.md 15, training). */
export const retrainModelJob = job({
  name: 'models.retrain',
  payload: Type.Object({ modelId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Sets or ends the schedule on which a model is trained. Throws 422 `invalid_cron`. */
export async function followSchedule(
  tx: Tx,
  { id, autoLearn, learnMode, learnSchedule, status, deletedAt }: ModelRow,
): Promise<void> {
  const isOn = autoLearn && learnMode === 'scheduled' && status !== 'archived' && deletedAt === null;
  if (learnSchedule === null || !isOn) {
    await clearSchedule(tx, retrainModelJob, id);
    // Also checks an expression that doesn't act yet.
    if (learnSchedule === null) return;
  }
  const { timezone } = await readSettings(tx);
  await setSchedule(tx, retrainModelJob, id, {
    cron: learnSchedule,
    zone: timezone,
    payload: { modelId: id },
    enabled: isOn,
  });
}
