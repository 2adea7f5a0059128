import type { SqlBool } from 'kysely';
import { sql } from '../../../../db/sql.ts';
import type { ListOptions } from '../record-lists.store.ts';

/** List option: rows with one assignment that has this scope and this target, as far as given. */
export function assignedTo(filter: {
  readonly scope?: string | undefined;
  readonly scopeId?: string | undefined;
}): Pick<ListOptions, 'where'> {
  if (filter.scope === undefined && filter.scopeId === undefined) return {};
  const wanted = JSON.stringify([
    {
      ...(filter.scope === undefined ? {} : { scope: filter.scope }),
      ...(filter.scopeId === undefined ? {} : { scopeId: filter.scopeId.toLowerCase() }),
    },
  ]);
  return { where: [sql<SqlBool>`scopes @> ${wanted}::jsonb`] };
}
