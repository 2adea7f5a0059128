import { maxFoundPerKind, type Resource, type SearchedKind } from '@arbiter/contract';
import { sql } from '../../../db/sql.ts';
import type { Tx } from '../../../db/tx.ts';
import type { Searchable } from '../../../feature.ts';
import { isUuid } from '../../../platform/ids.ts';
import { escapeLike, recordConditions } from './record-lists.store.ts';
import type { GovernedRow, RecordSpec } from './record-spec.ts';
import { anyTable, rowsOf } from './records.store.ts';

type SearchedResource = Resource & { readonly entityType: SearchedKind };

/** A resource that searches cover, with the properties that results show. */
interface SearchedRecord<Row extends GovernedRow> {
  /** Shown in place of `name` where it isn't null. */
  readonly title?: keyof Row & string;
  /** A property, or the name of the record that a property refers to. */
  readonly detail:
    | (keyof Row & string)
    | { readonly of: Pick<RecordSpec<GovernedRow>, 'table'>; readonly by: keyof Row & string };
}

/** Makes the live records of a resource searchable, with the conditions of its list's `search`. */
export function searchable<Row extends GovernedRow, R extends SearchedResource>(
  spec: RecordSpec<Row, R>,
  { title, detail }: SearchedRecord<Row>,
): Searchable {
  const { entityType } = spec.resource;
  const table: string = spec.table;
  const column = (name: string) => sql<string>`${sql.ref(`${table}.${name}`)}`;
  const shown = title === undefined ? column('name') : sql<string>`coalesce(${column(title)}, ${column('name')})`;
  const detailOf = (tx: Tx) =>
    typeof detail === 'string'
      ? column(detail)
      : sql<string>`(select parent.name from ${sql.table(detail.of.table)} parent
          where parent.tenant_id = ${tx.tenantId} and parent.id = ${column(detail.by)})`;
  return {
    entityType,
    async find(tx: Tx, text: string) {
      const options = isUuid(text) ? { filters: { id: text.toLowerCase() } } : { search: text };
      const query = anyTable(tx)
        .selectFrom(table)
        .select(['id', shown.as('name'), detailOf(tx).as('detail')])
        .where(recordConditions(tx, spec, options))
        .orderBy(sql`lower(${shown}) = lower(${text})`, 'desc')
        .orderBy(sql`${shown} ilike ${`${escapeLike(text)}%`}`, 'desc')
        .orderBy(sql`${shown} collate "C"`)
        .orderBy('id')
        .limit(maxFoundPerKind);
      const rows = await rowsOf<{ id: string; name: string; detail: string }>(tx, query);
      return rows.map((row) => ({ entityType, ...row }));
    },
  };
}
