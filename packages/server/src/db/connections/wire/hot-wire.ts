import pg from 'pg';
import { createWireReader, cString, errorFields } from './wire-reader.ts';
import { noColumns, readColumns, readRow, type WireColumns, type WireRow } from './wire-rows.ts';
import {
  beginWriting,
  endWriting,
  putBind,
  putDescribePortal,
  putDescribeStatement,
  putExecute,
  putParse,
  putSync,
  type WireWriter,
} from './wire-writer.ts';

/** A statement of a trip. */
export interface WireStatement {
  /** The connection prepares it once under this name; null: for this trip alone. */
  readonly name: string | null;
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface WireResult {
  readonly rows: WireRow[];
  /** `COMMIT` or `ROLLBACK` for a commit, `SELECT 3` for a query. */
  tag: string;
}

/** Sends the statements of a round trip in one write, and reads their answers (docs/adr/0137). */
export interface HotWire {
  /**
   * Runs the statements in order and returns a result for each. Rejects with the first error; the statements after it haven't
   * run then. One trip at a time.
   */
  trip(statements: readonly WireStatement[], timeoutMs: number): Promise<readonly WireResult[]>;
  /** Closes the connection, without an answer if need be. */
  close(): Promise<void>;
}

/** A statement that this connection knows. */
interface PreparedStatement {
  readonly text: string;
  isParsed: boolean;
  /** Null until the server described them. */
  columns: WireColumns | null;
}

/** The pending answer to a statement. */
interface Due extends WireResult {
  readonly prepared: PreparedStatement;
  /** Bytea comes in binary form, because the columns were known. */
  readonly isBinary: boolean;
}

interface Trip {
  readonly due: readonly Due[];
  /** Index of the statement being answered. */
  at: number;
  error: Error | null;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (results: readonly WireResult[]) => void;
  readonly reject: (error: Error) => void;
}

interface WireState {
  readonly client: pg.Client;
  readonly prepared: Map<string, PreparedStatement>;
  trip: Trip | null;
  /** Why the connection can no longer be used. */
  broken: Error | null;
}

/** Takes over an idle connection. The driver still handles sign-in, TLS and loss of the connection. */
export function createHotWire(client: pg.Client): HotWire {
  const state: WireState = { client, prepared: new Map(), trip: null, broken: null };
  const { stream } = client.connection;
  stream.removeAllListeners('data');
  const read = createWireReader((code, bytes, start) => take(state, code, bytes, start));
  stream.on('data', (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (error) {
      // The rest of the stream can't be parsed.
      fail(state, error instanceof Error ? error : new Error(String(error)));
      stream.destroy();
    }
  });
  stream.on('error', (error) => fail(state, error));
  stream.on('close', () => fail(state, new Error('Connection terminated unexpectedly')));
  return {
    trip: (statements, timeoutMs) =>
      new Promise((resolve, reject) => {
        if (state.broken !== null || state.trip !== null) {
          reject(state.broken ?? new Error('a trip is in flight'));
          return;
        }
        const due = send(state, statements);
        const timer = setTimeout(() => {
          fail(state, new Error('Query read timeout'));
          stream.destroy();
        }, timeoutMs);
        state.trip = { due, at: 0, error: null, timer, resolve, reject };
      }),
    close: () => client.end(),
  };
}

function send(state: WireState, statements: readonly WireStatement[]): Due[] {
  const out = beginWriting();
  try {
    const due = statements.map((statement) => put(state, out, statement));
    putSync(out);
    state.client.connection.stream.write(out.bytes.subarray(0, out.at), () => endWriting(out));
    return due;
  } catch (error) {
    forgetUnparsed(state);
    throw error;
  }
}

/** Forgets statements that the server failed to parse. */
function forgetUnparsed({ prepared }: WireState): void {
  for (const [name, { isParsed }] of prepared) if (!isParsed) prepared.delete(name);
}

function put({ prepared }: WireState, out: WireWriter, { name, text, values }: WireStatement): Due {
  if (name === null) {
    putParse(out, '', text);
    putBind(out, '', values, null);
    putDescribePortal(out);
    putExecute(out);
    return { rows: [], tag: '', prepared: { text, isParsed: true, columns: null }, isBinary: false };
  }
  let known = prepared.get(name);
  if (known !== undefined && known.text !== text) throw new Error(`two statements have the name ${name}`);
  if (known === undefined) {
    known = { text, isParsed: false, columns: null };
    prepared.set(name, known);
    putParse(out, name, text);
    putDescribeStatement(out, name);
  } else if (known.columns === null) putDescribeStatement(out, name);
  const isBinary = known.columns !== null;
  putBind(out, name, values, known.columns === null ? null : known.columns.binary);
  putExecute(out);
  return { rows: [], tag: '', prepared: known, isBinary };
}

/** Codes of the server's messages. */
const answers = {
  parsed: 0x31,
  columns: 0x54,
  noColumns: 0x6e,
  row: 0x44,
  complete: 0x43,
  empty: 0x49,
  error: 0x45,
  ready: 0x5a,
} as const;

function take(state: WireState, code: number, bytes: Buffer, start: number): void {
  const { trip } = state;
  if (trip === null) {
    // An error here is why the server closes the connection. Notices and settings don't matter.
    if (code === answers.error) fail(state, errorOf(bytes, start));
    return;
  }
  const due = trip.due[trip.at];
  if (code === answers.ready) finish(state, trip);
  else if (code === answers.error) trip.error ??= errorOf(bytes, start);
  else if (due === undefined) return;
  else if (code === answers.row) {
    const { columns } = due.prepared;
    if (columns === null) throw new Error('the server sent a row before its columns');
    due.rows.push(readRow(bytes, start, columns, due.isBinary ? columns.decoders : columns.textDecoders));
  } else if (code === answers.complete || code === answers.empty) {
    if (code === answers.complete) due.tag = cString(bytes, start);
    trip.at++;
  } else if (code === answers.parsed) due.prepared.isParsed = true;
  else if (code === answers.columns) {
    due.prepared.columns ??= readColumns(bytes, start, (oid) => state.client.getTypeParser(oid, 'text'));
  } else if (code === answers.noColumns) due.prepared.columns ??= noColumns;
}

function finish(state: WireState, trip: Trip): void {
  clearTimeout(trip.timer);
  state.trip = null;
  if (trip.error === null) {
    trip.resolve(trip.due);
    return;
  }
  forgetUnparsed(state);
  // Every later use of the statement would fail too.
  if (isAboutPlans(trip.error)) state.broken = trip.error;
  trip.reject(trip.error);
}

/** `cached plan must not change result type` after a migration; prepared statements that are missing or doubled. */
const planCodes: readonly unknown[] = ['0A000', '26000', '42P05'];
const isAboutPlans = (error: Error): boolean => error instanceof pg.DatabaseError && planCodes.includes(error.code);

/** Rejects the trip in flight and makes the connection unusable. */
function fail(state: WireState, error: Error): void {
  state.broken ??= error;
  const { trip } = state;
  if (trip === null) return;
  clearTimeout(trip.timer);
  state.trip = null;
  trip.reject(trip.error ?? error);
}

function errorOf(bytes: Buffer, start: number): Error {
  const fields = errorFields(bytes, start);
  const error = new pg.DatabaseError(fields.M ?? '', bytes.length, 'error');
  error.severity = fields.S;
  error.code = fields.C;
  error.detail = fields.D;
  error.where = fields.W;
  error.schema = fields.s;
  error.table = fields.t;
  error.column = fields.c;
  error.dataType = fields.d;
  error.constraint = fields.n;
  return error;
}
