import type { IncomingMessage } from 'node:http';
import type { ByteStream, StreamedFile } from '@arbiter/contract';
import { cutShort, tooLarge } from './request-body.ts';

/** A file in place of a JSON body; a class, so that no JSON can pass for one. */
export class FileBody implements StreamedFile {
  readonly fileType: string;
  readonly content: ByteStream;

  constructor(fileType: string, content: ByteStream) {
    this.fileType = fileType;
    this.content = content;
  }
}

/**
 * The bytes of a body while they arrive. They are taken from the socket as fast as they come, and kept until the reader
 * takes them: a reader that works on them for longer than a request may take to arrive would otherwise have the connection
 * closed under it. Ends with `malformed_request` when the body ends early, `payload_too_large` past `limit` bytes.
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
  // Also comes when a caller leaves, and after every end, when it changes nothing any more.
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
