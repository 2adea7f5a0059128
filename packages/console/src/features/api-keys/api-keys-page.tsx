import { type ApiKey, apiKeyOperations } from '@arbiter/contract/identity/api-keys';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { can } from '../../data/can.ts';
import { useList } from '../../data/use-operation.ts';
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
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { later } from '../../ui/later.tsx';
import { Page } from '../../ui/page.tsx';
import { apiKeyColumns } from './api-key-columns.tsx';
import { CreateKey } from './create-key.tsx';
import { RevokeKey } from './revoke-key.tsx';

const RowPeek = later(() => import('../../forms/row-peek.tsx').then((module) => module.RowPeek));

/** API keys: names, permissions and last use. Create and revoke them here. */
export function ApiKeysPage() {
  const permission = can(apiKeyOperations.list);
  const list = useList(apiKeyOperations.list, { query: { limit: 100 } }, { enabled: permission.allowed });
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const [replacing, setReplacing] = useState<ApiKey | null>(null);
  const columns = useMemo(() => apiKeyColumns(setReplacing, setRevoking), []);
  const [{ peek }, changePlace] = useSearch(ListAddress);
  const peeked = list.rows.find(({ id }) => id === peek);
  const look = useListLook(apiKeyOperations.list.id, columns, { defaultDensity: 'comfortable' });
  useKeys(permission.allowed ? [{ keys: 'c', title: t.make, run: () => setCreating(true) }] : []);
  const createButton = (
    <Button kind="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setCreating(true)}>
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
      actions={createButton}
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
            density={look.defaultDensity}
            empty={
              <Empty title={t.none} actions={createButton}>
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
      {isCreating ? <CreateKey onClose={() => setCreating(false)} /> : null}
      {replacing === null ? null : <CreateKey replaces={replacing} onClose={() => setReplacing(null)} />}
      {revoking === null ? null : <RevokeKey apiKey={revoking} onClose={() => setRevoking(null)} />}
    </Page>
  );
}
