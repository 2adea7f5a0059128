import type { OAuthClient } from '@arbiter/contract/identity/oauth';
import { oauthTexts as t } from '../../messages/access/oauth-clients.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Id } from '../../ui/copy.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table/table-column.ts';

function Created({ at }: { at: string }) {
  const format = useFormat();
  return (
    <time dateTime={at} title={format.instant(at)}>
      {format.moment(at)}
    </time>
  );
}

/** Columns of the list of OAuth clients. */
export const clientColumns = (
  onReplace: (client: OAuthClient) => void,
  onRevoke: (client: OAuthClient) => void,
): readonly Column<OAuthClient>[] => [
  {
    key: 'name',
    header: t.name,
    width: 200,
    grow: 2,
    cell: ({ name }) => <span className="truncate font-medium">{name}</span>,
    text: ({ name }) => name,
    sortBy: ({ name }) => name,
  },
  {
    key: 'clientId',
    header: t.clientId,
    width: 200,
    cell: ({ clientId }) => <Id id={clientId} what={t.clientId} />,
    text: ({ clientId }) => clientId,
  },
  {
    key: 'scopes',
    header: t.scopes,
    width: 180,
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
    key: 'made',
    header: t.created,
    width: 140,
    cell: ({ createdAt }) => <Created at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    sortBy: ({ createdAt }) => createdAt,
  },
  {
    key: 'acts',
    header: '',
    width: 180,
    grow: 0,
    align: 'end',
    cell: (client) => (
      <span className="flex justify-end gap-1.5">
        <Button size="small" onClick={() => onReplace(client)} aria-label={t.replaceAct(client.name)}>
          {t.replace}
        </Button>
        <Button size="small" kind="danger" onClick={() => onRevoke(client)} aria-label={t.revokeAct(client.name)}>
          {t.revoke}
        </Button>
      </span>
    ),
    text: null,
  },
];
