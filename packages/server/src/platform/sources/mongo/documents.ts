import { Binary, Decimal128, type Document, EJSON, Long, ObjectId } from 'bson';
import { SourceError } from '../source-error.ts';
import type { MongoSession } from './session.ts';

export interface FindRequest {
  readonly database: string;
  readonly collection: string;
  readonly filter: Document;
  /** Key of the last document of the read before, as `keyText` wrote it. Null: from the start. */
  readonly after: string | null;
  /** 0: no limit. */
  readonly limit: number;
}

export interface FoundDocument {
  readonly values: Readonly<Record<string, unknown>>;
  readonly key: string;
}

const pageSize = 1000;

/** Returns a key as text that gives the same key again. */
const keyText = (key: unknown): string => EJSON.stringify(key, { relaxed: false });

function readKey(text: string): unknown {
  try {
    return EJSON.parse(text, { relaxed: false });
  } catch (cause) {
    throw new SourceError('unexpected_response', { cause });
  }
}

/** Returns a value without the types of BSON. */
function plainValue(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof ObjectId) return value.toHexString();
  if (value instanceof Long || value instanceof Decimal128) return value.toString();
  if (value instanceof Binary) {
    return value.sub_type === Binary.SUBTYPE_UUID ? value.toUUID().toString() : value.toString('base64');
  }
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== 'object' || value === null) return value;
  if ('_bsontype' in value) return EJSON.stringify(value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainValue(each)]));
}

function documentsOf(cursor: unknown, part: 'firstBatch' | 'nextBatch'): { id: Long; list: Document[] } {
  const values = typeof cursor === 'object' && cursor !== null ? (cursor as Document) : {};
  const list: unknown = values[part];
  if (!Array.isArray(list)) throw new SourceError('unexpected_response');
  return { id: Long.fromValue(values.id ?? 0), list };
}

/** Reads documents in the order of their keys, a page at a time. Throws SourceError. */
export async function* findDocuments(
  session: MongoSession,
  { database, collection, filter, after, limit }: FindRequest,
): AsyncGenerator<readonly FoundDocument[]> {
  // `min` compares keys of all types, and `$gt` only those of one. It includes the last key.
  const start = after === null ? {} : { min: { _id: readKey(after) }, hint: { _id: 1 } };
  const most = limit === 0 ? 0 : limit + (after === null ? 0 : 1);
  const answer = await session.run(database, {
    ...{ find: collection, filter, sort: { _id: 1 }, batchSize: pageSize, ...start },
    ...(most === 0 ? {} : { limit: most }),
    $readPreference: { mode: 'primaryPreferred' },
  });
  let page = documentsOf(answer.cursor, 'firstBatch');
  let left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  for (;;) {
    const found = page.list
      .map((document) => ({
        values: Object.fromEntries(Object.entries(document).map(([name, value]) => [name, plainValue(value)])),
        key: keyText(document._id),
      }))
      .filter(({ key }) => key !== after)
      .slice(0, left);
    left -= found.length;
    if (found.length > 0) yield found;
    if (page.id.isZero() || left <= 0) return;
    const next = await session.run(database, { getMore: page.id, collection, batchSize: pageSize });
    page = documentsOf(next.cursor, 'nextBatch');
  }
}
