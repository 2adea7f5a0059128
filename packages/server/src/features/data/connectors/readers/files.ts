import type { Json } from '@arbiter/engine';
import { isObject } from '../../../../platform/json.ts';
import type { FileStore, StoredFile } from '../../../../platform/sources/file-store.ts';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import type { ReadOptions, SourceBatch, SourceReader } from '../reader.ts';
import { type Source, textOf } from '../source.ts';
import { batchesOfFile } from './file-batches.ts';
import { patternOf } from './file-pattern.rules.ts';

/** Files that one read lists at most. */
const maxFiles = 100_000;

/** Where to resume: the current file, and how many of its rows were read. Files before it are finished. */
interface FilePosition {
  readonly name: string;
  readonly mtime: number;
  readonly version: string;
  readonly rows: number;
}

function positionOf(cursor: Json | null): FilePosition | null {
  if (!isObject(cursor)) return null;
  const { name, mtime, version, rows } = cursor;
  if (typeof name !== 'string' || typeof mtime !== 'number') return null;
  return { name, mtime, version: String(version), rows: typeof rows === 'number' ? rows : 0 };
}

type FileState = Pick<StoredFile, 'name' | 'mtime'>;

/** Returns how files follow each other: by name, or by time and then name. */
function orderOf(source: Source): (a: FileState, b: FileState) => number {
  const order = textOf(source, 'order') ?? 'name';
  if (order !== 'name' && order !== 'mtime') throw new SourceError('missing_config');
  const byName = (a: FileState, b: FileState) => (a.name < b.name ? -1 : Number(a.name > b.name));
  return order === 'name' ? byName : (a, b) => a.mtime - b.mtime || byName(a, b);
}

async function listFiles(source: Source, store: FileStore, after: FilePosition | null): Promise<StoredFile[]> {
  const pattern = textOf(source, 'pattern');
  const matches = pattern === undefined ? () => true : patternOf(pattern);
  const order = orderOf(source);
  const files: StoredFile[] = [];
  for await (const file of store.list()) {
    if (!matches(file.name) || (after !== null && order(file, after) < 0)) continue;
    files.push(file);
    if (files.length > maxFiles) throw new SourceError('unexpected_response');
  }
  return files.sort(order);
}

async function* batchesOf(
  source: Source,
  store: FileStore,
  { cursor, rowLimit }: ReadOptions,
): AsyncGenerator<SourceBatch> {
  const after = positionOf(cursor);
  let left = rowLimit;
  for (const { name, mtime, version } of await listFiles(source, store, after)) {
    const isSame = after !== null && after.name === name && after.version === version;
    const skip = isSame ? after.rows : 0;
    const bytes = await store.open(name);
    for await (const { rows, position } of batchesOfFile(source, bytes, { skip, rowLimit: left })) {
      yield { rows, cursor: { name, mtime, version, rows: position } };
      if (rowLimit === 0) continue;
      left -= rows.length;
      if (left <= 0) return;
    }
  }
}

/** Reads all files of a store that match the settings. */
export function filesReader(source: Source, connect: (signal: AbortSignal) => Promise<FileStore>): SourceReader {
  let store: FileStore | null = null;
  return {
    isResumable: true,
    async *read(options) {
      store = await connect(options.signal);
      yield* batchesOf(source, store, options);
    },
    committed: async () => undefined,
    close: async () => {
      await store?.close();
    },
  };
}
