import type {
  Operation,
  OperationForm,
  OperationInput,
  OperationReply,
  ServerSentEvent,
  StreamedFile,
} from '@arbiter/contract';

/** Names of the properties that must be given. */
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

/** The parts of a form: a `Blob` (a `File` has a name) where the operation takes a file. */
type FormParts<Values> = { readonly [K in keyof Values]: Uint8Array extends Values[K] ? Blob : Values[K] };

/** What a caller gives as the body. */
type GivenBody<O extends Operation> = O['bodyKind'] extends 'multipart'
  ? FormParts<OperationForm<O>>
  : O extends { readonly fileTypes: readonly string[] }
    ? Exclude<OperationInput<O>['body'], StreamedFile> | Blob
    : OperationInput<O>['body'];

/** What every call takes besides the operation's own input. */
export interface CallOptions {
  /** Makes a repeat of the call harmless; for operations that take an Idempotency-Key. */
  readonly idempotencyKey?: string;
  /** Kept as X-Request-Id in answers, logs and audit rows. */
  readonly requestId?: string;
  readonly signal?: AbortSignal;
  /** Told of the progress of an operation that reports it as events; the call resolves with the answer as ever. */
  readonly onProgress?: (data: unknown) => void;
}

/** Path parameters, query, headers and body of an operation, as far as it declares them. */
export type CallInput<O extends Operation> = Section<'params', Declared<O, 'params'>, OperationInput<O>['params']> &
  Section<'query', Declared<O, 'query'>, OperationInput<O>['query']> &
  Section<'headers', Declared<O, 'headers'>, OperationInput<O>['headers']> &
  Section<'body', Declared<O, 'body'>, GivenBody<O>> &
  CallOptions;

/** Bodies of the success answers of an operation; null for those without one. Events are not asked for. */
export type CallBody<O extends Operation> = Exclude<OperationReply<O>['body'], AsyncIterable<ServerSentEvent>>;

/** The input may be left out when nothing in it is required. */
export type CallArguments<O extends Operation> =
  object extends CallInput<O> ? [input?: CallInput<O>] : [input: CallInput<O>];
