import type { AuditAction, AuditLog } from '@arbiter/contract';
import { columns, computed, expression, select, selectList, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { type ChainHead, genesisHash } from './audit.chain.ts';

const auditLogs = table<'audit_logs', { action: AuditAction; changes: AuditLog['changes'] }>('audit_logs');

// In `order by`, a bare name means this list's column: a cast one that no index is sorted by. Statements that sort use
// `logs.sequence`; otherwise each page would sort the whole chain.
const logColumns = selectList(
  columns(auditLogs, [
    'id',
    'tenantId',
    'userId',
    'userName',
    'requestId',
    'action',
    'entityType',
    'entityId',
    'entityName',
    'entityVersion',
    'changes',
    'before',
    'after',
    'prevHash',
    'integrityHash',
  ]),
  computed({
    sequence: expression<number>('sequence::float8'),
    timestamp: expression<string>(`to_char(timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`),
  }),
);

/** Locks the end of the tenant's chain until the transaction ends; makes it for the first row of a tenant. */
export async function lockHead(tx: Tx): Promise<ChainHead> {
  const read = 'select sequence::float8 as sequence, hash from arbiter.audit_heads where tenant_id = $1 for update';
  const [head] = await tx.query<ChainHead>(read, [tx.tenantId]);
  if (head !== undefined) return head;
  const [made] = await tx.query<ChainHead>(
    `insert into arbiter.audit_heads as head (tenant_id, sequence, hash) values ($1, 0, $2)
     on conflict (tenant_id) do update set sequence = head.sequence
     returning sequence::float8 as sequence, hash`,
    [tx.tenantId, genesisHash],
  );
  if (made === undefined) throw new Error('the audit head was not found and could not be created');
  return made;
}

/** Appends linked rows and moves the head, in one statement. The head must be locked. */
export async function appendRows(tx: Tx, rows: readonly AuditLog[], head: ChainHead): Promise<void> {
  await tx.query(
    `with appended as (
       insert into arbiter.audit_logs (tenant_id, id, sequence, timestamp, user_id, user_name, request_id, action,
         entity_type, entity_id, entity_name, entity_version, changes, before, after, prev_hash, integrity_hash)
       select $1, id, sequence, timestamp, "userId", "userName", "requestId", action,
         "entityType", "entityId", "entityName", "entityVersion", changes, before, after, "prevHash", "integrityHash"
       from jsonb_to_recordset($2::jsonb) as row_ (id uuid, sequence bigint, timestamp timestamptz,
         "userId" text, "userName" text, "requestId" text, action text, "entityType" text, "entityId" text,
         "entityName" text, "entityVersion" integer, changes jsonb, before jsonb, after jsonb,
         "prevHash" text, "integrityHash" text)
     )
     update arbiter.audit_heads set sequence = $3, hash = $4 where tenant_id = $1`,
    [tx.tenantId, JSON.stringify(rows), head.sequence, head.hash],
  );
}

/** Filters of a list of audit rows. Instants are half-open, [from, to). */
export interface AuditFilter {
  readonly entityType: string | null;
  readonly entityId: string | null;
  readonly action: string | null;
  readonly userId: string | null;
  readonly from: Date | null;
  readonly to: Date | null;
}

const matches = `tenant_id = $1 and ($2::text is null or entity_type = $2) and ($3::text is null or entity_id = $3)
  and ($4::text is null or action = $4) and ($5::text is null or user_id = $5)
  and ($6::timestamptz is null or timestamp >= $6) and ($7::timestamptz is null or timestamp < $7)`;

const filterValues = (tx: Tx, filter: AuditFilter) => [
  tx.tenantId,
  filter.entityType,
  filter.entityId,
  filter.action,
  filter.userId,
  filter.from?.toISOString() ?? null,
  filter.to?.toISOString() ?? null,
];

/** Rows newest first, below `beforeSequence` when it is given. */
export async function selectNewest(
  tx: Tx,
  filter: AuditFilter,
  beforeSequence: number | null,
  limit: number,
): Promise<AuditLog[]> {
  return select(
    tx,
    logColumns,
    `from arbiter.audit_logs logs
     where ${matches} and ($8::bigint is null or sequence < $8) order by logs.sequence desc limit $9`,
    [...filterValues(tx, filter), beforeSequence, limit],
  );
}

/** Rows behind the newest one of an entity in the chain, oldest first. */
export async function selectAfter(tx: Tx, entityType: string, entityId: string, limit: number): Promise<AuditLog[]> {
  return select(
    tx,
    logColumns,
    `from arbiter.audit_logs logs
     where tenant_id = $1 and sequence > (
       select max(sequence) from arbiter.audit_logs where tenant_id = $1 and entity_type = $2 and entity_id = $3
     ) order by logs.sequence limit $4`,
    [tx.tenantId, entityType, entityId, limit],
  );
}

/** The newest row of an entity in the chain. */
export async function selectLastOf(tx: Tx, entityType: string, entityId: string): Promise<AuditLog | undefined> {
  const [row] = await select(
    tx,
    logColumns,
    `from arbiter.audit_logs logs
     where tenant_id = $1 and entity_type = $2 and entity_id = $3 order by logs.sequence desc limit 1`,
    [tx.tenantId, entityType, entityId],
  );
  return row;
}

/**
 * Deletes rows from before an instant at the start of the chain, `most` at most. Runs as the owner. Returns their number
 * and the last of them; null if none is that old.
 */
export async function cutRows(tx: Tx, before: Date, most: number): Promise<(ChainHead & { rows: number }) | null> {
  const [row] = await tx.query<ChainHead & { rows: number }>(
    'select rows::float8 as rows, sequence::float8 as sequence, hash from arbiter.cut_audit_logs($1, $2)',
    [before, most],
  );
  return row ?? null;
}

/** Holds anchoring against other processes until the system transaction ends. */
export async function holdAnchors(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.audit.anchor', 0))`);
}

/** The end of the tenant's chain; null before its first row. */
export async function selectHead(tx: Tx): Promise<ChainHead | null> {
  const [head] = await tx.query<ChainHead>(
    'select sequence::float8 as sequence, hash from arbiter.audit_heads where tenant_id = $1',
    [tx.tenantId],
  );
  return head ?? null;
}

export async function countMatching(tx: Tx, filter: AuditFilter): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::float8 as count from arbiter.audit_logs where ${matches}`,
    filterValues(tx, filter),
  );
  return row?.count ?? 0;
}

export async function selectById(tx: Tx, id: string): Promise<AuditLog | undefined> {
  const [row] = await select(tx, logColumns, 'from arbiter.audit_logs where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
  ]);
  return row;
}

/**
 * The next rows of the chain in its order, from `fromSequence` to `toSequence` (both inclusive): at most `limit`, and
 * none after `bytes` are reached, as the rows are stored. The size counts because one record may be a megabyte.
 */
export async function selectChain(
  tx: Tx,
  fromSequence: number,
  toSequence: number,
  limit: number,
  bytes: number,
): Promise<AuditLog[]> {
  return select(
    tx,
    logColumns,
    `from (
       select *, sum(pg_column_size(changes) + coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0))
                 over (order by sequence rows between unbounded preceding and 1 preceding) as bytes_before
         from arbiter.audit_logs
        where tenant_id = $1 and sequence between $2 and $3 order by sequence limit $4
     ) logs
     where bytes_before is null or bytes_before < $5 order by logs.sequence`,
    [tx.tenantId, fromSequence, toSequence, limit, bytes],
  );
}

/** ID and stored hash of one row of the chain; undefined if the row doesn't exist. */
export async function selectLink(tx: Tx, sequence: number): Promise<{ id: string; hash: string } | undefined> {
  const link = selectList(columns(auditLogs, ['id']), computed({ hash: expression<string>('integrity_hash') }));
  const [row] = await select(tx, link, 'from arbiter.audit_logs where tenant_id = $1 and sequence = $2', [
    tx.tenantId,
    sequence,
  ]);
  return row;
}

/** The audit row of the change that made a version of a record. */
export interface VersionChange {
  readonly version: number;
  readonly action: AuditAction;
  readonly userId: string;
  readonly timestamp: Date;
}

/** Returns the changes that made these versions of a record, as far as the log still has them. */
export async function selectVersionChanges(
  tx: Tx,
  entityType: string,
  entityId: string,
  versions: readonly number[],
): Promise<VersionChange[]> {
  // A mandate has a row of its own, next to the change that gave it.
  return tx.query<VersionChange>(
    `select distinct on (entity_version) entity_version as version, action, user_id as "userId", timestamp
       from arbiter.audit_logs
      where tenant_id = $1 and entity_type = $2 and entity_id = $3 and entity_version = any($4::int[])
      order by entity_version, action = 'mandatory_override', audit_logs.sequence`,
    [tx.tenantId, entityType, entityId, versions],
  );
}

/** Noted head, true last sequence and number of rows, as of one instant. */
export async function selectChainEnds(tx: Tx): Promise<ChainHead & { lastSequence: number; total: number }> {
  const [row] = await tx.query<ChainHead & { lastSequence: number; total: number }>(
    `select coalesce(head.sequence, 0)::float8 as sequence, coalesce(head.hash, $2) as hash,
       rows_.last::float8 as "lastSequence", rows_.total::float8 as total
     from (select coalesce(max(sequence), 0) as last, count(*) as total from arbiter.audit_logs where tenant_id = $1) rows_
     left join arbiter.audit_heads head on head.tenant_id = $1`,
    [tx.tenantId, genesisHash],
  );
  if (row === undefined) throw new Error('an aggregate has one row');
  return row;
}
