import { type ApiKey, apiKeyOperations } from '@arbiter/contract/identity/api-keys';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { can } from '../../data/can.ts';
import { useList, useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { ListTable } from '../../forms/list-table.tsx';
import { ListTools, ViewLinks } from '../../forms/list-tools.tsx';
import { NeedsRole } from '../../forms/needs-role.tsx';
import { lookAt, peekGrid } from '../../forms/peek.ts';
import { useListLook } from '../../forms/use-list-look.ts';
import { settingsTexts, apiKeyTexts as t } from '../../messages/settings.ts';
import { addresses } from '../../route/addresses.ts';
import { ListAddress } from '../../route/list-address.ts';
import { useSearch } from '../../route/use-address.ts';
import { useKeys } from '../../route/use-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { later } from '../../ui/later.tsx';
import { Page } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table-column.ts';
import { toast } from '../../ui/toast.tsx';
import { MakeKey } from './make-key.tsx';

const RowPeek = later(() => import('../../forms/row-peek.tsx').then((module) => module.RowPeek));

/** API keys: names, permissions and last use. Create and revoke them here. */
export function ApiKeysPage() {
  const permission = can(apiKeyOperations.list);
  const list = useList(apiKeyOperations.list, { query: { limit: 100 } }, { enabled: permission.allowed });
  const [making, setMaking] = useState(false);
  const [doomed, setDoomed] = useState<ApiKey | null>(null);
  const { done, busy, failure, clear } = useMutate(apiKeyOperations.revoke);
  const revoke = async () => {
    if (doomed === null) return;
    if (!(await done({ params: { id: doomed.id }, body: {} }))) return;
    setDoomed(null);
    toast({ text: t.revoked(doomed.name) });
  };
  const columns = useMemo(() => keyColumns(setDoomed), []);
  const [{ peek }, changePlace] = useSearch(ListAddress);
  const peeked = list.rows.find(({ id }) => id === peek);
  const look = useListLook(apiKeyOperations.list.id, columns, { usualDensity: 'comfortable' });
  useKeys(permission.allowed ? [{ keys: 'c', title: t.make, run: () => setMaking(true) }] : []);
  const make = (
    <Button kind="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setMaking(true)}>
      {t.make}
    </Button>
  );
  if (!permission.allowed) {
    return (
      <Page title={t.title} parents={[{ title: settingsTexts.title, to: addresses.settings() }]}>
        <NeedsRole title={t.forAdmins} needs={permission.needs} />
      </Page>
    );
  }
  return (
    <Page
      title={t.title}
      lead={t.lead}
      parents={[{ title: settingsTexts.title, to: addresses.settings() }]}
      actions={make}
    >
      <div className="flex min-w-0 flex-col gap-3">
        <ListTools look={look} title={t.title} list={list} further={{ id: ({ id }) => id }} />
        <ViewLinks look={look} />
        <div className={peekGrid}>
          <ListTable
            list={list}
            operation={apiKeyOperations.list}
            label={t.title}
            columns={look.columns}
            sort={look.sort}
            onSort={look.onSort}
            rowKey={({ id }) => id}
            onPeek={({ id }) => changePlace({ peek: id })}
            density={look.usualDensity}
            empty={
              <Empty title={t.none} actions={make}>
                {t.noneText}
              </Empty>
            }
          />
          {peek === undefined || list.loading ? null : (
            <RowPeek
              of={peek}
              shown={peeked === undefined ? null : lookAt(columns, peeked)}
              complete={list.complete}
              title={t.title}
              id={peek}
              to={null}
              onClose={() => changePlace({ peek: undefined })}
            />
          )}
        </div>
      </div>
      {making ? <MakeKey onClose={() => setMaking(false)} /> : null}
      <ConfirmDialog
        open={doomed !== null}
        onOpenChange={() => {
          clear();
          setDoomed(null);
        }}
        title={t.revokeTitle(doomed?.name ?? '')}
        act={t.revokeAct(doomed?.name ?? '')}
        busy={busy}
        onConfirm={revoke}
      >
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={apiKeyOperations.revoke} retry={() => void revoke()} />
        )}
        <p>{t.revokeText}</p>
      </ConfirmDialog>
    </Page>
  );
}

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

const keyColumns = (revoke: (key: ApiKey) => void): readonly Column<ApiKey>[] => [
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
    width: 100,
    grow: 0,
    align: 'end',
    cell: (row) => (
      <Button size="small" kind="danger" onClick={() => revoke(row)} aria-label={t.revokeAct(row.name)}>
        {t.revoke}
      </Button>
    ),
    text: null,
  },
];
