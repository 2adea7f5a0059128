import type { Static, TSchema } from 'typebox';
import type { FileAnswer, ServerSentEvent } from './answers.ts';
import { type Auth, isSecret, isSignature } from './auth.ts';
import type { BodyKind, ByteStream, Parts, RawBody, StreamedFile } from './bodies.ts';
import type { ErrorCode } from './errors.ts';
import type { Resource } from './resource.ts';

/** Roles, lowest first. */
export const roles = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof roles)[number];

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Load classes, shed from the last to the first (docs/design/quality.md 2). */
export const loadClasses = ['health', 'inbound', 'decision', 'crud', 'heavy'] as const;
export type LoadClass = (typeof loadClasses)[number];

/** A sliding-window limit: at most `limit` calls in any `windowSeconds`, counted per `per` (docs/design/api-access.md 17). */
export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly per: 'tenant' | 'credential' | 'ip';
  /** Operations whose limits name the same bucket share one window. Default: each operation has its own. */
  readonly bucket?: string;
  /** True: a call counts once its input is known to be well formed, so that mistakes in typing cost nothing. */
  readonly countsValid?: true;
  /** List in the body whose items each count as a call, once the input is valid: all of them or none. */
  readonly countsItems?: string;
  /** True: a call counts only once the path's record is found; the handler reports that. */
  readonly countsFound?: true;
}

/**
 * One operation of the API, described once. Validation, authorization, limits, transactions, OpenAPI, the SDK and the
 * operation matrix test are derived from this value (docs/architecture.md).
 */
export interface Operation {
  /** `<resource>.<verb>`, unique, camelCase: `offers.create`. */
  readonly id: string;
  readonly method: HttpMethod;
  /** With parameters in braces: `/api/v1/offers/{id}`. */
  readonly path: string;
  /** Of a list of records: what they are. */
  readonly resource?: Resource;
  /** Further paths that answer the same. */
  readonly aliases?: readonly string[];
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly auth: Auth;
  /** Minimum role; null where the credential has none or its role does not matter. */
  readonly role: Role | null;
  /** Default `problem`. */
  readonly errorFormat?: ErrorFormat;
  /** False: HEAD is 405 although the method is GET. */
  readonly head?: false;
  /** True when `X-Requested-With` isn't required although the method is unsafe. */
  readonly csrfExempt?: boolean;
  readonly loadClass: LoadClass;
  readonly rateLimits?: readonly RateLimit[];
  /** True: the work is useless once the caller has left, and `signal` tells the handler. */
  readonly stopsWithCaller?: boolean;
  /**
   * For operations that browsers are sent to: a browser (`Accept` names text/html) gets each failure as a 302 to the
   * login page, with this word as its `error`. Others get the problem.
   */
  readonly failurePage?: string;
  /** Variable of the configuration that sets a limit per tenant and minute for this operation; 0 = none. */
  readonly rateLimitSetting?: 'RECOMMEND_RATE_PER_MINUTE';
  /** With `rateLimitSetting`: each item of this list in the body counts as a call of the operation `bucket`. */
  readonly rateLimitItems?: { readonly list: string; readonly bucket: string };
  /** Takes the optional `Idempotency-Key` header. Its answer is stored for 7 days in the effect's transaction. */
  readonly idempotent?: boolean;
  /** True: each problem it returns has its own `recommendationId` (docs/design/api-access.md 2). */
  readonly decides?: boolean;
  /** An object of strings and numbers. A record id is a plain string here: a malformed one is answered like an unknown one. */
  readonly params?: TSchema;
  /** An object; values are coerced strictly and defaults are filled in. */
  readonly query?: TSchema;
  /** True: query parameters that it doesn't know are 400; elsewhere they are ignored, and named in a header of the answer. */
  readonly knowsItsQuery?: true;
  /** Headers that decide something, under their documented names; sent twice = 400, read as UTF-8 (docs/design/quality.md F22). */
  readonly headers?: TSchema;
  /** Never coerced but for forms; a `default` in it is documentation and the handler applies it (an update must not). */
  readonly body?: TSchema;
  /**
   * Lists in the body whose items the handler checks one by one, so that one malformed item doesn't reject the others.
   * Give them the type `unknown`: the binder only checks their number.
   */
  readonly judgedAlone?: readonly string[];
  /**
   * The record that the body writes, as it is answered. Its properties that the body does not declare are the server's:
   * they may be sent back as they were read, and count as known (docs/design/api-settled.md, "Typos and configs that cannot act").
   */
  readonly record?: TSchema;
  /** Default `json`. */
  readonly bodyKind?: BodyKind;
  /** Types of a raw body or of one that streams, lower case; others are 415. */
  readonly mediaTypes?: readonly string[];
  /**
   * Types of a file that may be sent in place of the JSON body, lower case. It streams to the handler, which needs a
   * transaction of its own.
   */
  readonly fileTypes?: readonly string[];
  /** Bytes of such a file at most. */
  readonly fileLimit?: number;
  /** The parts of a form, for the file type `multipart/form-data`. */
  readonly fileForm?: TSchema;
  /** Bytes; default 1 MiB (64 KiB without credential). */
  readonly bodyLimit?: number;
  /** Success answers by status; `null` = no body. A non-JSON answer names its media type. */
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Codes beyond those that the binder adds on its own (auth, role, syntax, limits, 500, 503). */
  readonly errors: readonly ErrorCode[];
  /**
   * True: it changes the catalogue, and each 2xx answer names the version with the change in `X-Config-Version`
   * (docs/design/api-settled.md 7). Automatic in a transaction of the binder.
   */
  readonly changesCatalogue?: true;
  /** The audit rows a success leaves: `{ action, entityType }`; empty = none. `*`: the type that the call names. */
  readonly audit: readonly { readonly action: string; readonly entityType: string }[];
  /**
   * Each record that the call creates, changes or deletes first leaves its own operation's row. Those of `audit` come
   * last.
   */
  readonly auditsEachRecord?: true;
  /**
   * `tenant`: the binder opens the tenant transaction and commits before the answer;
   * `own`: the handler opens its own (recommend, respond, calls that go out); `none`: no database work.
   */
  readonly transaction: 'tenant' | 'own' | 'none';
}

