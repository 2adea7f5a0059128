import type {
  Operation,
  OperationForm,
  OperationInput,
  OperationReply,
  ServerSentEvent,
  StreamedFile,
} from '@arbiter/contract';

/** Names of the required properties. */
type RequiredKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T];

/** A section of the input: absent when the operation declares none, optional when nothing in it is required. */
type Section<Name extends string, Declared, Value> = Declared extends undefined
  ? object
  : [RequiredKeys<Value>] extends [never]
    ? { readonly [K in Name]?: Value }
    : { readonly [K in Name]: Value };

type Declared<O extends Operation, K extends 'params' | 'query' | 'headers' | 'body'> = K extends keyof O
  ? O[K]
  : undefined;

/** The parts of a form: a `Blob` for a file (a `File` to give it a name). */
type FormParts<Values> = { readonly [K in keyof Values]: Uint8Array extends Values[K] ? Blob : Values[K] };

/** The body that a caller passes. */
type BodyInput<O extends Operation> = O['bodyKind'] extends 'multipart'
  ? FormParts<OperationForm<O>>
  : O extends { readonly fileTypes: readonly string[] }
    ? Exclude<OperationInput<O>['body'], StreamedFile> | Blob
    : OperationInput<O>['body'];

/** Options of every call, besides the operation's own input. */
export interface CallOptions {
  /** Makes retries safe, for operations that accept an Idempotency-Key. */
  readonly idempotencyKey?: string;
  /** Sent as X-Request-Id; appears in responses, logs and audit rows. */
  readonly requestId?: string;
  readonly signal?: AbortSignal;
  /** Called with progress events of operations that report them; the call still resolves with the body. */
  readonly onProgress?: (data: unknown) => void;
}

/** Path parameters, query, headers and body of an operation, where it declares them. */
export type CallInput<O extends Operation> = Section<'params', Declared<O, 'params'>, OperationInput<O>['params']> &
  Section<'query', Declared<O, 'query'>, OperationInput<O>['query']> &
  Section<'headers', Declared<O, 'headers'>, OperationInput<O>['headers']> &
  Section<'body', Declared<O, 'body'>, BodyInput<O>> &
  CallOptions;

/** Body of an operation's successful responses; null for those without one. Excludes event streams. */
export type CallBody<O extends Operation> = Exclude<OperationReply<O>['body'], AsyncIterable<ServerSentEvent>>;

/** The input is optional when nothing in it is required. */
export type CallArguments<O extends Operation> =
  object extends CallInput<O> ? [input?: CallInput<O>] : [input: CallInput<O>];
