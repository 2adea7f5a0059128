import type { FileConfig } from '@arbiter/contract';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { Postponed } from '../../../jobs/index.ts';
import type { PrivateFolder } from '../../../platform/private-folder.ts';
import { channelFiles } from '../../catalogue/channels/index.ts';
import { selectResults } from './results.store.ts';
import { type FileFormat, fileRulesOf, fileTypes, frameOf, rowText } from './run-file.rules.ts';
import { type RunRow, selectRun, storeFilePath } from './runs.store.ts';

export interface FilePorts {
  readonly database: Database;
  readonly exportFolder: PrivateFolder;
}

const actor = systemActor('campaign-file');
const rowsPerPage = 1_000;

/** Path below EXPORT_DIR. Uses only ids (docs/design/quality.md T14). */
const pathOf = (tenantId: string, runId: string): string => `${tenantId}/campaign_runs/${runId}.file`;

/** Whether the run's own settings ask for personalization; a channel's settings don't. */
export const showsPersonalization = ({ fileConfig }: Pick<RunRow, 'fileConfig'>): boolean =>
  fileConfig?.includePersonalization === true || fileConfig?.columns?.includes('personalization') === true;

/** Settings of the run's file: the campaign's, else those of its first channel with files. Null: it has no file. */
async function configOf(tx: Tx, { fileConfig, channelIds }: RunRow): Promise<FileConfig | null> {
  const channels = await channelFiles(tx, channelIds);
  const [first] = channels;
  if (fileConfig === null && first === undefined) return null;
  return { ...first?.fileConfig, ...fileConfig };
}

/**
 * Writes the file of a run that has all of its results, under a temporary name that becomes its own once it's complete.
 * False: it can't be written.
 */
export async function writeFile(
  { database, exportFolder }: FilePorts,
  tenantId: string,
  { id }: Pick<RunRow, 'id'>,
): Promise<boolean> {
  const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.withTenant(tenantId, actor, work);
  const run = await inTenant((tx) => selectRun(tx, id));
  if (run === null) return true;
  const config = await inTenant((tx) => configOf(tx, run));
  if (config === null) return true;
  const path = pathOf(tenantId, id);
  const page = (after: number | null) =>
    inTenant((tx) => selectResults(tx, id, { after, status: 'decided', limit: rowsPerPage }));
  try {
    await exportFolder.write(path, rowsOf(config, page));
  } catch (error) {
    if (isFileError(error)) return false;
    throw error;
  }
  await inTenant((tx) => storeFilePath(tx, id, `${fileRulesOf(config).format}:${path}`));
  return true;
}

const isFileError = (error: unknown): boolean =>
  error instanceof Error && typeof Reflect.get(error, 'syscall') === 'string';

async function* rowsOf(
  config: FileConfig,
  page: (after: number | null) => ReturnType<typeof selectResults>,
): AsyncGenerator<string> {
  const rules = fileRulesOf(config);
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

/** Seconds until a file whose run is in progress is looked at again. */
const againSeconds = 30;

/** Writes the file of a run again, without customers that were erased. Removes the file of a run that is gone. */
export async function rewriteFile(ports: FilePorts, tenantId: string, runId: string): Promise<void> {
  const run = await ports.database.withTenant(tenantId, actor, (tx) => selectRun(tx, runId));
  if (run === null) await ports.exportFolder.remove(pathOf(tenantId, runId));
  else if (run.completedAt === null) throw new Postponed(againSeconds);
  else if (run.filePath !== null) await writeFile(ports, tenantId, run);
}
