import { defaultBatchSize, type Pipeline, type PipelineCreate, type PipelineTransform } from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import { AppError, invalid, refuseProblems } from '../../../platform/app-error.ts';
import { nextRun, parseCron } from '../../../platform/time/cron.ts';
import { zoneProblem } from '../../../platform/time/zones.ts';
import {
  createRecord,
  readRelated,
  requireLive,
  toWire,
  updateRecord,
} from '../../catalogue/catalogue-records/index.ts';
import type { KeyedHash } from '../../deciding/customer-states/index.ts';
import { type PipelineRow, pipelineSpec, type Schedule } from './pipelines.store.ts';
import { nextRunOf } from './schedule.rules.ts';
import { secretKeys } from './source.rules.ts';
import { compileTransforms, hashesValues } from './transforms.rules.ts';

export interface PipelinePorts {
  /** Hashes values for `hash`. Throws 503 `not_configured` without DATA_ENCRYPTION_KEY. */
  readonly pipelineHash: KeyedHash;
}

/** Pipelines as answers show them. */
export async function showPipelines(tx: Tx, rows: readonly PipelineRow[]): Promise<Pipeline[]> {
  const idsOf = (column: 'connectorId' | 'schemaId') => rows.map((row) => row[column]);
  const connectors = await readRelated(tx, 'connector', idsOf('connectorId'), ['name']);
  const schemas = await readRelated(tx, 'dataSchema', idsOf('schemaId'), ['name']);
  return rows.map(({ runCount: _runs, nextCursor: _cursor, ...row }) => {
    const connector = connectors.get(row.connectorId);
    return {
      ...toWire(row),
      source: { ...row.source },
      transforms: [...row.transforms],
      upsertKey: [...row.upsertKey],
      schedule: row.schedule === null ? null : { ...row.schedule },
      executionConfig: { ...row.executionConfig },
      nextRunAt: row.nextRunAt?.toISOString() ?? null,
      lastRunAt: row.lastRunAt?.toISOString() ?? null,
      connector: connector === undefined ? null : { id: row.connectorId, name: connector.name },
      schema: { id: row.schemaId, name: schemas.get(row.schemaId)?.name ?? '' },
    };
  });
}

type PipelineChanges = Partial<PipelineCreate>;

/** Creates a pipeline. Throws 400, 400 `reference_not_found`, 422 `invalid_cron`, 503 `not_configured`. */
export async function createPipeline(tx: Tx, body: PipelineCreate, ports: PipelinePorts): Promise<PipelineRow> {
  await requireLive(tx, 'connector', body.connectorId, '/connectorId');
  const values = stored(tx, body, ports);
  const status = body.status ?? 'draft';
  const schedule = values.schedule ?? null;
  await assertLoadable(tx, body.schemaId, body.loadMode ?? 'append', body.upsertKey ?? []);
  const { connectorId, schemaId, name } = body;
  return createRecord(tx, pipelineSpec, {
    ...values,
    ...{ name, connectorId, schemaId, nextRunAt: nextInstant(tx, { status, schedule }) },
  });
}

/** Changes the given properties. A changed schedule counts from now. Throws what creating throws, 404 and 409. */
export async function changePipeline(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: PipelineChanges,
  ports: PipelinePorts,
): Promise<PipelineRow> {
  if (changes.connectorId !== undefined) await requireLive(tx, 'connector', changes.connectorId, '/connectorId');
  const values = stored(tx, changes, ports);
  return updateRecord(tx, pipelineSpec, id, {
    rowVersion,
    async change(current) {
      const next = { ...current, ...values };
      await assertLoadable(tx, next.schemaId, next.loadMode, next.upsertKey);
      const isScheduleNew = values.status !== undefined || values.schedule !== undefined;
      // A cursor is only valid for the source and schema that it came from.
      const isSourceNew = ['connectorId', 'schemaId', 'source'].some((key) => Object.hasOwn(values, key));
      return {
        ...values,
        ...(isScheduleNew ? { nextRunAt: nextInstant(tx, next) } : {}),
        ...(isSourceNew ? { nextCursor: null } : {}),
      };
    },
  });
}

const nextInstant = (tx: Tx, pipeline: Pick<PipelineRow, 'status' | 'schedule'>): Date | null => {
  const next = nextRunOf(pipeline, tx.now.getTime());
  return next === null ? null : new Date(next);
};

/** The properties of a body as they are stored, after checking those that need no other record. */
function stored(tx: Tx, { schedule, executionConfig, ...body }: PipelineChanges, ports: PipelinePorts) {
  refuseProblems(
    (body.source === undefined ? [] : secretKeys(body.source)).map((path) => ({
      path: `/source${path}`,
      message: 'is not allowed here; store secrets in the connector',
    })),
  );
  if (body.transforms !== undefined) assertTransforms(tx, body.transforms, ports);
  return {
    ...body,
    ...(schedule === undefined ? {} : { schedule: schedule === null ? null : readSchedule(tx, schedule) }),
    ...(executionConfig === undefined
      ? {}
      : { executionConfig: { batchSize: executionConfig.batchSize ?? defaultBatchSize } }),
  };
}

function assertTransforms(tx: Tx, transforms: readonly PipelineTransform[], { pipelineHash }: PipelinePorts): void {
  const compiled = compileTransforms(transforms, { now: tx.now.getTime(), hash: (text) => text });
  if (!compiled.ok) {
    refuseProblems(compiled.problems.map(({ path, message }) => ({ path: `/transforms${path}`, message })));
  }
  if (hashesValues(transforms)) pipelineHash.of(tx.tenantId, '');
}

function readSchedule(
  tx: Tx,
  { cronExpression, timezone = 'UTC' }: { readonly cronExpression: string; readonly timezone?: string },
): Schedule {
  const problem = zoneProblem(timezone);
  if (problem !== null) throw invalid('/schedule/timezone', problem);
  try {
    nextRun(parseCron(cronExpression), timezone, tx.now.getTime());
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new AppError('invalid_cron', {
      detail: `The cron expression ${error.message}.`,
      errors: [{ path: '/schedule/cronExpression', message: error.message }],
    });
  }
  return { cronExpression, timezone };
}

/** Throws 400 unless the schema exists and rows can be found by the key of an upsert. */
async function assertLoadable(
  tx: Tx,
  schemaId: string,
  loadMode: PipelineRow['loadMode'],
  upsertKey: readonly string[],
): Promise<void> {
  const { fields } = await requireLive(tx, 'dataSchema', schemaId, '/schemaId', ['fields']);
  const [column] = upsertKey;
  if (column === undefined) {
    if (loadMode !== 'upsert' || fields.some(({ isPrimaryKey }) => isPrimaryKey)) return;
    throw invalid('/upsertKey', 'is required, because the schema has no primary key');
  }
  const field = fields.find(({ name }) => name === column);
  if (field === undefined) throw invalid('/upsertKey/0', 'must be a column of the schema');
  if (!field.isPrimaryKey && !field.isUnique) {
    throw invalid('/upsertKey/0', 'must be the primary key or a unique field of the schema');
  }
}
