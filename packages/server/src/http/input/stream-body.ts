import type { IncomingMessage } from 'node:http';
import type { ByteStream, Parts, StreamedFile } from '@arbiter/contract';
import { cutShort, tooLarge } from './request-body.ts';

/** A file in place of a JSON body. A class, so that no JSON passes for one. */
export class FileBody implements StreamedFile {
  readonly fileType: string;
  readonly content: ByteStream;
  readonly parts: Parts | null;

  constructor(fileType: string, content: ByteStream, parts: Parts | null = null) {
    this.fileType = fileType;
    this.content = content;
    this.parts = parts;
  }
}

/**
 * Yields the bytes of a body as they arrive. Takes them from the socket as fast as they come and keeps them for the
 * reader: a slow reader would otherwise exceed the time for a request and lose the connection. Throws
 * `malformed_request` when the body ends early, and `payload_too_large` past `limit` bytes.
 */
export function readStream(request: IncomingMessage, limit: number): ByteStream {
  const waiting: Buffer[] = [];
  let length = 0;
  let ended = false;
  let failure: Error | null = null;
  let wake: () => void = () => undefined;
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > limit) {
      request.off('data', onData);
      request.pause();
      failure ??= tooLarge(limit);
    } else waiting.push(chunk);
    wake();
  };
  request.on('data', onData);
  request.on('end', () => {
    ended = true;
    wake();
  });
  // Fires when a caller leaves, and also after a complete body, where it changes nothing.
  request.on('close', () => {
    if (!request.complete) failure ??= cutShort();
    ended = true;
    wake();
  });
  if (request.destroyed && !request.complete) failure = cutShort();
  return (async function* () {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (failure !== null) throw failure;
      else if (ended) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  })();
}
