/**
 * Rows of large tables fall into 256 buckets by their id, so that one changed row of thousands is found, read, hashed and
 * stored together with few others. Two random bytes of the id decide: UUIDv7 keeps its time in the others.
 */
export const buckets = 256;

/** Returns the bucket of an id in its usual spelling, 0 to 255. Same as `bucketSql`. */
export function bucketOf(id: string): number {
  return Number.parseInt(id.slice(21, 23), 16) ^ Number.parseInt(id.slice(34, 36), 16);
}

/** The bucket of a uuid column, as an SQL expression. */
export function bucketSql(column: string): string {
  return `(get_byte(uuid_send(${column}), 9) # get_byte(uuid_send(${column}), 15))`;
}

/** Shows whether a bucket's rows are still those that were read: their number and versions. */
export interface BucketPrint {
  readonly bucket: number;
  readonly rows: number;
  readonly print: string;
}

/**
 * Columns of a `BucketPrint` for a statement grouped by bucket. PostgreSQL writes a new row version at each change and
 * names its transaction in `xmin`, so no writer can forget to update it.
 */
export function printColumns(bucketColumn: string): string {
  return `${bucketSql(bucketColumn)} as bucket, count(*)::int as rows,
    bit_xor(hashtextextended(id::text || ' ' || xmin::text, 0))::text as print`;
}

/** Selects the rows of a large table to read: those of these buckets, after an id, up to a maximum. */
export interface BucketPage {
  /** Null: all of them. */
  readonly buckets: readonly number[] | null;
  /** Null: from the first. */
  readonly after: string | null;
  readonly limit: number;
}

/**
 * End of a statement that reads a page of a table with a primary key of tenant and id. `first`: number of its first
 * parameter; `pageValues` are its parameters.
 */
export function pageSql(bucketColumn: string, first: number): string {
  // A plain comparison with the id: only then each page starts where the last one ended, instead of at the first row.
  return `and id > $${first}::uuid and ($${first + 1}::int[] is null or ${bucketSql(bucketColumn)} = any($${first + 1}::int[]))
    order by tenant_id, id limit $${first + 2}`;
}

const beforeAll = '00000000-0000-0000-0000-000000000000';

export function pageValues({ buckets: asked, after, limit }: BucketPage): unknown[] {
  return [after ?? beforeAll, asked, limit];
}
