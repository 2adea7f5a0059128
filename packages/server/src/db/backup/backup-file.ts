import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, link, open, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';

/**
 * The backup file (docs/adr/0066): a line that names the format, a gzip stream of frames, and the SHA-256 of everything before
 * it. A frame is its kind (1 byte), the payload's length (4 bytes, big endian) and the payload.
 */
const magic = Buffer.from('ARBITER BACKUP 1\n');
const magicPattern = /^ARBITER BACKUP (\d+)\n/;
const digestBytes = 32;
const frameHeaderBytes = 5;
/** No writer makes larger frames. A larger length means damage and must not become a buffer. */
const longestFrameBytes = 512 * 1024 * 1024;

export type FrameKind = 'header' | 'table' | 'data' | 'file' | 'end';
const kinds: readonly FrameKind[] = ['header', 'table', 'data', 'file', 'end'];

export interface BackupFrame {
  readonly kind: FrameKind;
  readonly payload: Buffer;
}

/** A backup can't be written or restored. The message is for the operator, and nothing was changed. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export const jsonFrame = (kind: FrameKind, value: unknown): BackupFrame => ({
  kind,
  payload: Buffer.from(JSON.stringify(value)),
});

/**
 * Writes the frames to a new file that only this user can read, or writes nothing. Keeps one frame in memory. Returns
 * the file's size in bytes. Throws BackupError when the file already exists.
 */
export async function writeBackupFile(path: string, frames: AsyncIterable<BackupFrame>): Promise<number> {
  if (existsSync(path)) throw new BackupError(`${path} already exists; choose another name`);
  const draft = `${path}.${process.pid}.partial`;
  let file: FileHandle | null = null;
  try {
    file = await open(draft, 'wx', 0o600);
    const target = file;
    const digest = createHash('sha256');
    let size = 0;
    // Each call appends to the previous one.
    const append = async (bytes: Buffer): Promise<void> => {
      digest.update(bytes);
      size += bytes.length;
      await target.writeFile(bytes);
    };
    await append(magic);
    await pipeline(
      Readable.from(encode(frames), { objectMode: false }),
      createGzip({ level: constants.Z_BEST_SPEED }),
      async (compressed: AsyncIterable<Buffer>) => {
        for await (const chunk of compressed) await append(chunk);
      },
    );
    await file.writeFile(digest.digest());
    await file.sync();
    await file.close();
    file = null;
    // Unlike a rename, a link doesn't replace a file that appeared in the meantime.
    await link(draft, path);
    return size + digestBytes;
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'EEXIST') {
      throw new BackupError(`${path} already exists; choose another name`);
    }
    if (file === null && error instanceof Error && 'syscall' in error) {
      throw new BackupError(`${path} can't be written: ${error.message}`);
    }
    throw error;
  } finally {
    await file?.close();
    await rm(draft, { force: true });
  }
}

async function* encode(frames: AsyncIterable<BackupFrame>): AsyncGenerator<Buffer> {
  for await (const { kind, payload } of frames) {
    const header = Buffer.alloc(frameHeaderBytes);
    header.writeUInt8(kinds.indexOf(kind), 0);
    header.writeUInt32BE(payload.length, 1);
    yield header;
    yield payload;
  }
}

/** Reads the whole file once. Throws BackupError when it isn't a backup, has another format or is damaged. */
export async function verifyBackupFile(path: string): Promise<void> {
  const size = await sizeOf(path);
  const digest = createHash('sha256');
  const body = size - digestBytes;
  if (body <= magic.length) throw new BackupError(`${path} is damaged: it's too short for a backup`);
  let start: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { end: body - 1 })) {
    if (start.length < magic.length) start = Buffer.concat([start, chunk]).subarray(0, magic.length);
    digest.update(chunk);
  }
  const format = magicPattern.exec(start.toString('latin1'))?.[1];
  if (format === undefined) throw new BackupError(`${path} isn't a backup of Arbiter`);
  if (!start.equals(magic)) throw new BackupError(`${path} has format ${format}; this build reads format 1`);
  const stored: Buffer[] = [];
  for await (const chunk of createReadStream(path, { start: body })) stored.push(chunk);
  if (digest.digest().equals(Buffer.concat(stored))) return;
  throw new BackupError(`${path} is damaged: its checksum doesn't match. Use another copy of the backup`);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    throw new BackupError(`${path} can't be read`);
  }
}

/** Yields the frames of a verified file, keeping one in memory at a time. */
export async function* readBackupFile(path: string): AsyncGenerator<BackupFrame> {
  const size = await sizeOf(path);
  const source = createReadStream(path, { start: magic.length, end: size - digestBytes - 1 });
  const gunzip = createGunzip();
  // Its errors reach the loop through gunzip.
  pipeline(source, gunzip).catch(() => undefined);
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of gunzip) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let frame = takeFrame(rest); frame !== null; frame = takeFrame(rest)) {
        rest = rest.subarray(frameHeaderBytes + frame.payload.length);
        yield frame;
      }
    }
    if (rest.length > 0) throw new BackupError(`${path} is damaged: it ends in the middle of a frame`);
  } finally {
    source.destroy();
  }
}

function takeFrame(bytes: Buffer): BackupFrame | null {
  if (bytes.length < frameHeaderBytes) return null;
  const kind = kinds[bytes.readUInt8(0)];
  const length = bytes.readUInt32BE(1);
  if (kind === undefined || length > longestFrameBytes)
    throw new BackupError("The backup has a frame that this build doesn't support");
  if (bytes.length < frameHeaderBytes + length) return null;
  return { kind, payload: bytes.subarray(frameHeaderBytes, frameHeaderBytes + length) };
}
