import { isUtf8 } from 'node:buffer';
import { largestCsv } from '@arbiter/contract';
import { AppError } from '../../../../platform/app-error.ts';
import { type SpooledFile, spool } from '../../../../platform/spooled-file.ts';
import type { RefusedLine } from '../rows/replace-rows.service.ts';
import { type Encoding, markedEncoding, refuseOtherKinds } from './csv-text.rules.ts';

/** A file of rows that has arrived. */
export interface SpooledUpload {
  readonly file: SpooledFile;
  readonly encoding: Encoding;
}

/** Spools a file's bytes and determines their encoding: a byte order mark decides, otherwise UTF-8 if it's valid. */
export async function spoolUpload(
  content: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void = () => undefined,
): Promise<SpooledUpload> {
  let marked: Encoding | null = null;
  const utf8 = utf8Check();
  const file = await spool(content, (piece, length) => {
    if (length > largestCsv) {
      throw new AppError('payload_too_large', { detail: `The file must be at most ${largestCsv} bytes.` });
    }
    if (length === piece.length) {
      refuseOtherKinds(piece);
      marked = markedEncoding(piece);
    }
    if (marked === null) utf8.take(piece);
    onProgress(length);
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

/** Returns how many bytes at the end start an incomplete character: 0 to 3. */
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

/** 400 `csv_invalid` that names the lines. */
export function refusedLines(refused: readonly RefusedLine[]): AppError {
  const lines = refused.map(({ line }) => line).join(', ');
  return new AppError('csv_invalid', {
    detail: `${refused.length === 1 ? 'Line' : 'Lines'} ${lines} can't be stored. No row was changed.`,
    errors: refused.map(({ line, message }) => ({ path: '/file', message: `line ${line}: ${message}` })),
  });
}
