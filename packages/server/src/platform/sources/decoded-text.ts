import { SourceError } from './source-error.ts';

/** Whether text can be decoded from it. */
function isEncoding(name: string): boolean {
  try {
    new TextDecoder(name);
    return true;
  } catch {
    return false;
  }
}

/** Counts the line ends before the first bytes that aren't text. */
function linesBefore(bytes: Uint8Array, encoding: string): number {
  let lines = 0;
  const decoder = new TextDecoder(encoding, { fatal: true });
  for (const byte of bytes) {
    try {
      if (decoder.decode(Uint8Array.of(byte), { stream: true }).includes('\n')) lines += 1;
    } catch {
      break;
    }
  }
  return lines;
}

/** Decodes bytes strictly, without a BOM. Throws SourceError `parse_failed` with the line of bytes that aren't text. */
export async function* decodedText(bytes: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<string> {
  if (!isEncoding(encoding)) throw new SourceError('parse_failed', { line: 1 });
  const decoder = new TextDecoder(encoding, { fatal: true });
  let lines = 1;
  const decode = (part: Uint8Array, stream: boolean): string => {
    try {
      const text = decoder.decode(part, { stream });
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
      return text;
    } catch (cause) {
      throw new SourceError('parse_failed', { line: lines + linesBefore(part, encoding), cause });
    }
  };
  for await (const part of bytes) yield decode(part, true);
  yield decode(new Uint8Array(), false);
}
