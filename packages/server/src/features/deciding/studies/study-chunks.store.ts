import { columns, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { selectedRecords } from '../sealed-records/index.ts';
import type { ChunkOutcome, RecordChoice, StudyQuestion } from './study-kind.ts';

const chunks = table('study_chunks');

/** Decisions of a chunk. Small enough that threads share even a small study. A single customer may have more. */
const decisionsPerChunk = { least: 50, most: 2_000 };
const chunksOfSmallStudy = 32;

/**
 * Splits the selected records into chunks of whole customers and stores them, which fixes the records of the study. Returns
 * the number of records.
 */
export async function cutChunks(
  tx: Tx,
  { id, specHash, dataCut }: Pick<StudyQuestion, 'id' | 'specHash' | 'dataCut'>,
  choice: RecordChoice,
): Promise<number> {
  const { sql, values } = selectedRecords(tx.tenantId, { ...choice, cut: dataCut, salt: `study:${specHash}:` });
  const place = values.length + 1;
  const [row] = await tx.query<{ total: number }>(
    `with kept as (${sql}),
     size as (
       select greatest(${decisionsPerChunk.least}, least(${decisionsPerChunk.most}, count(*) / ${chunksOfSmallStudy})) as decisions
       from kept),
     placed as (select id, customer_ref, row_number() over (order by customer_ref, id) as place from kept),
     begun as (select id, customer_ref, min(place) over (partition by customer_ref) as begins from placed),
     numbered as (
       select id, customer_ref, dense_rank() over (order by (begins - 1) / size.decisions) - 1 as number from begun, size),
     stored as (
       insert into arbiter.study_chunks (tenant_id, study_id, number, decision_ids)
       select $1, $${place}, number, string_agg(uuid_send(id), ''::bytea order by customer_ref, id)
       from numbered group by number returning length(decision_ids) / 16 as decisions)
     select coalesce(sum(decisions), 0)::int as total from stored`,
    [...values, id],
  );
  return row?.total ?? 0;
}

/** Seconds until another process may take a chunk whose holder is silent. */
const leaseSeconds = 30;

/** Takes the first free chunk; null if there's none. */
export async function takeChunk(tx: Tx, studyId: string, holder: string): Promise<number | null> {
  const [row] = await tx.query<{ number: number }>(
    `with free as (
       select number from arbiter.study_chunks
       where tenant_id = $1 and study_id = $2 and not is_done and (lease_until is null or lease_until <= $4)
       order by number limit 1 for update skip locked)
     update arbiter.study_chunks c set holder = $3, lease_until = $4::timestamptz + make_interval(secs => $5)
       from free where c.tenant_id = $1 and c.study_id = $2 and c.number = free.number returning c.number`,
    [tx.tenantId, studyId, holder, tx.now, leaseSeconds],
  );
  return row?.number ?? null;
}

/** Renews the leases of a holder. */
export async function renewLeases(tx: Tx, studyId: string, holder: string): Promise<void> {
  await tx.query(
    `update arbiter.study_chunks set lease_until = $4::timestamptz + make_interval(secs => $5)
      where tenant_id = $1 and study_id = $2 and holder = $3 and not is_done`,
    [tx.tenantId, studyId, holder, tx.now, leaseSeconds],
  );
}

/** Releases a holder's unfinished chunks. */
export async function releaseChunks(tx: Tx, studyId: string, holder: string): Promise<void> {
  await tx.query(
    `update arbiter.study_chunks set holder = null, lease_until = null
      where tenant_id = $1 and study_id = $2 and holder = $3 and not is_done`,
    [tx.tenantId, studyId, holder],
  );
}

/** Stores the outcome of a chunk. Returns its number of decisions; null if another process has taken it or finished it. */
export async function finishChunk(
  tx: Tx,
  { studyId, number, holder }: { readonly studyId: string; readonly number: number; readonly holder: string },
  { partial, rows }: ChunkOutcome,
): Promise<number | null> {
  const [row] = await tx.query<{ decisions: number }>(
    `update arbiter.study_chunks set is_done = true, holder = null, lease_until = null, partial = $5, row_lines = $6, row_count = $7
      where tenant_id = $1 and study_id = $2 and number = $3 and holder = $4 and not is_done
      returning length(decision_ids) / 16 as decisions`,
    [tx.tenantId, studyId, number, holder, Buffer.from(partial), rows && Buffer.from(rows.lines), rows?.count ?? 0],
  );
  return row?.decisions ?? null;
}

/** Seconds until the first lease of another holder ends; 0: a chunk is free; null: every chunk is done. */
export async function secondsToWait(tx: Tx, studyId: string): Promise<number | null> {
  const [row] = await tx.query<{ open: number; seconds: number | null }>(
    `select count(*)::int as open,
       min(greatest(0, extract(epoch from coalesce(lease_until, $3) - $3::timestamptz)))::float8 as seconds
     from arbiter.study_chunks where tenant_id = $1 and study_id = $2 and not is_done`,
    [tx.tenantId, studyId, tx.now],
  );
  return row === undefined || row.open === 0 ? null : (row.seconds ?? 0);
}

/** Returns the decisions of a chunk; null without such a chunk. */
export async function readDecisionIds(tx: Tx, studyId: string, number: number): Promise<readonly string[] | null> {
  const [row] = await select(
    tx,
    columns(chunks, ['decisionIds']),
    'from arbiter.study_chunks where tenant_id = $1 and study_id = $2 and number = $3',
    [tx.tenantId, studyId, number],
  );
  if (row === undefined) return null;
  const hex = row.decisionIds.toString('hex');
  return Array.from({ length: hex.length / 32 }, (_, at) => uuidOf(hex.slice(at * 32, at * 32 + 32)));
}

const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;

/** Chunks read at a time. */
const chunksPerRead = 16;

interface NumberedBytes {
  readonly number: number;
  readonly bytes: Buffer;
}

/** Returns the next partials from a chunk number on, in order. */
export const readPartials = (tx: Tx, studyId: string, from: number): Promise<NumberedBytes[]> =>
  tx.query<NumberedBytes>(
    `select number, partial as bytes from arbiter.study_chunks
     where tenant_id = $1 and study_id = $2 and number >= $3 and partial is not null order by number limit $4`,
    [tx.tenantId, studyId, from, chunksPerRead],
  );

/** Returns deflated lines from a chunk number on, in the order of the chunks. */
export const readRowLines = (tx: Tx, studyId: string, from: number): Promise<NumberedBytes[]> =>
  tx.query<NumberedBytes>(
    `select number, row_lines as bytes from arbiter.study_chunks
     where tenant_id = $1 and study_id = $2 and number >= $3 and row_lines is not null order by number limit $4`,
    [tx.tenantId, studyId, from, chunksPerRead],
  );

/** Deletes what a study needs only while it runs. A completed study keeps its lines. */
export async function dropWork(tx: Tx, studyId: string, keepsLines: boolean): Promise<void> {
  await tx.query(
    keepsLines
      ? `delete from arbiter.study_chunks where tenant_id = $1 and study_id = $2 and row_lines is null`
      : `delete from arbiter.study_chunks where tenant_id = $1 and study_id = $2`,
    [tx.tenantId, studyId],
  );
  await tx.query(
    `update arbiter.study_chunks set decision_ids = '', partial = null, holder = null, lease_until = null
      where tenant_id = $1 and study_id = $2`,
    [tx.tenantId, studyId],
  );
}
