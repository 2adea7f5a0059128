import { createHash, hash } from 'node:crypto';
import { type ArchiveFiles, ArchiveUnreadable } from '../../../platform/archive/archive-files.ts';
import { createParquet, openParquet, type ParquetFile } from '../../../platform/archive/parquet-file.ts';
import { takeTurns } from '../../../platform/turns.ts';
import {
  type ArchivedRow,
  type ArchiveKind,
  fileColumns,
  type Part,
  pathOf,
  rowText,
  toParquet,
} from '../../deciding/archived-months/index.ts';

/** A file that isn't finished. */
export interface PartDraft {
  readonly rows: number;
  readonly bytes: number;
  /** Adds a group of rows, in the order of their ids. */
  add(rows: readonly ArchivedRow[]): void;
  finish(): FinishedPart;
}

export interface FinishedPart {
  readonly bytes: Uint8Array;
  readonly firstId: string;
  readonly lastId: string;
  readonly rows: number;
  readonly sha256: Buffer;
  readonly rowsSha256: Buffer;
}

/** Starts the file of a part. Its footer names the tenant and the part. */
export async function draftPart(
  kind: ArchiveKind,
  tenantId: string,
  part: Pick<Part, 'id' | 'month'>,
): Promise<PartDraft> {
  const facts = { format: '1', tenant: tenantId, kind: kind.name, month: part.month, part: part.id };
  const file = await createParquet(fileColumns(kind), facts);
  const digest = createHash('sha256');
  let rows = 0;
  let firstId: string | null = null;
  let lastId: string | null = null;
  return {
    get rows() {
      return rows;
    },
    get bytes() {
      return file.bytes;
    },
    add(added) {
      const written = added.map((row) => toParquet(kind, row));
      file.add(written);
      for (const row of written) digest.update(rowText(row));
      rows += added.length;
      firstId ??= added[0]?.id ?? null;
      lastId = added.at(-1)?.id ?? lastId;
    },
    finish() {
      if (firstId === null || lastId === null) throw new Error('a part has at least one row');
      const bytes = file.finish();
      return { bytes, firstId, lastId, rows, sha256: hash('sha256', bytes, 'buffer'), rowsSha256: digest.digest() };
    },
  };
}

/** Bytes that are hashed at a time. */
const sliceBytes = 1024 * 1024;

/**
 * Compares a part's whole file with what was written. Reads it twice, in slices and by groups of rows, so that only one of them is in
 * memory. Returns a description of the first difference, or null. Throws ArchiveUnreadable.
 */
export async function problemOf(
  files: ArchiveFiles,
  tenantId: string,
  part: Pick<Part, 'id' | 'kind' | 'month' | 'rows' | 'bytes' | 'sha256' | 'rowsSha256'>,
): Promise<string | null> {
  const path = pathOf(tenantId, part);
  const size = await files.size(path);
  if (size === null) return 'The file is missing.';
  if (size !== part.bytes) return `The file has ${size} bytes instead of ${part.bytes}.`;
  const read = async (start: number, end: number): Promise<Uint8Array> => {
    const bytes = await files.read(path, { start, end });
    if (bytes === null) throw new ArchiveUnreadable('the file is missing');
    return bytes;
  };
  let rows: Buffer;
  try {
    const file = await openParquet({ byteLength: size, read });
    const { tenant, kind, part: id } = file.facts;
    if (tenant !== tenantId) return 'The file belongs to another tenant.';
    if (kind !== part.kind || id !== part.id) return 'The file belongs to another part.';
    if (!(await hashOf(size, read)).equals(part.sha256 ?? Buffer.alloc(0))) return 'The file has changed.';
    rows = await digestOf(file);
  } catch (error) {
    if (error instanceof ArchiveUnreadable) throw error;
    return 'The file has changed and is no longer a Parquet file.';
  }
  return rows.equals(part.rowsSha256 ?? Buffer.alloc(0)) ? null : "The file's rows differ from what was written.";
}

async function hashOf(size: number, read: (start: number, end: number) => Promise<Uint8Array>): Promise<Buffer> {
  const digest = createHash('sha256');
  for (let start = 0; start < size; start += sliceBytes) {
    digest.update(await read(start, Math.min(size, start + sliceBytes)));
  }
  return digest.digest();
}

async function digestOf(file: ParquetFile): Promise<Buffer> {
  const digest = createHash('sha256');
  const turns = takeTurns();
  for (let group = 0; group < file.groups; group += 1) {
    for (const row of await file.group(group)) digest.update(rowText(row));
    const pause = turns();
    if (pause !== undefined) await pause;
  }
  return digest.digest();
}
