import { AppError } from '../platform/app-error.ts';
import { unconfirmed } from '../platform/deadline.ts';

/** The kind of database rule that a statement broke. */
export type DatabaseErrorKind =
  | 'unique'
  | 'foreign_key'
  | 'check'
  | 'not_null'
  | 'exclusion'
  | 'invalid_text'
  | 'out_of_range'
  | 'too_long'
  | 'lock_not_available'
  | 'duplicate_object'
  | 'undefined_object'
  | 'insufficient_privilege'
  | 'raised'
  | 'other';

/**
 * The database reported an error about a statement. Its text must not leave the process (docs/design/quality.md T36).
 */
export class DatabaseError extends Error {
  readonly kind: DatabaseErrorKind;
  /** Name of the broken constraint, if any. */
  readonly constraint: string | null;
  /** Table and column, when the database names them. */
  readonly table: string | null;
  readonly column: string | null;
  /** The five-character SQLSTATE. */
  readonly sqlState: string;

  constructor(kind: DatabaseErrorKind, facts: DriverFacts, cause: unknown) {
    super(`${kind}: ${facts.message}`, { cause });
    this.name = 'DatabaseError';
    this.kind = kind;
    this.constraint = facts.constraint;
    this.table = facts.table;
    this.column = facts.column;
    this.sqlState = facts.sqlState;
  }
}

interface DriverFacts {
  readonly message: string;
  readonly sqlState: string;
  readonly constraint: string | null;
  readonly table: string | null;
  readonly column: string | null;
}

const kinds: Readonly<Record<string, DatabaseErrorKind>> = {
  '23505': 'unique',
  '23503': 'foreign_key',
  '23514': 'check',
  '23502': 'not_null',
  '23P01': 'exclusion',
  '22P02': 'invalid_text',
  '22P05': 'invalid_text',
  '22021': 'invalid_text',
  '22007': 'invalid_text',
  '22003': 'out_of_range',
  '22008': 'out_of_range',
  '22001': 'too_long',
  '55P03': 'lock_not_available',
  '42P07': 'duplicate_object',
  '42710': 'duplicate_object',
  '42701': 'duplicate_object',
  '42P06': 'duplicate_object',
  '42P01': 'undefined_object',
  '42703': 'undefined_object',
  '3F000': 'undefined_object',
  '42501': 'insufficient_privilege',
  P0001: 'raised',
};

/** SQLSTATE classes and codes that mean the database can't serve now: connection, resources, shutdown, read-only. */
const awayClasses = ['08', '53', '57', '58'];
const awayCodes = ['25006', '25P03', '25P04'];
const awaySystemCodes = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
];
/**
 * The driver's own errors have no code, only these messages (pg 8.23, pg-pool 3). `timeout expired` comes from
 * connecting.
 */
const awayMessages =
  /^(Connection terminated|Query read timeout|timeout expired|timeout exceeded when trying to connect|Client (has encountered|was closed)|Cannot use a pool after|Client closed)/;
/** Deadlock and serialization failure: the caller lost a race. */
const raceCodes = ['40001', '40P01'];

/**
 * Converts a driver error into ours: `unavailable` when the database is away, stopping or overloaded (503; the
 * statement may or may not have run), `concurrent_modification` for a deadlock, otherwise a DatabaseError. Other errors
 * pass unchanged.
 */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError || error instanceof DatabaseError) return error;
  if (isAway(error)) return new AppError('unavailable', { retryAfterSeconds: 1, cause: error });
  const sqlState = text(error, 'code');
  if (sqlState === null || !/^[0-9A-Z]{5}$/.test(sqlState) || text(error, 'severity') === null) return error;
  if (raceCodes.includes(sqlState)) return new AppError('concurrent_modification', { cause: error });
  return new DatabaseError(
    kinds[sqlState] ?? 'other',
    {
      message: error.message,
      sqlState,
      constraint: constraintOf(error),
      table: text(error, 'table'),
      column: text(error, 'column'),
    },
    error,
  );
}

/**
 * Returns the constraint that a statement broke. On a cluster, the coordinator passes on only the text of a worker's error, and
 * constraints of shards end with the shard's number.
 */
function constraintOf(error: Error): string | null {
  const name = text(error, 'constraint') ?? /\bconstraint "([^"]+)"/.exec(error.message)?.[1] ?? null;
  return name?.replace(/_\d{6,}$/, '') ?? null;
}

/** True for a failure while COMMIT was in flight that the database didn't report: the transaction may be committed. */
export function mayBeCommitted(error: unknown): boolean {
  const translated = translateError(error);
  const isRefused = error instanceof Error && text(error, 'severity') === 'ERROR';
  return translated instanceof AppError && translated.code === 'unavailable' && !isRefused;
}

/** Like `translateError`, for failures while COMMIT was in flight. */
export const translateCommitError = (error: unknown): unknown =>
  mayBeCommitted(error) ? unconfirmed(error) : translateError(error);

function isAway(error: Error): boolean {
  const code = text(error, 'code');
  if (code === null) {
    const inner = error instanceof AggregateError ? error.errors : [];
    return awayMessages.test(error.message) || inner.some((each) => each instanceof Error && isAway(each));
  }
  if (awaySystemCodes.includes(code)) return true;
  return code.length === 5 && (awayCodes.includes(code) || awayClasses.includes(code.slice(0, 2)));
}

function text(error: Error, key: string): string | null {
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' ? value : null;
}

/** SQLSTATE of a statement that took longer than it may, or was cancelled. */
const cancelled = '57014';

/** True for the error of a statement that took longer than it may, or was cancelled (`cancelStatement`). */
export const isTimedOut = (error: unknown): boolean => sqlStateOf(error) === cancelled;

/** `cannot_connect_now`, as `arbiter.assert_home` raises it. */
export const movedCode = '57P03';

/** True if nothing was committed because the tenant's rows have moved to another node, where the transaction can be repeated. */
export const hasMoved = (error: unknown): boolean => sqlStateOf(error) === movedCode;

function sqlStateOf(error: unknown): unknown {
  if (!(error instanceof AppError && error.code === 'unavailable' && error.cause instanceof Error)) return undefined;
  return Reflect.get(error.cause, 'code');
}
