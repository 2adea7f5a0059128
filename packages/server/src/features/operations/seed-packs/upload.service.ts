import type { Parts, SeedDatasetUploaded } from '@arbiter/contract';
import type { Pack, PackSchema } from '@arbiter/packs';
import type { Tx } from '../../../db/tx.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import {
  assertCsvType,
  csvInvalid,
  readCsvRows,
  refusedLines,
  replaceRows,
  type SpooledUpload,
  spoolUpload,
} from '../../catalogue/schemas/index.ts';
import { enqueueRefresh } from '../../catalogue/segments/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { packOf, type SeedPorts } from './seed-datasets.service.ts';
import { selectLoadedPacks, selectPackRecords } from './seed-packs.store.ts';
import { waitForSeedLock } from './seed-progress.store.ts';

/** Time limit for one statement, in ms: an upload waits for a running load. */
const statementMs = 60_000;

/**
 * Replaces the rows of a loaded pack's schema with those of a file, all or none (docs/design/quality.md T21). The file
 * is spooled as it arrives, then taken over in one transaction, so that a client who is slow, leaves or sends nonsense
 * changes nothing and blocks nothing. Throws 404 if the pack doesn't exist or isn't loaded, 400 `csv_invalid`, 413,
 * 415.
 */
export async function uploadRows(
  ports: SeedPorts,
  caller: RequestFacts,
  key: string,
  parts: Parts,
): Promise<SeedDatasetUploaded> {
  const pack = packOf(key);
  await ports.database.withTenant(caller.tenantId, caller.actor, (tx) => assertLoaded(tx, pack));
  await caller.countCall();
  const uploaded = await readBody(parts);
  const { schemaName } = uploaded;
  try {
    const at = pack.schemas.findIndex(({ schema }) => schema.name === schemaName);
    const of = pack.schemas[at];
    if (of === undefined) throw refuseSchema(`must be a schema of ${pack.key}`);
    const rowsInserted = await ports.database.withTenant(
      caller.tenantId,
      caller.actor,
      (tx) => takeOver(tx, pack, at, of, uploaded),
      { requestId: caller.requestId, statementTimeoutMs: statementMs },
    );
    const message = `Imported ${rowsInserted} ${rowsInserted === 1 ? 'row' : 'rows'} into ${schemaName}.`;
    return { message, rowsInserted, schemaName, datasetKey: pack.key };
  } finally {
    await uploaded.file.close();
  }
}

async function assertLoaded(tx: Tx, pack: Pack): Promise<void> {
  const loaded = await selectLoadedPacks(tx);
  if (!loaded.some(({ key }) => key === pack.key)) {
    throw new AppError('not_found', { detail: `${pack.key} is not loaded.` });
  }
}

const refuseSchema = (message: string): AppError =>
  new AppError('csv_invalid', { detail: `schema ${message}.`, errors: [{ path: '/schema', message }] });

interface Uploaded extends SpooledUpload {
  readonly schemaName: string;
}

/** Reads the whole body; the parts come in any order. */
async function readBody(parts: Parts): Promise<Uploaded> {
  let taken: SpooledUpload | null = null;
  let schemaName: string | null = null;
  try {
    for await (const part of parts) {
      if (part.name === 'file') {
        if (part.kind !== 'file') throw csvInvalid('must be sent as a file, with a file name');
        if (taken !== null) throw csvInvalid('must be sent once');
        assertCsvType(part);
        taken = await spoolUpload(part.content);
      } else if (part.name === 'schema') {
        if (part.kind !== 'field') throw refuseSchema('must be a text value, not a file');
        if (schemaName !== null) throw refuseSchema('must be sent once');
        schemaName = part.value;
      }
    }
    if (taken === null) throw csvInvalid('is missing');
    if (schemaName === null) throw refuseSchema('is missing');
    return { ...taken, schemaName };
  } catch (error) {
    await taken?.file.close();
    throw error;
  }
}

async function takeOver(tx: Tx, pack: Pack, at: number, of: PackSchema, { file, encoding }: Uploaded): Promise<number> {
  await waitForSeedLock(tx);
  // Check again under the lock: it may have been removed while the file arrived.
  await assertLoaded(tx, pack);
  const records = await selectPackRecords(tx, pack.key);
  const schemaId = records.schemas?.[at];
  if (schemaId === undefined) throw refuseSchema('is not loaded');
  const { inserted, refused } = await replace(tx, schemaId, (columns, key) =>
    readCsvRows(file, encoding, { targets: columns, key, csv: of.csv }),
  );
  if (refused.length > 0) throw refusedLines(refused);
  if (inserted === 0) throw csvInvalid('has no rows');
  await recordAudit(tx, {
    action: 'upload',
    entityType: 'seedDataset',
    entityId: pack.key,
    entityName: pack.name,
    after: { schema: of.schema.name, rows: inserted },
  });
  for (const segmentId of records.segments ?? []) await enqueueRefresh(tx, segmentId);
  return inserted;
}

/** Like `replaceRows`. A schema that the tenant deleted is no longer loaded. */
async function replace(...given: Parameters<typeof replaceRows>): ReturnType<typeof replaceRows> {
  try {
    return await replaceRows(...given);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') throw refuseSchema('is not loaded');
    throw error;
  }
}
