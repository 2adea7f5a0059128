import { columns, computed, expression, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import { type Tx, uuidArray } from '../../../db/index.ts';
import type { ArchiveKind } from './archived-row.ts';

export type PartState = 'writing' | 'deleting' | 'archived' | 'restoring' | 'restored' | 'removing';

const partColumns = selectList(
  columns(table<'archived_parts', { kind: ArchiveKind['name']; state: PartState }>('archived_parts'), [
    'id',
    'kind',
    'state',
    'firstId',
    'lastId',
    'rows',
    'sha256',
    'rowsSha256',
    'zone',
    'excluded',
    'exported',
    'doneGroups',
    'createdAt',
    'archivedAt',
    'verifiedAt',
    'restoredAt',
    'problem',
  ]),
  computed({
    /** `2026-05`, a UTC month. */
    month: expression<string>(`to_char(month, 'YYYY-MM')`),
    bytes: expression<number>('bytes::float8'),
  }),
);

/** A file of archived history. */
export type Part = RowOf<typeof partColumns>;

/** States in which rows of the file may be missing from the database. */
const readStates = `state in ('deleting', 'archived', 'restoring')`;

/** Path of a part's file. */
export const pathOf = (tenantId: string, { id, kind, month }: Pick<Part, 'id' | 'kind' | 'month'>): string =>
  `${tenantId}/${kind}/${month}/${id}.parquet`;

export async function listParts(tx: Tx): Promise<Part[]> {
  return select(tx, partColumns, 'from archived_parts where tenant_id = $1 order by month desc, kind, id desc', [
    tx.tenantId,
  ]);
}

export async function findPart(tx: Tx, id: string, lock: '' | 'for update' = ''): Promise<Part | null> {
  const [row] = await select(tx, partColumns, `from archived_parts where tenant_id = $1 and id = $2 ${lock}`, [
    tx.tenantId,
    id,
  ]);
  return row ?? null;
}

/** Returns parts in some of the states, oldest month first. */
export async function partsInState(tx: Tx, states: readonly PartState[]): Promise<Part[]> {
  return select(
    tx,
    partColumns,
    'from archived_parts where tenant_id = $1 and state = any($2::text[]) order by month, id',
    [tx.tenantId, states],
  );
}

/** Returns parts of a kind that overlap a range of ids, oldest first. If both ends are one id: parts that may hold it. */
export async function partsBetween(tx: Tx, kind: ArchiveKind['name'], from: string, to: string): Promise<Part[]> {
  return select(
    tx,
    partColumns,
    `from archived_parts where tenant_id = $1 and kind = $2 and last_id >= $3 and first_id <= $4 and ${readStates}
     order by first_id, id`,
    [tx.tenantId, kind, from, to],
  );
}

/** Returns months with rows that are only in files, oldest first. Null: no bound. */
export async function selectArchivedMonths(
  tx: Tx,
  kinds: readonly ArchiveKind['name'][],
  { from, to }: { readonly from: string | null; readonly to: string | null },
): Promise<string[]> {
  const rows = await tx.query<{ month: string }>(
    `select distinct to_char(month, 'YYYY-MM') as month from archived_parts
     where tenant_id = $1 and kind = any($2::text[]) and ($3::uuid is null or last_id >= $3)
       and ($4::uuid is null or first_id < $4) and ${readStates}
     order by 1`,
    [tx.tenantId, kinds, from, to],
  );
  return rows.map(({ month }) => month);
}

/** Returns months of history that were archived before an export wrote them, oldest first. */
export async function unexportedMonths(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ month: string }>(
    `select distinct to_char(month, 'YYYY-MM') as month from archived_parts
     where tenant_id = $1 and kind <> 'decisions' and not exported and ${readStates} order by 1`,
    [tx.tenantId],
  );
  return rows.map(({ month }) => month);
}

/** SQL: true when a file may hold the decision of this id. Both are parameters or columns, such as `$1`. */
export const decisionIsArchived = (tenantId: string, id: string): string =>
  `exists (select from archived_parts part where part.tenant_id = ${tenantId} and part.kind = 'decisions'
     and part.first_id <= ${id} and part.last_id >= ${id} and part.${readStates})`;

