import type { FileConfig } from '@arbiter/contract';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { Postponed } from '../../../jobs/index.ts';
import { type ObjectStore, ObjectStoreError } from '../../../platform/object-store/object-store.ts';
import type { PrivateFolder } from '../../../platform/private-folder.ts';
import { channelFiles } from '../../catalogue/channels/index.ts';
import { selectResults } from './results.store.ts';
import { type FileFormat, type FileRules, fileRulesOf, fileTypes, frameOf, rowText } from './run-file.rules.ts';
import { type RunRow, selectRun, storeFilePath } from './runs.store.ts';

export interface FilePorts {
  readonly database: Database;
  /** EXPORT_DIR. */
  readonly exportFolder: PrivateFolder;
  /** EXPORT_S3_URL; null: it isn't set. */
  readonly exportBucket: ObjectStore | null;
}

const actor = systemActor('campaign-file');
const rowsPerPage = 1_000;

/** Path below EXPORT_DIR. Uses only ids (docs/design/quality.md T14). */
const pathOf = (tenantId: string, runId: string): string => `${tenantId}/campaign_runs/${runId}.file`;

/** Is stored next to the file and holds its key in the bucket, so that the object can be removed when the run is gone. */
const keyPathOf = (tenantId: string, runId: string): string => `${tenantId}/campaign_runs/${runId}.key`;

/** Key in the bucket: each tenant has a folder of its own. */
function keyOf(tenantId: string, { id, runNumber }: RunRow, s3Path: string, format: FileFormat): string {
  const folders = s3Path.split('/').filter((part) => part !== '');
  return [tenantId, ...folders, `run-${runNumber}-${id}.${format}`].join('/');
}

/** Message of a run whose file can't be written, when there is nothing more to say. */
export const unwritable = "The file couldn't be written.";

/** Settings of the run's file: the campaign's, else those of its first channel with files. Null: it has no file. */
async function configOf(tx: Tx, { fileConfig, channelIds }: RunRow): Promise<FileConfig | null> {
  const channels = await channelFiles(tx, channelIds);
  const [first] = channels;
  if (fileConfig === null && first === undefined) return null;
  return { ...first?.fileConfig, ...fileConfig };
}

/**
 * Writes the file of a run that has all of its results, under a temporary name that becomes its own once it's complete,
 * and copies it into the bucket if that's its destination. Returns why it couldn't, or null.
 */
export async function writeFile(
  { database, exportFolder, exportBucket }: FilePorts,
  tenantId: string,
  { id }: Pick<RunRow, 'id'>,
): Promise<string | null> {
  const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.withTenant(tenantId, actor, work);
  const run = await inTenant((tx) => selectRun(tx, id));
  if (run === null) return null;
  const config = await inTenant((tx) => configOf(tx, run));
  if (config === null) return null;
  const rules = fileRulesOf(config);
  const path = pathOf(tenantId, id);
  const page = (after: number | null) =>
    inTenant((tx) => selectResults(tx, id, { after, status: 'decided', limit: rowsPerPage }));
  try {
    await exportFolder.write(path, rowsOf(rules, page));
    // An object that exists is replaced, whatever the channel's settings are by now: it may show an erased customer.
    const keyPath = keyPathOf(tenantId, id);
    const written = await exportFolder.read(keyPath);
    if (written !== null || config.destination === 's3') {
      if (exportBucket === null) return "The file couldn't be written: EXPORT_S3_URL isn't set.";
      const key = written ?? keyOf(tenantId, run, config.s3Path ?? '', rules.format);
      if (written === null) await exportFolder.write(keyPath, key);
      const content = await exportFolder.blob(path);
      if (content === null) return unwritable;
      await exportBucket.put(key, content, fileTypes[rules.format]);
    }
  } catch (error) {
    if (error instanceof ObjectStoreError) return `The file couldn't be written: ${error.message}.`;
    if (isFileError(error)) return unwritable;
    throw error;
  }
  await inTenant((tx) => storeFilePath(tx, id, `${rules.format}:${path}`));
  return null;
}

const isFileError = (error: unknown): boolean =>
  error instanceof Error && typeof Reflect.get(error, 'syscall') === 'string';

async function* rowsOf(
  rules: FileRules,
  page: (after: number | null) => ReturnType<typeof selectResults>,
): AsyncGenerator<string> {
  const { head, tail } = frameOf(rules);
  yield head;
  let isFirst = true;
  for (let after: number | null = null; ; ) {
    const rows: Awaited<ReturnType<typeof selectResults>> = await page(after);
    let text = '';
    for (const { customerId, items, processedAt } of rows) {
      for (const item of items ?? []) {
        text += rowText(rules, { ...item, customerId, decidedAt: processedAt.toISOString() }, isFirst);
        isFirst = false;
      }
    }
    yield text;
    if (rows.length < rowsPerPage) break;
    after = rows.at(-1)?.place ?? null;
  }
  yield tail;
}

export interface FileFacts {
  readonly fileName: string;
  readonly mediaType: string;
}

/** Returns the file of a run, or null if it isn't written. */
export async function contentOf(
  folder: PrivateFolder,
  { filePath, runNumber }: Pick<RunRow, 'filePath' | 'runNumber'>,
): Promise<(FileFacts & { readonly content: string }) | null> {
  const [, format, path] = /^([a-z]+):(.*)$/.exec(filePath ?? '') ?? [];
  const content = path === undefined ? null : await folder.read(path);
  if (content === null) return null;
  return {
    content,
    fileName: `campaign-run-${runNumber}.${format}`,
    mediaType: fileTypes[format as FileFormat],
  };
}

/** Seconds until a file whose run is in progress is checked again. */
const againSeconds = 30;

/** Writes the file of a run again, without customers that were erased. Removes the file of a run that is gone. */
export async function rewriteFile(ports: FilePorts, tenantId: string, runId: string): Promise<void> {
  const run = await ports.database.withTenant(tenantId, actor, (tx) => selectRun(tx, runId));
  if (run === null) await removeFile(ports, tenantId, runId);
  else if (run.completedAt === null) throw new Postponed(againSeconds);
  else if (run.filePath !== null) {
    const problem = await writeFile(ports, tenantId, run);
    // A file that still shows an erased customer is tried again, and becomes a dead letter.
    if (problem !== null) throw new Error(problem);
  }
}

async function removeFile({ exportFolder, exportBucket }: FilePorts, tenantId: string, runId: string): Promise<void> {
  const key = await exportFolder.read(keyPathOf(tenantId, runId));
  if (key !== null) {
    if (exportBucket === null)
      throw new Error("Can't delete the file of a run from the bucket: EXPORT_S3_URL isn't set");
    await exportBucket.remove(key);
    await exportFolder.remove(keyPathOf(tenantId, runId));
  }
  await exportFolder.remove(pathOf(tenantId, runId));
}
