import { maxMembersCounted, type SegmentOverlap } from '@arbiter/contract';
import { inTime, type Tx } from '../../../db/index.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError } from '../../../platform/app-error.ts';
import { findRecords, getRecord } from '../catalogue-records/index.ts';
import { countInTime } from './counts.store.ts';
import { type DefinitionInput, loadDefinition, readDefinition } from './definitions.ts';
import { countTogether, countUpTo, hasCustomer, hasCustomers, selectMembers, selectRows } from './members.store.ts';
import { readActiveSegments } from './membership.ts';
import type { Definition } from './membership-sql.store.ts';
import { compareSegments } from './overlap.rules.ts';
import { segmentSpec } from './segments.store.ts';

const defaultPage = 50;
const largestPage = 200;

/** A page of the customers that belong to a segment now. 404; 400 `invalid_cursor`. */
export async function listMembers(tx: Tx, id: string, query: { readonly limit?: number; readonly cursor?: string }) {
  const row = await getRecord(tx, segmentSpec, id);
  const definition = await loadDefinition(tx, row);
  const limit = Math.min(query.limit ?? defaultPage, largestPage);
  const after = query.cursor === undefined ? null : await readCursor(tx, definition, query.cursor);
  const rows = await selectMembers(tx, definition, after, limit + 1);
  const counted = await countUpTo(tx, definition, maxMembersCounted + 1);
  const total = counted <= maxMembersCounted ? counted : Math.max(counted, Number(row.customerCount ?? 0));
  const page = pageOf({ rows, limit, total, cursorOf: cursorAfter });
  return { data: page.rows.map((customerId) => ({ customerId })), pagination: page.pagination };
}

/** The IDs of this many members after this one, in the order of their row keys. 404. */
export async function memberIds(tx: Tx, id: string, after: string | null, limit: number): Promise<string[]> {
  const row = await getRecord(tx, segmentSpec, id);
  return selectMembers(tx, await loadDefinition(tx, row), after, limit);
}

const cursorAfter = (customerId: string): string =>
  Buffer.from(JSON.stringify([customerId]), 'utf8').toString('base64url');

/**
 * The customer id in a cursor. Members come and go, so it doesn't have to be one. A customer without a row gets the same error
 * as an invalid cursor, and so does another tenant's (docs/design/quality.md E15).
 */
async function readCursor(tx: Tx, definition: Definition, cursor: string): Promise<string> {
  const customerId = parseCursor(cursor);
  if (customerId !== null && (await hasCustomer(tx, definition, customerId))) return customerId;
  throw new AppError('invalid_cursor', {
    detail: "The cursor doesn't belong to this list, or its row was deleted.",
    errors: [{ path: 'query.cursor', message: 'is not a cursor of this list' }],
  });
}

function parseCursor(cursor: string): string | null {
  if (!/^[A-Za-z0-9_-]+$/.test(cursor)) return null;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const match = /^\[(".*")\]$/s.exec(text);
  try {
    const parsed: unknown = match === null ? null : JSON.parse(match[1] ?? '');
    return typeof parsed === 'string' && parsed.isWellFormed() && !parsed.includes('\0') ? parsed : null;
  } catch {
    // An invalid cursor gets the same error as any other that this list never issued.
    return null;
  }
}

const maxSampled = 20;

/** Returns who would belong to this segment definition. Writes nothing. */
export async function previewSegment(tx: Tx, input: DefinitionInput) {
  const definition = await readDefinition(tx, input);
  const count = await countInTime(tx, definition);
  return { count, sample: await selectRows(tx, definition, maxSampled) };
}

const defaultSample = 5_000;

/**
 * Returns the overlap of segments (docs/design/api-catalogue.md 11). Throws 400 `reference_not_found` for an unknown
 * one.
 */
export async function overlapSegments(
  tx: Tx,
  { segmentIds, sampleSize = defaultSample }: { readonly segmentIds: readonly string[]; readonly sampleSize?: number },
): Promise<SegmentOverlap> {
  const ids = segmentIds.map((id) => id.toLowerCase());
  const found = new Map((await findRecords(tx, segmentSpec, 'id', ids)).map((row) => [row.id, row]));
  const rows = ids.map((id, at) => {
    const row = found.get(id);
    if (row !== undefined && ids.indexOf(id) === at) return row;
    const message = row === undefined ? 'must be an existing segment' : 'is listed more than once';
    throw new AppError(row === undefined ? 'reference_not_found' : 'validation_failed', {
      detail: `/segmentIds/${at} ${message}.`,
      errors: [{ path: `/segmentIds/${at}`, message }],
    });
  });
  const definitions: Definition[] = [];
  for (const row of rows) definitions.push(await loadDefinition(tx, row));
  // The largest is at least a tenth of all, and the union at least as large: then the union need not be counted first.
  const known = rows.reduce((sum, row) => sum + Number(row.customerCount ?? 0), 0);
  let share = known > 10 * sampleSize ? sampleSize / known : 1;
  let counts = await countTogether(tx, definitions, share);
  const union = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (share === 1 && union > sampleSize) {
    share = sampleSize / union;
    counts = await countTogether(tx, definitions, share);
  }
  return { ...compareSegments(rows, counts, share), sampled: share < 1 };
}

/** Time for one segment, and for all of them, in ms. */
const segmentMs = 250;
const allMs = 750;

/**
 * Returns the names of active segments without members, by id and by name, of those with one of the given ids or names. They
 * are looked up now: stored counts may be a day old. Leaves out segments that take too long, and those of a schema without
 * customers, which say nothing yet.
 */
export async function emptySegments(tx: Tx, named: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (named.size === 0) return found;
  const until = performance.now() + allMs;
  for (const { id, name, definition } of await readActiveSegments(tx)) {
    if (!named.has(id) && !named.has(name)) continue;
    const left = Math.min(segmentMs, Math.floor(until - performance.now()));
    if (left <= 0) break;
    const isEmpty = await inTime(
      tx,
      async () => (await countUpTo(tx, definition, 1)) === 0 && (await hasCustomers(tx, definition)),
      left,
    );
    if (isEmpty === true) found.set(id, name).set(name, name);
  }
  return found;
}