/** Returns the first id in the files of a kind; null without files. */
export async function firstArchivedId(tx: Tx, kind: ArchiveKind['name']): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    `select first_id as id from archived_parts
     where tenant_id = $1 and kind = $2 and first_id is not null and ${readStates} order by first_id limit 1`,
    [tx.tenantId, kind],
  );
  return row?.id ?? null;
}

/**
 * Waits for erasures that began before, and keeps new ones waiting until the transaction ends: none deletes rows that a new
 * part has read, or misses rows that a restore puts back.
 */
export async function waitForErasures(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('archive:' || $1::text, 0))`, [tx.tenantId]);
}

/** Restarts parts that are being written, and makes new ones wait until the transaction ends. */
export async function spoilDrafts(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(hashtextextended('archive:' || $1::text, 0))`, [tx.tenantId]);
  await tx.query(`update archived_parts set state = 'removing' where tenant_id = $1 and state = 'writing'`, [
    tx.tenantId,
  ]);
}

/** Marks parts for deletion whose rows are all older than an id. Returns the number of rows. */
export async function removeOlder(tx: Tx, kinds: readonly ArchiveKind['name'][], before: string): Promise<number> {
  const [row] = await tx.query<{ rows: number }>(
    `with due as (
       update archived_parts set state = 'removing'
       where tenant_id = $1 and kind = any($2::text[]) and last_id < $3 and state in ('archived', 'restored') returning rows)
     select coalesce(sum(rows), 0)::int as rows from due`,
    [tx.tenantId, kinds, before],
  );
  return row?.rows ?? 0;
}

/** Marks all files of the tenant for deletion. */
export async function removeAll(tx: Tx): Promise<void> {
  await tx.query(`update archived_parts set state = 'removing' where tenant_id = $1`, [tx.tenantId]);
}

export async function insertPart(
  tx: Tx,
  { id, kind, month, zone, exported }: Pick<Part, 'id' | 'kind' | 'month' | 'zone' | 'exported'>,
): Promise<void> {
  await tx.query(
    `insert into archived_parts (tenant_id, id, kind, month, zone, exported, state, created_at)
     values ($1, $2, $3, ($4 || '-01')::date, $5, $6, 'writing', $7)`,
    [tx.tenantId, id, kind, month, zone, exported, tx.now],
  );
}

/** Stores what the file holds and makes it readable. Returns false after an erasure: the file must not be used. */
export async function sealPart(
  tx: Tx,
  id: string,
  file: Pick<Part, 'firstId' | 'lastId' | 'rows' | 'bytes' | 'sha256' | 'rowsSha256'>,
): Promise<boolean> {
  const rows = await tx.query(
    `update archived_parts set state = 'deleting', first_id = $3, last_id = $4, rows = $5, bytes = $6, sha256 = $7,
       rows_sha256 = $8, verified_at = $9
     where tenant_id = $1 and id = $2 and state = 'writing' returning 1`,
    [tx.tenantId, id, file.firstId, file.lastId, file.rows, file.bytes, file.sha256, file.rowsSha256, tx.now],
  );
  return rows.length > 0;
}

/** Stores that another group is done, and which of its rows don't count. */
export async function noteGroup(tx: Tx, id: string, excluded: readonly string[]): Promise<void> {
  await tx.query(
    `update archived_parts set done_groups = done_groups + 1, excluded = excluded || $3::uuid[]
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, uuidArray(excluded)],
  );
}

/** The state in which a part must be. In any other, such as after a reset of the tenant, it stays as it is. */
const stateBefore = { archived: 'deleting', restoring: 'archived', restored: 'restoring' } as const;

export async function setState(tx: Tx, id: string, state: keyof typeof stateBefore): Promise<void> {
  await tx.query(
    `update archived_parts set state = $3, done_groups = 0,
       archived_at = case when $3 = 'archived' then $4 else archived_at end,
       restored_at = case when $3 = 'restored' then $4 else restored_at end
     where tenant_id = $1 and id = $2 and state = $5`,
    [tx.tenantId, id, state, tx.now, stateBefore[state]],
  );
}

/** Stores the problem that a verification found; null if none. */
export async function noteVerification(tx: Tx, id: string, problem: string | null): Promise<void> {
  await tx.query('update archived_parts set verified_at = $3, problem = $4 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    tx.now,
    problem,
  ]);
}

export async function deletePart(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from archived_parts where tenant_id = $1 and id = $2', [tx.tenantId, id]);
}
