import { listTexts as t } from '../messages/lists/lists.ts';
import { Link } from '../ui/link.tsx';
import { useFormat } from '../ui/provider.tsx';
import type { Column } from '../ui/table/table-column.ts';
import { StatusBadge } from './status-badge.tsx';

// Columns that several record types share, so that they look and sort the same in each list.

/** A sortable text column; `width` in px. `fixed`: gets none of the remaining width. */
export const wordColumn = <Row,>(
  key: string,
  header: string,
  of: (row: Row) => string,
  width: number,
  how: 'fixed' | 'grows' = 'fixed',
): Column<Row> => ({ key, header, cell: of, text: of, sortBy: of, width, grow: how === 'fixed' ? 0 : 1 });

/** The same for keys and other machine-readable values. */
export const codeColumn = <Row,>(...of: Parameters<typeof wordColumn<Row>>): Column<Row> => {
  const column = wordColumn(...of);
  return { ...column, cell: (row) => <code className="text-caption">{column.cell(row)}</code> };
};

/** A sortable column of integers; `width` in px. */
export const countColumn = <Row,>(key: string, header: string, of: (row: Row) => number, width = 80): Column<Row> => ({
  key,
  header,
  cell: of,
  text: of,
  sortBy: of,
  align: 'end',
  width,
  grow: 0,
});

interface MayBeDeleted {
  readonly deletedAt?: string | null;
}

/** A name, marked if the record is deleted: the first column is always visible. */
function NamedCell({ name, deletedAt }: MayBeDeleted & { readonly name: string }) {
  if ((deletedAt ?? null) === null) return name;
  return (
    <span className="inline-flex max-w-full items-center gap-2 align-middle">
      <span className="truncate">{name}</span>
      <StatusBadge status="" deleted />
    </span>
  );
}

/** The record's name; `width` in px. */
export const nameColumn = (width = 220): Column<MayBeDeleted & { readonly name: string }> => ({
  ...wordColumn<MayBeDeleted & { readonly name: string }>('name', t.name, ({ name }) => name, width, 'grows'),
  cell: (row) => <NamedCell name={row.name} deletedAt={row.deletedAt ?? null} />,
});

export const statusColumn: Column<{ readonly status: string }> = {
  key: 'status',
  header: t.status,
  cell: ({ status }) => <StatusBadge status={status} />,
  text: ({ status }) => status,
  sortBy: ({ status }) => status,
  corner: true,
  width: 110,
  grow: 0,
};

export const priorityColumn = countColumn<{ readonly priority: number }>(
  'priority',
  t.priority,
  ({ priority }) => priority,
  90,
);

/** The record's key; `width` in px. */
export const keyColumn = (width: number) =>
  codeColumn<{ readonly key: string }>('key', t.key, ({ key }) => key, width, 'grows');

function Moment({ at }: { readonly at: string }) {
  const format = useFormat();
  return (
    <time dateTime={at} title={format.instant(at)} className="text-soft">
      {format.moment(at)}
    </time>
  );
}

export const changedColumn: Column<{ readonly updatedAt: string }> = {
  key: 'changed',
  header: t.changed,
  cell: ({ updatedAt }) => <Moment at={updatedAt} />,
  text: ({ updatedAt }) => updatedAt,
  sortBy: ({ updatedAt }) => updatedAt,
  width: 155,
  grow: 0,
};

/** Number of creatives of the record, linked to them. */
export const creativesColumn = (
  header: string,
  to: (id: string) => string,
): Column<{ readonly id: string; readonly creatives: readonly unknown[] }> => ({
  key: 'creatives',
  header,
  cell: ({ id, creatives }) => (
    <Link to={to(id)} aria-label={t.creativesOf(creatives.length)}>
      {creatives.length}
    </Link>
  ),
  text: ({ creatives }) => creatives.length,
  sortBy: ({ creatives }) => creatives.length,
  align: 'end',
  width: 100,
  grow: 0,
});

/** Link to the decisions that involve the record. */
export const decisionsColumn = (
  to: (id: string) => string,
): Column<{ readonly id: string; readonly name: string }> => ({
  key: 'decisions',
  header: t.decisions,
  cell: ({ id, name }) => (
    <Link to={to(id)} aria-label={t.decisionsOf(name)}>
      {t.open}
    </Link>
  ),
  text: null,
  width: 100,
  grow: 0,
});
