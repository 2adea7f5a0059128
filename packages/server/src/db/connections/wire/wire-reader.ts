/** Calls `onMessage` for each whole message of the server, with the place of its content. */
export function createWireReader(
  onMessage: (code: number, bytes: Buffer, start: number, end: number) => void,
): (chunk: Buffer) => void {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  /** Bytes that the pending message has at least. */
  let needed = 0;

  const hold = (bytes: Buffer): void => {
    pending = bytes.length === 0 ? [] : [bytes];
    pendingBytes = bytes.length;
    needed = bytes.length < headBytes ? headBytes : 1 + bytes.readInt32BE(1);
  };

  return (chunk) => {
    let bytes = chunk;
    if (pendingBytes > 0) {
      pending.push(chunk);
      pendingBytes += chunk.length;
      if (pendingBytes < needed) return;
      bytes = Buffer.concat(pending, pendingBytes);
    }
    let at = 0;
    while (bytes.length - at >= headBytes) {
      const end = at + 1 + bytes.readInt32BE(at + 1);
      if (end > bytes.length) break;
      onMessage(bytes[at]!, bytes, at + headBytes, end);
      at = end;
    }
    hold(bytes.subarray(at));
  };
}

/** A message's code, and its length without the code. */
const headBytes = 5;

/** Text of a message up to its zero byte. */
export const cString = (bytes: Buffer, start: number): string => bytes.toString('utf8', start, bytes.indexOf(0, start));

/** Fields of an error by their one-letter names. */
export function errorFields(bytes: Buffer, start: number): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (let at = start; bytes[at] !== 0; ) {
    const end = bytes.indexOf(0, at + 1);
    fields[String.fromCharCode(bytes[at]!)] = bytes.toString('utf8', at + 1, end);
    at = end + 1;
  }
  return fields;
}
