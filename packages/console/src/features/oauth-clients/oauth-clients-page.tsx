import { type OAuthClient, oauthOperations } from '@arbiter/contract/identity/oauth';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { can } from '../../data/can.ts';
import { type ListAnswer, useMutate, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { ListTable } from '../../forms/list-table.tsx';
import { ListTools, ViewLinks } from '../../forms/list-tools.tsx';
import { NeedsRole } from '../../forms/needs-role.tsx';
import { useListLook } from '../../forms/use-list-look.ts';
import { oauthTexts as t } from '../../messages/access/oauth-clients.ts';
import { settingsTexts } from '../../messages/settings.ts';
import { addresses } from '../../route/addresses.ts';
import { useKeys } from '../../route/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ConfirmDialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Page } from '../../ui/page.tsx';
import { clientColumns } from './client-columns.tsx';
import { CreateClient } from './create-client.tsx';

const parents = [{ title: settingsTexts.title, to: addresses.settings() }];

/** OAuth clients: creates, replaces and revokes them. */
export function OAuthClientsPage() {
  const permission = can(oauthOperations.listClients);
  return permission.allowed ? (
    <Clients />
  ) : (
    <Page title={t.title} parents={parents}>
      <NeedsRole title={t.forAdmins} needs={permission.needs} />
    </Page>
  );
}

/** Lists the clients. The API returns them in one response, without pages. */
function useClients(): ListAnswer<OAuthClient> {
  const { data, ...answer } = useOperation(oauthOperations.listClients, {});
  const rows = data?.data ?? [];
  return {
    ...answer,
    rows,
    total: data?.total ?? null,
    complete: rows.length === data?.total,
    loadMore: () => undefined,
    loadingMore: false,
    restarted: false,
    waitsUntil: null,
    outdated: false,
  };
}

function Clients() {
  const list = useClients();
  const [isCreating, setCreating] = useState(false);
  const [replacing, setReplacing] = useState<OAuthClient | null>(null);
  const [revoking, setRevoking] = useState<OAuthClient | null>(null);
  const columns = useMemo(() => clientColumns(setReplacing, setRevoking), []);
  const look = useListLook(oauthOperations.listClients.id, columns, { defaultDensity: 'comfortable' });
  useKeys([{ keys: 'c', title: t.make, run: () => setCreating(true) }]);
  const createButton = (
    <Button kind="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setCreating(true)}>
      {t.make}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead} parents={parents} actions={createButton}>
      <div className="flex min-w-0 flex-col gap-3">
        <ListTools look={look} title={t.title} list={list} further={{ id: ({ id }) => id }} />
        <ViewLinks look={look} />
        <ListTable
          list={list}
          first
          operation={oauthOperations.listClients}
          label={t.title}
          columns={look.columns}
          sort={look.sort}
          onSort={look.onSort}
          rowKey={({ id }) => id}
          density={look.defaultDensity}
          empty={
            <Empty title={t.none} actions={createButton}>
              {t.noneText}
            </Empty>
          }
        />
      </div>
      {isCreating ? <CreateClient onClose={() => setCreating(false)} /> : null}
      {replacing === null ? null : <CreateClient replaces={replacing} onClose={() => setReplacing(null)} />}
      {revoking === null ? null : <Revoke client={revoking} onClose={() => setRevoking(null)} />}
    </Page>
  );
}

function Revoke({ client: { id, name }, onClose }: { client: OAuthClient; onClose: () => void }) {
  const { done, busy, failure } = useMutate(oauthOperations.revokeClient);
  const revoke = async () => {
    if (!(await done({ params: { id } }))) return;
    onClose();
    toast({ text: t.revoked(name) });
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t.revokeTitle(name)}
      act={t.revokeAct(name)}
      busy={busy}
      onConfirm={() => void revoke()}
    >
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={oauthOperations.revokeClient} retry={() => void revoke()} />
      )}
      <p>{t.revokeText}</p>
    </ConfirmDialog>
  );
}