/**
 * Bodies of error answers: `problem` (RFC 9457), `oauth` (RFC 6749 section 5.2), `scim` (RFC 7644 section 3.12), `cron`
 * (`{ error }` for schedulers), `page` (HTML for people, of the server's own pages, which no document lists).
 */
export type ErrorFormat = 'problem' | 'oauth' | 'scim' | 'cron' | 'page';

export interface ResponseSpec {
  readonly description: string;
  /** Schema of a JSON answer, or of each event of an event stream; `Binary()` for a file. */
  readonly schema: TSchema | null;
  /** Default `application/json`. */
  readonly mediaType?: string;
  /**
   * `text`: a text of `mediaType`. `file`: a FileAnswer, of one of `mediaTypes`. `events`: server-sent events, an iterable of
   * ServerSentEvent. Default: JSON, or text where `mediaType` is given.
   */
  readonly kind?: 'text' | 'file' | 'events';
  /**
   * In addition to JSON: the schema of each server-sent event for callers that request them with `Accept:
   * text/event-stream`. The handler returns either, depending on `wantsEvents`.
   */
  readonly events?: TSchema;
  /** Types that a file may have. */
  readonly mediaTypes?: readonly [string, ...string[]];
}

/** Declares an operation; keeps literal types so that handlers are typed from it. */
export function operation<const O extends Operation>(value: O): O {
  return value;
}

/** True when the call must carry `X-Requested-With` (docs/design/quality.md T32). */
export function needsRequestedWith(operation: Pick<Operation, 'auth' | 'method' | 'csrfExempt'>): boolean {
  const { auth, method, csrfExempt } = operation;
  // A credential that browsers don't send on their own can't be abused through one.
  if (isSecret(auth) || isSignature(auth) || auth === 'scim') return false;
  return method !== 'GET' && csrfExempt !== true;
}

type StaticOr<S, Fallback> = S extends TSchema ? Static<S> : Fallback;

/** Params, query, declared headers and body that a handler of `O` receives after validation. */
export interface OperationInput<O extends Operation> {
  readonly params: StaticOr<O['params'], Record<string, never>>;
  readonly query: StaticOr<O['query'], Record<string, never>>;
  readonly headers: StaticOr<O['headers'], Record<string, never>>;
  readonly body: O['bodyKind'] extends 'multipart'
    ? Parts
    : O['bodyKind'] extends 'raw'
      ? RawBody
      : O['bodyKind'] extends 'stream'
        ? ByteStream
        : O extends { readonly fileTypes: readonly string[] }
          ? StaticOr<O['body'], undefined> | StreamedFile
          : StaticOr<O['body'], undefined>;
}

/** The values of a form's parts, for an operation that takes one; bytes for a file. */
export type OperationForm<O extends Operation> = StaticOr<O['body'], undefined>;

type BodyOf<R> = R extends { readonly kind: 'file' }
  ? FileAnswer
  : R extends { readonly kind: 'events' }
    ? AsyncIterable<ServerSentEvent>
    : R extends { readonly events: TSchema; readonly schema: infer S extends TSchema }
      ? Static<S> | AsyncIterable<ServerSentEvent>
      : R extends { readonly schema: infer S }
        ? S extends TSchema
          ? Static<S>
          : null
        : null;

/** What a handler of `O` may return: one member per declared success status. */
export type OperationReply<O extends Operation> = {
  [S in keyof O['responses'] & number]: {
    readonly status: S;
    readonly body: BodyOf<O['responses'][S]>;
    readonly headers?: Readonly<Record<string, string>>;
  };
}[keyof O['responses'] & number];
