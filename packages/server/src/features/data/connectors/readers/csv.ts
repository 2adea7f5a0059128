import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import type { Json } from '@arbiter/engine';
import { isObject } from '../../../../platform/json.ts';
import { asSourceError, SourceError, statusReason } from '../../../../platform/sources/source-error.ts';
import type { ReadOptions, SourceBatch } from '../reader.ts';
import { connectMs, type Source, type SourceDeps, type SourceKind, textOf } from '../source.ts';
import { batchesOfFile, rowsOfFile } from './file-batches.ts';

const sampleRows = 100;

/** Where a file in the import folder really is. Links are resolved first. Throws SourceError `not_found`. */
async function placeOf(folder: string | null, path: string): Promise<string> {
  if (folder === null || path.includes('\0')) throw new SourceError('not_found');
  try {
    const root = await realpath(folder);
    const place = await realpath(isAbsolute(path) ? path : join(root, path));
    if (!place.startsWith(root + sep) || !(await stat(place)).isFile()) throw new SourceError('not_found');
    return place;
  } catch (error) {
    throw new SourceError('not_found', { cause: error });
  }
}

/** A file to read. */
interface OpenFile {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Changes with the content; null: unknown. */
  readonly version: string | null;
}

async function fileOf({ outbound, importFolder }: SourceDeps, source: Source, signal: AbortSignal): Promise<OpenFile> {
  const path = textOf(source, 'path');
  if (path !== undefined) {
    const place = await placeOf(importFolder, path);
    const { mtimeMs, size } = await stat(place);
    return { bytes: createReadStream(place, { signal }), version: `${mtimeMs} ${size}` };
  }
  const url = textOf(source, 'url') ?? '';
  const user = textOf(source, 'username');
  const basic = Buffer.from(`${user}:${textOf(source, 'password') ?? ''}`).toString('base64');
  const answer = await outbound
    .open(url, {
      timeoutMs: connectMs,
      signal,
      headers: user === undefined ? {} : { authorization: `Basic ${basic}` },
    })
    .catch((error: unknown) => {
      throw asSourceError(error);
    });
  const reason = answer.status >= 300 && answer.status < 400 ? 'unexpected_response' : statusReason(answer.status);
  if (reason !== null) throw new SourceError(reason);
  return { bytes: answer.body, version: answer.headers.etag ?? answer.headers['last-modified'] ?? null };
}

/** How many rows of this version of the file came before. Another version is read from its start. */
const rowsBefore = (cursor: Json | null, version: string | null): number =>
  isObject(cursor) && cursor.version === version && typeof cursor.rows === 'number' ? cursor.rows : 0;

/** Reads batches of rows. A resumed read skips the rows before its cursor. */
async function* batchesOf(
  deps: SourceDeps,
  source: Source,
  { cursor, signal, rowLimit }: ReadOptions,
): AsyncGenerator<SourceBatch> {
  const { bytes, version } = await fileOf(deps, source, signal);
  const skip = rowsBefore(cursor, version);
  for await (const { rows, position } of batchesOfFile(source, bytes, { skip, rowLimit })) {
    yield { rows, cursor: { rows: position, version } };
  }
}

/** One file, in the operator's import folder or at a URL. */
export const csvSource: SourceKind = {
  async probe(deps, source, signal) {
    let rowCount = 0;
    for await (const rows of rowsOfFile(source, (await fileOf(deps, source, signal)).bytes)) {
      rowCount += rows.length;
      if (rowCount >= sampleRows) break;
    }
    return { details: {}, rowCount: Math.min(rowCount, sampleRows) };
  },
  open: (deps, source) => ({
    isResumable: true,
    read: (options) => batchesOf(deps, source, options),
    committed: async () => undefined,
    close: async () => undefined,
  }),
};
