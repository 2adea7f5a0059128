import Type, { type TSchemaOptions } from 'typebox';

/**
 * Forms in which an operation takes its body.
 *
 * - `json`: `application/json` in UTF-8, the default.
 * - `form`: `application/x-www-form-urlencoded`; its texts are read like query parameters.
 * - `jsonOrForm`: either; a form's texts become what the schema asks for.
 * - `multipart`: `multipart/form-data`, handed to the handler part by part while it arrives; needs a transaction of the
 *   handler's own.
 * - `raw`: the bytes, of one of the operation's `mediaTypes`; with a signature they are checked before anything else.
 * - `stream`: the bytes of one of the operation's `mediaTypes`, handed to the handler while they arrive; needs a transaction
 *   of the handler's own.
 * - `scim`: `application/scim+json` or `application/json` (RFC 7644 section 3.1).
 */
export type BodyKind = 'json' | 'form' | 'jsonOrForm' | 'multipart' | 'raw' | 'scim' | 'stream';

/** A text field of a multipart body. */
export interface FieldPart {
  readonly kind: 'field';
  readonly name: string;
  readonly value: string;
}

/** A file of a multipart body. Read its bytes before asking for the next part; the rest is skipped. */
export interface FilePart {
  readonly kind: 'file';
  readonly name: string;
  /** The client's name for it, without folders; null if it sent none. */
  readonly fileName: string | null;
  /** Declared type, lower case, without parameters; null if the client sent none. */
  readonly mediaType: string | null;
  readonly content: AsyncIterable<Uint8Array>;
}

/** The parts of a multipart body, in order. Fails with 400 or 413 if the body is incomplete or too large. */
export type Parts = AsyncIterable<FieldPart | FilePart>;

/** A raw body: the bytes as they were received, and their declared type, lower case, without parameters. */
export interface RawBody {
  readonly bytes: Uint8Array;
  readonly mediaType: string | null;
}

/**
 * A file sent instead of a JSON body (`fileTypes` of an operation). Reading it fails with 400 or 413 if it is
 * incomplete or too large.
 */
export interface StreamedFile {
  /** Declared type, lower case, without parameters. */
  readonly fileType: string;
  readonly content: ByteStream;
  /** For the file type `multipart/form-data`, the parts, and no content; otherwise null. */
  readonly parts: Parts | null;
}

/** A streamed body. Reading it fails with 400 or 413 if it is incomplete or too large. */
export type ByteStream = AsyncIterable<Uint8Array>;

/** Schema of a file in a multipart body or of a file answer: bytes, described as OpenAPI does. */
export const Binary = (options: TSchemaOptions = {}) =>
  Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary', ...options });
