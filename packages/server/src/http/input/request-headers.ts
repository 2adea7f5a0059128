const plainAscii = /^[\x20-\x7e]*$/;

/** Returns every value of a header. Node joins or drops repeated ones, so read `rawHeaders` (F22). */
export function headerValues(rawHeaders: readonly string[], lowerCaseName: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName)
      values.push(rawHeaders[index + 1]!);
  }
  return values;
}

/** Returns true when the header was also sent with another value. */
export function sentOtherwise(rawHeaders: readonly string[], lowerCaseName: string, value: string): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length !== lowerCaseName.length || rawHeaders[index + 1] === value) continue;
    if (name.toLowerCase() === lowerCaseName) return true;
  }
  return false;
}

/**
 * Decodes a header value: Node provides bytes as Latin-1, callers write UTF-8 (docs/design/quality.md E20, F22). Null
 * when it isn't UTF-8.
 */
export function decodeHeader(value: string): string | null {
  if (plainAscii.test(value)) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return null;
  }
}
