import { type ErrorCode, type ErrorEntry, errorRegistry } from '@arbiter/contract';

export interface AppErrorOptions {
  /**
   * The problem, in words for a person. Never SQL, files, stacks or other tenants' data (docs/design/quality.md T36).
   */
  readonly detail?: string;
  readonly errors?: readonly ErrorEntry[];
  readonly retryAfterSeconds?: number;
  /** The word of the operation's error format where it has its own: `error` of RFC 6749, `scimType` of RFC 7644. */
  readonly formatCode?: string;
  /** Sent with the answer, lower case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** Further members of the problem body, where the operation's description names them. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** The one error that services throw: a code of the closed registry (docs/design/api-access.md 2). */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string | undefined;
  readonly errors: readonly ErrorEntry[];
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly formatCode: string | undefined;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(
      options.detail ?? errorRegistry[code].title,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'AppError';
    this.code = code;
    this.status = errorRegistry[code].status;
    this.detail = options.detail;
    this.errors = options.errors ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers;
    this.formatCode = options.formatCode;
    this.members = options.members ?? {};
  }
}

/** 400 `validation_failed` for one value. `path`: JSON Pointer into the body, or `query.x`, `path.x`, `header.x`. */
export function invalid(path: string, message: string): AppError {
  return new AppError('validation_failed', { detail: `${path} ${message}`.trim(), errors: [{ path, message }] });
}

/** Maximum entries in one answer (docs/design/api-access.md 2). */
const maximumEntries = 50;

/** Throws 400 `validation_failed` with all findings, when there is one. */
export function refuseProblems(problems: readonly ErrorEntry[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new AppError('validation_failed', {
    detail: `${first.path} ${first.message}`.trim(),
    errors: problems.slice(0, maximumEntries),
  });
}

/** Returns the same refusal with its paths below another one. */
export function refusalBelow(path: string, error: AppError): AppError {
  const { code, detail, errors, retryAfterSeconds, headers, cause } = error;
  const moved = errors.map(
    (entry): ErrorEntry => (entry.path.startsWith('/') ? { ...entry, path: `${path}${entry.path}` } : entry),
  );
  return new AppError(code, {
    errors: moved,
    ...(detail === undefined ? {} : { detail }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(headers === undefined ? {} : { headers }),
    ...(cause === undefined ? {} : { cause }),
  });
}
