import type { IncomingMessage } from 'node:http';
import type { ByteStream, Operation } from '@arbiter/contract';
import { mediaTypeOf } from '../input/body-kinds.ts';
import type { InputReader } from '../input/input.ts';
import { readParts } from '../input/multipart.ts';
import { refuseBody, refuseLength, takeBody } from '../input/request-body.ts';
import { FileBody, readStream } from '../input/stream-body.ts';
import type { VerifySignature } from './operator-secrets.ts';

/** A request's body before it's parsed: its bytes, or a reader that the handler will use. */
export interface ReceivedBody {
  /** Null when the operation takes no body or the handler reads it. */
  readonly bytes: Buffer | null;
  /** Parts or a stream for the handler to read; undefined for bytes. */
  readonly reader: unknown;
}

/** Receives the body of one operation's requests. Throws, or rejects with, AppError for a body that must not be read. */
export type ReceiveBody = (request: IncomingMessage) => ReceivedBody | Promise<ReceivedBody>;

/** A form's bytes are in its parts. */
async function* noBytes(): ByteStream {}

const noBody: ReceivedBody = { bytes: null, reader: undefined };

/** `verify`: checks the signature over the bytes; null for an operation without one. */
export function createReceiveBody(
  operation: Operation,
  { bodyLimit, form }: InputReader,
  verify: VerifySignature | null,
): ReceiveBody {
  if (bodyLimit === null) return () => noBody;
  if (operation.bodyKind === 'multipart' || operation.bodyKind === 'stream') {
    const read = operation.bodyKind === 'multipart' ? readParts : readStream;
    return (request) => {
      refuseBody(request, bodyLimit, form);
      return { bytes: null, reader: read(request, bodyLimit) };
    };
  }

  const receiveBytes = async (request: IncomingMessage): Promise<ReceivedBody> => {
    // takeBody needs one turn of the microtask queue.
    await undefined;
    const taken = takeBody(request, bodyLimit);
    const bytes = taken instanceof Promise ? await taken : taken;
    if (verify !== null) {
      const verifying = verify(request, bytes);
      if (verifying instanceof Promise) await verifying;
      refuseBody(request, bodyLimit, form);
    }
    return { bytes, reader: undefined };
  };

  const { fileTypes = [], fileLimit = bodyLimit } = operation;
  return (request) => {
    if (fileTypes.length > 0) {
      const mediaType = mediaTypeOf(request) ?? '';
      if (fileTypes.includes(mediaType)) {
        refuseLength(request, fileLimit);
        const reader =
          mediaType === 'multipart/form-data'
            ? new FileBody(mediaType, noBytes(), readParts(request, fileLimit))
            : new FileBody(mediaType, readStream(request, fileLimit));
        return { bytes: null, reader };
      }
    }
    // A caller with an unsigned body gets no hint about its type.
    if (verify === null) refuseBody(request, bodyLimit, form);
    else refuseLength(request, bodyLimit);
    return receiveBytes(request);
  };
}
