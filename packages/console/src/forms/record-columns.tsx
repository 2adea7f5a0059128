import { listTexts as t } from '../messages/lists.ts';
import { Link } from '../ui/link.tsx';
import { useFormat } from '../ui/provider.tsx';
import type { Column } from '../ui/table-column.ts';
import { StatusBadge } from './status-badge.tsx';

// Columns that records of several kinds have, so that they look and sort the same in each list.

/** The name; `width` in px. */
export const nameColumn = (width = 220): Column<{ readonly name: string }> => ({
  key: 'name',
  header: t.name,
  cell: ({ name }) => name,
  sortBy: ({ name }) => name,
  width,
});

export const statusColumn: Column<{ readonly status: string }> = {
  key: 'status',
  header: t.status,
  cell: ({ status }) => <StatusBadge status={status} />,
  sortBy: ({ status }) => status,
  corner: true,
  width: 110,
  grow: 0,
};

export const priorityColumn: Column<{ readonly priority: number }> = {
  key: 'priority',
  header: t.priority,
  cell: ({ priority }) => priority,
  sortBy: ({ priority }) => priority,
  align: 'end',
  width: 90,
  grow: 0,
};

/** The key by which programs name the record; `width` in px. */
export const keyColumn = (width: number): Column<{ readonly key: string }> => ({
  key: 'key',
  header: t.key,
  cell: ({ key }) => <code className="text-caption">{key}</code>,
  sortBy: ({ key }) => key,
  width,
});

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
  sortBy: ({ updatedAt }) => updatedAt,
  width: 130,
  grow: 0,
};

/** How many creatives the record has, as a link to them. */
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
  sortBy: ({ creatives }) => creatives.length,
  align: 'end',
  width: 100,
  grow: 0,
});

/** The way to the decisions in which the record plays a part. */
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
  width: 100,
  grow: 0,
});
