import { isUtf8 } from 'node:buffer';
import { type FilePart, largestCsv, type Parts, type SeedDatasetUploaded } from '@arbiter/contract';
import type { Pack, PackSchema } from '@arbiter/packs';
import type { Tx } from '../../db/tx.ts';
import type { RequestFacts } from '../../http/handler.ts';
import { AppError } from '../../platform/app-error.ts';
import { type SpooledFile, spool } from '../../platform/spooled-file.ts';
import { recordAudit } from '../audit/index.ts';
import {
  assertCsvType,
  csvInvalid,
  type Encoding,
  markedEncoding,
  type RefusedLine,
  refuseOtherKinds,
  replaceRows,
} from '../schemas/index.ts';
import { enqueueRefresh } from '../segments/index.ts';
import { readCsvRows } from './csv-rows.ts';
import { packOf, type SeedPorts } from './seed-datasets.service.ts';
import { selectLoadedPacks, selectPackRecords } from './seed-packs.store.ts';
import { waitForSeedLock } from './seed-progress.store.ts';

/** Longest that the database may work on one statement, in ms: an upload waits for a load that is under way. */
const statementMs = 60_000;

/**
 * Puts the rows of a file in the place of those of a schema of a loaded pack, all or none (contract part 1, 4.14;
 * docs/design/quality.md T21). The file is put aside while it arrives; then one transaction takes it over, so that a client who is
 * slow, leaves or sends nonsense changes nothing and holds nothing up. Throws 404 when the pack is not there or not loaded, 400
 * `csv_invalid`, 413, 415.
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
    if (of === undefined) throw refuseSchema(`is not one of ${pack.key}`);
    const rowsInserted = await ports.database.withTenant(
      caller.tenantId,
      caller.actor,
      (tx) => takeOver(tx, pack, at, of, uploaded),
      { requestId: caller.requestId, statementTimeoutMs: statementMs },
    );
    const message = `${rowsInserted} rows of ${schemaName} were taken over.`;
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

interface Uploaded {
  readonly file: SpooledFile;
  readonly encoding: Encoding;
  readonly schemaName: string;
}

/** Reads the body to its end; the parts come in any order. */
async function readBody(parts: Parts): Promise<Uploaded> {
  let taken: Omit<Uploaded, 'schemaName'> | null = null;
  let schemaName: string | null = null;
  try {
    for await (const part of parts) {
      if (part.name === 'file') {
        if (part.kind !== 'file') throw csvInvalid('must be sent as a file, with a file name');
        if (taken !== null) throw csvInvalid('is there twice');
        assertCsvType(part);
        taken = await putAside(part);
      } else if (part.name === 'schema') {
        if (part.kind !== 'field') throw refuseSchema('must be text, not a file');
        if (schemaName !== null) throw refuseSchema('is there twice');
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

/** Keeps the bytes of a file, and finds out how they spell text: a byte order mark decides, else UTF-8 where that is what they are. */
async function putAside({ content }: FilePart): Promise<Omit<Uploaded, 'schemaName'>> {
  let marked: Encoding | null = null;
  const utf8 = utf8Check();
  const file = await spool(content, (piece, length) => {
    if (length > largestCsv) {
      throw new AppError('payload_too_large', { detail: `The file is larger than ${largestCsv} bytes.` });
    }
    if (length === piece.length) {
      refuseOtherKinds(piece);
      marked = markedEncoding(piece);
    }
    if (marked === null) utf8.take(piece);
  });
  return { file, encoding: marked ?? (utf8.isUtf8() ? 'utf-8' : 'windows-1252') };
}

/** Tells of bytes that come in pieces whether they are UTF-8. */
function utf8Check() {
  let isValid = true;
  let cut: Uint8Array = new Uint8Array(0);
  return {
    take(piece: Uint8Array): void {
      if (!isValid) return;
      const bytes = cut.length === 0 ? piece : Buffer.concat([cut, piece]);
      const whole = bytes.length - cutAtEnd(bytes);
      isValid = isUtf8(bytes.subarray(0, whole));
      cut = Buffer.from(bytes.subarray(whole));
    },
    isUtf8: (): boolean => isValid && cut.length === 0,
  };
}

/** How many bytes at the end are the beginning of a character that is not whole: 0 to 3. */
function cutAtEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > back ? back : 0;
  }
  return 0;
}

async function takeOver(tx: Tx, pack: Pack, at: number, of: PackSchema, { file, encoding }: Uploaded): Promise<number> {
  await waitForSeedLock(tx);
  // Again under the lock: it may have been removed while the file arrived.
  await assertLoaded(tx, pack);
  const records = await selectPackRecords(tx, pack.key);
  const schemaId = records.schemas?.[at];
  if (schemaId === undefined) throw refuseSchema('is not loaded');
  const { inserted, refused } = await replace(tx, schemaId, (columns, key) =>
    readCsvRows(file, encoding, columns, key, of.csv),
  );
  if (refused.length > 0) throw refuseLines(refused);
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

/** As `replaceRows`; a schema that the tenant has deleted is not loaded any more. */
async function replace(...given: Parameters<typeof replaceRows>): ReturnType<typeof replaceRows> {
  try {
    return await replaceRows(...given);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') throw refuseSchema('is not loaded');
    throw error;
  }
}

function refuseLines(refused: readonly RefusedLine[]): AppError {
  const lines = refused.map(({ line }) => line).join(', ');
  return new AppError('csv_invalid', {
    detail: `${refused.length === 1 ? 'Line' : 'Lines'} ${lines} cannot be taken; the rows are as they were.`,
    errors: refused.map(({ line, message }) => ({ path: '/file', message: `line ${line}: ${message}` })),
  });
}
