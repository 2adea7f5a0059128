import type { SchemaField } from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import { readRelated } from '../../catalogue/catalogue-records/index.ts';
import { endRun } from './end-run.service.ts';
import { lockPipeline, noteRunStatus } from './pipelines.store.ts';
import { markTaken, type RunRow, selectRun } from './runs.store.ts';

/** A run that this process works on. */
export interface TakenRun {
  readonly tenantId: string;
  readonly run: RunRow;
  readonly startedAt: Date;
  readonly pipelineName: string;
  readonly fields: readonly SchemaField[];
}

/** Takes a run, and starts it if it waits. Null: there is nothing to do, because it has ended or can't start. */
export async function takeRun(tx: Tx, runId: string): Promise<TakenRun | null> {
  const found = await selectRun(tx, runId);
  // In the order of starting: the pipeline, then the run.
  const pipeline = found === null ? null : await lockPipeline(tx, found.pipelineId);
  const run = found === null ? null : await selectRun(tx, runId, true);
  if (pipeline === null || run === null || run.completedAt !== null) return null;
  const connector = (await readRelated(tx, 'connector', [run.connectorId], ['status'])).get(run.connectorId);
  const schema = (await readRelated(tx, 'dataSchema', [run.schemaId], ['fields'])).get(run.schemaId);
  if (connector === undefined || connector.status === 'inactive') {
    const message = connector === undefined ? 'The connector was deleted.' : 'The connector is inactive.';
    await endRun(tx, run, { status: 'failed', error: { code: 'connector_inactive', message } });
    return null;
  }
  if (schema === undefined) {
    const error = { code: 'schema_mismatch', message: 'The schema was deleted.' };
    await endRun(tx, run, { status: 'failed', error });
    return null;
  }
  await markTaken(tx, run.id);
  await noteRunStatus(tx, run.pipelineId, 'running');
  const started = await selectRun(tx, run.id);
  if (started === null || started.startedAt === null) throw new Error('the run was just taken');
  return {
    tenantId: tx.tenantId,
    run: started,
    startedAt: started.startedAt,
    pipelineName: pipeline.name,
    fields: schema.fields,
  };
}
