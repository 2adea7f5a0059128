import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FieldPart, FilePart, Parts } from '@arbiter/contract';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { AppError } from '../../platform/app-error.ts';
import { refuseValue } from './json-body.ts';
import { cutShort, tooLarge } from './request-body.ts';

/** Limits of a multipart body besides its bytes (docs/design/quality.md T17). */
const limits = { fieldNameSize: 100, fieldSize: 64 * 1024, fields: 100, files: 10, parts: 110, headerPairs: 20 };

/**
 * Yields the parts of a `multipart/form-data` body as it arrives (RFC 7578). Reads nothing before the first part is
 * requested, and no faster than the file's reader, so a large file is never in memory. Throws `malformed_request` when
 * the body isn't multipart or ends early, and `payload_too_large` past `limit` bytes.
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
  const failTooManyParts = (): void =>
    fail(new AppError('malformed_request', { detail: 'The body has too many parts.' }));

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
      // A reader that stopped early doesn't listen for errors of the file.
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
    .on('partsLimit', failTooManyParts)
    .on('fieldsLimit', failTooManyParts)
    .on('filesLimit', failTooManyParts)
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
        // Skip the rest of a file, so that the parser continues with the next part.
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

/** Yields the bytes of a file. The parser's own error texts mean nothing to the caller. */
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
    detail: "The body isn't valid multipart/form-data.",
  });

/**
 * Passes the bytes to the parser as fast as it takes them. The request must survive, because we still have to answer.
 */
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
