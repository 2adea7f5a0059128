import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from './app-error.ts';
import { newId } from './ids.ts';

/** Bytes that were put aside on the disk, to be read as often as needed. */
export interface SpooledFile {
  /** Their number. */
  readonly length: number;
  /** The bytes from the beginning, piece by piece. */
  read(): AsyncGenerator<Uint8Array>;
  /** Some of the bytes. */
  readPart(start: number, end: number): Promise<Uint8Array>;
  /** Gives the space back. */
  close(): Promise<void>;
}

const pieceBytes = 64 * 1024;

/** When a sender that found no room may retry. */
const againSeconds = 60;

/** 503 `unavailable`: the disk is full, or does not let us write. The cause is for the log. */
const notPutAside = (cause: unknown): AppError =>
  new AppError('unavailable', {
    detail: 'The server has no disk space for this upload right now.',
    retryAfterSeconds: againSeconds,
    cause,
  });

/**
 * Spools bytes to the temporary folder as they arrive, so that a large body neither fills memory nor keeps a
 * transaction waiting for its sender. The file has no name while in use, so it disappears with the process. `take` sees
 * each piece first; if it throws, spooling ends and nothing remains. Throws 503 `unavailable` when there's no room.
 */
export async function spool(
  content: AsyncIterable<Uint8Array>,
  take: (piece: Uint8Array, lengthSoFar: number) => void,
): Promise<SpooledFile> {
  const path = join(tmpdir(), `arbiter-${newId()}.spool`);
  const handle = await openNameless(path);
  let length = 0;
  try {
    for await (const piece of content) {
      length += piece.length;
      take(piece, length);
      await writeAll(handle, piece);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    length,
    async *read() {
      const buffer = Buffer.alloc(pieceBytes);
      for (let at = 0; at < length; ) {
        const { bytesRead } = await handle.read(buffer, 0, Math.min(pieceBytes, length - at), at);
        if (bytesRead === 0) throw new Error('a spooled file is shorter than expected');
        at += bytesRead;
        yield Buffer.from(buffer.subarray(0, bytesRead));
      }
    },
    async readPart(start, end) {
      const part = Buffer.alloc(Math.max(0, Math.min(end, length) - start));
      for (let at = 0; at < part.length; ) {
        const { bytesRead } = await handle.read(part, at, part.length - at, start + at);
        if (bytesRead === 0) throw new Error('a spooled file is shorter than expected');
        at += bytesRead;
      }
      return part;
    },
    close: () => handle.close(),
  };
}

async function openNameless(path: string): Promise<FileHandle> {
  try {
    const handle = await open(path, 'wx+', 0o600);
    await unlink(path);
    return handle;
  } catch (error) {
    throw notPutAside(error);
  }
}

async function writeAll(handle: FileHandle, piece: Uint8Array): Promise<void> {
  try {
    for (let done = 0; done < piece.length; ) done += (await handle.write(piece, done)).bytesWritten;
  } catch (error) {
    throw notPutAside(error);
  }
}
