import { columns, computed, expression, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';

const versions = table<'record_versions', { body: Readonly<Record<string, unknown>> }>('record_versions');

const recordColumns = selectList(
  columns(versions, ['entityType', 'entityId', 'version', 'body', 'deleted']),
  computed({ configVersion: expression<number>('config_version::float8') }),
);

/**
 * A governed record as it was. `body`: the columns of its row under their names in the database, as `jsonb_populate_record`
 * takes them; `configVersion`: the catalogue's number since which it was so.
 */
export type HistoricRecord = RowOf<typeof recordColumns>;

/** ISO text says microseconds, a Date milliseconds; changes may lie microseconds apart. */
export type Instant = Date | string;

/** The newest number at an instant, and the first that the history knows. */
export async function selectNumberAt(
  tx: Tx,
  instant: Instant,
): Promise<{ readonly number: number | null; readonly first: number | null }> {
  const [row] = await tx.query<{ number: number | null; first: number | null }>(
    `select (select config_version::float8 from arbiter.catalogue_log where tenant_id = $1 and committed_at <= $2
              order by committed_at desc limit 1) as number,
            (select config_version::float8 from arbiter.catalogue_log where tenant_id = $1
              order by config_version limit 1) as first`,
    [tx.tenantId, instant],
  );
  return row ?? { number: null, first: null };
}

/** The last state of each record up to a number, without those that were deleted in it. */
export async function selectRecordsAt(
  tx: Tx,
  configVersion: number,
  types: readonly string[] | null,
): Promise<HistoricRecord[]> {
  return select(
    tx,
    recordColumns,
    `from (
       select distinct on (entity_type, entity_id) * from arbiter.record_versions
        where tenant_id = $1 and config_version <= $2 and ($3::text[] is null or entity_type = any($3::text[]))
        order by entity_type, entity_id, number desc) newest
      where not deleted order by entity_type, entity_id`,
    [tx.tenantId, configVersion, types],
  );
}

export async function selectRecordAt(
  tx: Tx,
  type: string,
  id: string,
  configVersion: number,
): Promise<HistoricRecord | null> {
  const [row] = await select(
    tx,
    recordColumns,
    `from arbiter.record_versions
      where tenant_id = $1 and entity_type = $2 and entity_id = $3 and config_version <= $4 order by number desc limit 1`,
    [tx.tenantId, type, id, configVersion],
  );
  return row ?? null;
}

const versionColumns = selectList(
  columns(versions, ['version', 'body', 'deleted'], 'v'),
  computed({
    committedAt: expression<Date>('l.committed_at'),
    actor: expression<string>('l.actor'),
  }),
);

/** One version of a record: its last state under that number, when that was committed, and by whom. */
export type StoredVersion = RowOf<typeof versionColumns>;

// A repair by hand changes a record and not its number; the number then stands for the last of its states.
const lastStates = `(
  select distinct on (version) * from arbiter.record_versions
   where tenant_id = $1 and entity_type = $2 and entity_id = $3 order by version, number desc) v
  join arbiter.catalogue_log l on l.tenant_id = $1 and l.config_version = v.config_version`;

/** The versions of a record below a number (null: from the newest), newest first. */
export async function selectVersions(
  tx: Tx,
  type: string,
  id: string,
  page: { readonly below: number | null; readonly limit: number },
): Promise<StoredVersion[]> {
  return select(
    tx,
    versionColumns,
    `from ${lastStates} where $4::int is null or v.version < $4 order by v.version desc limit $5`,
    [tx.tenantId, type, id, page.below, page.limit],
  );
}

/** These versions of a record, as far as they are kept. */
export async function selectVersionsNumbered(
  tx: Tx,
  type: string,
  id: string,
  numbers: readonly number[],
): Promise<StoredVersion[]> {
  return select(tx, versionColumns, `from ${lastStates} where v.version = any($4::int[])`, [
    tx.tenantId,
    type,
    id,
    numbers,
  ]);
}

export async function countVersions(tx: Tx, type: string, id: string): Promise<number> {
  const [row] = await tx.query<{ total: number }>(
    `select count(distinct version)::int as total from arbiter.record_versions
      where tenant_id = $1 and entity_type = $2 and entity_id = $3`,
    [tx.tenantId, type, id],
  );
  return row?.total ?? 0;
}

/** Deletes the versions of all records but of those that a reset leaves: settings, and the outcome types that are there. */
export async function forgetRecordVersions(tx: Tx): Promise<void> {
  await tx.query("select arbiter.empty_history('record_versions')");
}
