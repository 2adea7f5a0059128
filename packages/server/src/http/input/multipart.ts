import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FieldPart, FilePart, Parts } from '@arbiter/contract';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { AppError } from '../../platform/app-error.ts';
import { refuseValue } from './json-body.ts';
import { cutShort, tooLarge } from './request-body.ts';

/** What a multipart body may have besides its bytes (docs/design/quality.md T17). */
const limits = { fieldNameSize: 100, fieldSize: 64 * 1024, fields: 100, files: 10, parts: 110, headerPairs: 20 };

/**
 * The parts of a `multipart/form-data` body while it arrives (RFC 7578). Nothing is read before the first part is asked
 * for, and no more than the reader of a file takes: a large file never lies in memory. Ends with `malformed_request` when
 * the body is not multipart or ends early, `payload_too_large` past `limit` bytes.
 */
export async function* readParts(request: IncomingMessage, limit: number): Parts {
  const parser = createParser(request);
  const waiting: { readonly part: FieldPart | FilePart; readonly content?: Readable }[] = [];
  const files: Readable[] = [];
  let ended = false;
  let failure: unknown = null;
  let wake: () => void = () => undefined;

  function fail(error: unknown): void {
    failure ??= error;
    for (const content of files) content.destroy(error instanceof Error ? error : new Error(String(error)));
    wake();
  }
  const overfull = (): void => fail(new AppError('malformed_request', { detail: 'The body has too many parts.' }));

  parser
    .on('field', (name, value, nameCut, valueCut) => {
      try {
        if (nameCut || valueCut) throw tooLarge(valueCut ? limits.fieldSize : limits.fieldNameSize);
        refuseValue(value);
        waiting.push({ part: { kind: 'field', name, value } });
        wake();
      } catch (error) {
        fail(error);
      }
    })
    .on('file', (name, content, fileName, _encoding, type) => {
      files.push(content);
      // A reader that has left does not listen for what went wrong with a file that it did not want.
      content.on('error', () => undefined);
      const part: FilePart = {
        kind: 'file',
        name,
        fileName: fileName === undefined || fileName === '' ? null : fileName,
        mediaType: type === undefined || type === '' ? null : type.toLowerCase(),
        content: bytesOf(content, () => failure ?? malformedBody()),
      };
      waiting.push({ part, content });
      wake();
    })
    .on('partsLimit', overfull)
    .on('fieldsLimit', overfull)
    .on('filesLimit', overfull)
    .on('error', () => fail(malformedBody()))
    .on('finish', () => {
      ended = true;
      wake();
    });

  feed(request, parser, limit).catch(fail);
  try {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) {
        yield next.part;
        // What the reader left of a file is skipped, so that the parser goes on to the next part.
        next.content?.resume();
        continue;
      }
      if (failure !== null) throw failure;
      if (ended) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    parser.destroy();
  }
}

/** The bytes of a file; the parser's own words for a broken body mean nothing to the caller. */
async function* bytesOf(content: Readable, failureOf: () => unknown): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch {
    throw failureOf();
  }
}

function createParser({ headers }: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits });
  } catch {
    throw malformedBody();
  }
}

const malformedBody = (): AppError =>
  new AppError('malformed_request', {
    detail: 'The body is not multipart/form-data, although its Content-Type says so.',
  });

/** Hands the bytes to the parser as fast as it takes them. The request outlives it: an answer must still be sent. */
async function feed(request: IncomingMessage, parser: BusboyInstance, limit: number): Promise<void> {
  let length = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += (chunk as Buffer).length;
      if (length > limit) throw tooLarge(limit);
      if (parser.destroyed) return;
      if (!parser.write(chunk)) await drained(parser);
    }
  } catch (error) {
    throw error instanceof AppError ? error : cutShort();
  }
  parser.end();
}

function drained(parser: BusboyInstance): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      parser.off('drain', done).off('close', done);
      resolve();
    };
    parser.on('drain', done).on('close', done);
  });
}
