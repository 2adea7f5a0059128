import Type from 'typebox';
import { type Database, systemActor } from '../../../db/index.ts';
import { enqueueJob, handleInSlices, type JobHandler, job } from '../../../jobs/index.ts';
import { hasLearningModels } from '../../catalogue/models/index.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { learnReports, learnSilence } from './learn.service.ts';

/**
 * Teaches the models of a tenant what was reported (docs/design/api-decisioning.md 3, from the outbox). It is put into the queue
 * when reports reach the stream; the schedule finds what a process that died did not put there.
 */
const updateModelsJob = job({
  name: 'model.update',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '* * * * *', payload: {}, upkeep: true },
});

/** Lets the tenant's models learn soon, when it has any that can. */
export async function learnSoon(database: Database, tenantId: string): Promise<void> {
  await database.withTenant(tenantId, systemActor('model-update'), async (tx) => {
    if (await hasLearningModels(tx)) await enqueueJob(tx, updateModelsJob, {}, { key: 'model.update' });
  });
}

export function modelLearningJobs(database: Database, keys: CustomerKeys): readonly JobHandler[] {
  return [handleInSlices(updateModelsJob, database, learnReports(keys), learnSilence(keys))];
}
