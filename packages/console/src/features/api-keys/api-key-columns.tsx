import type { ApiKey } from '@arbiter/contract/identity/api-keys';
import { apiKeyTexts as t } from '../../messages/settings.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table/table-column.ts';

function Moment({ at, none }: { at: string | null; none: string }) {
  const format = useFormat();
  return at === null ? (
    <span className="text-faint">{none}</span>
  ) : (
    <time dateTime={at} title={format.instant(at)}>
      {format.moment(at)}
    </time>
  );
}

/** Columns of the list of API keys. */
export const apiKeyColumns = (
  onReplace: (key: ApiKey) => void,
  onRevoke: (key: ApiKey) => void,
): readonly Column<ApiKey>[] => [
  {
    key: 'name',
    header: t.name,
    width: 220,
    grow: 2,
    cell: ({ name }) => <span className="font-medium">{name}</span>,
    text: ({ name }) => name,
    sortBy: ({ name }) => name,
  },
  {
    key: 'prefix',
    header: t.prefix,
    width: 130,
    cell: ({ prefix }) => <span className="font-mono text-caption">{prefix}</span>,
    text: ({ prefix }) => prefix,
  },
  {
    key: 'scopes',
    header: t.scopes,
    width: 220,
    cell: ({ scopes }) => (
      <span className="flex gap-1">
        {scopes.map((scope) => (
          <Badge key={scope} tone="neutral">
            {scope}
          </Badge>
        ))}
      </span>
    ),
    text: ({ scopes }) => scopes.join(', '),
  },
  {
    key: 'used',
    header: t.lastUsed,
    width: 140,
    cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} none={t.never} />,
    text: ({ lastUsedAt }) => lastUsedAt ?? t.never,
    sortBy: ({ lastUsedAt }) => lastUsedAt,
  },
  {
    key: 'ends',
    header: t.endsAt,
    width: 140,
    cell: ({ expiresAt }) => <Moment at={expiresAt} none={t.noEnd} />,
    text: ({ expiresAt }) => expiresAt ?? t.noEnd,
    sortBy: ({ expiresAt }) => expiresAt,
  },
  {
    key: 'made',
    header: t.created,
    width: 140,
    cell: ({ createdAt }) => <Moment at={createdAt} none="" />,
    text: ({ createdAt }) => createdAt,
    sortBy: ({ createdAt }) => createdAt,
  },
  {
    key: 'revoke',
    header: '',
    width: 180,
    grow: 0,
    align: 'end',
    cell: (row) => (
      <span className="flex justify-end gap-1.5">
        <Button size="small" onClick={() => onReplace(row)} aria-label={t.replaceAct(row.name)}>
          {t.replace}
        </Button>
        <Button size="small" kind="danger" onClick={() => onRevoke(row)} aria-label={t.revokeAct(row.name)}>
          {t.revoke}
        </Button>
      </span>
    ),
    text: null,
  },
];
