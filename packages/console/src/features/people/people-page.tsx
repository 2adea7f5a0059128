import { type User, userOperations, userRoles, userStatuses } from '@arbiter/contract/identity/users';
import { UserPlus } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { boot } from '../../data/boot.ts';
import { can } from '../../data/can.ts';
import { useList } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { cleared, filterNames, ListFilters } from '../../forms/list-filters.tsx';
import { ListTable } from '../../forms/list-table.tsx';
import { ListTools, ViewLinks } from '../../forms/list-tools.tsx';
import { NeedsRole } from '../../forms/needs-role.tsx';
import { useListLook } from '../../forms/use-list-look.ts';
import { peopleTexts as t } from '../../messages/access/people.ts';
import { settingsTexts } from '../../messages/settings.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { useKeys } from '../../route/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { ChangeRole } from './change-role.tsx';
import { ResetFactor, Withdraw } from './confirm-person.tsx';
import { Deactivate } from './deactivate.tsx';
import { Invite } from './invite.tsx';
import { personColumns } from './person-columns.tsx';
import type { PersonAct } from './person-menu.tsx';
import { isQuickAct, type QuickAct, useQuickActs } from './quick-acts.ts';

type AskedAct = Exclude<PersonAct, QuickAct>;

const parents = [{ title: settingsTexts.title, to: addresses.settings() }];

const choices = [
  { key: 'role', label: t.role, options: userRoles.map((value) => ({ value, label: t.roles[value] })) },
  { key: 'status', label: t.status, options: userStatuses.map((value) => ({ value, label: t.statuses[value] })) },
];

/** ID of the signed-in user; empty for others. */
function ownId(): string {
  const block = boot();
  return block.authenticated ? (block.session.principal?.id ?? '') : '';
}

/** Lists the people of the tenant. Admins invite them and change their access. */
export function PeoplePage() {
  const permission = can(userOperations.list);
  return permission.allowed ? (
    <People />
  ) : (
    <Page title={t.title} parents={parents}>
      <NeedsRole title={t.forAdmins} needs={permission.needs} />
    </Page>
  );
}

function People() {
  const [search, change] = useSearch(userOperations.list.query);
  const list = useList(userOperations.list, { query: { ...search, limit: 100 } });
  const [isInviting, setInviting] = useState(false);
  const [asked, setAsked] = useState<{ readonly act: AskedAct; readonly user: User } | null>(null);
  const quick = useQuickActs();
  const { run } = quick;
  const me = ownId();
  const onAct = useCallback(
    (act: PersonAct, user: User) => (isQuickAct(act) ? void run(act, user) : setAsked({ act, user })),
    [run],
  );
  const columns = useMemo(() => personColumns(me, onAct), [me, onAct]);
  const look = useListLook(userOperations.list.id, columns, { defaultDensity: 'comfortable' });
  useKeys([{ keys: 'c', title: t.invite, run: () => setInviting(true) }]);
  const inviteButton = (
    <Button kind="primary" icon={<UserPlus aria-hidden className="size-4" />} onClick={() => setInviting(true)}>
      {t.invite}
    </Button>
  );
  const clear = () => change(cleared(search), { push: true });
  return (
    <Page title={t.title} lead={t.lead} parents={parents} actions={inviteButton}>
      <div className="flex min-w-0 flex-col gap-3">
        <ListFilters title={t.title} filters={search} choices={choices} hasDeleted={false} onFilter={change}>
          <ListTools look={look} title={t.title} list={list} further={{ id: ({ id }) => id }} />
        </ListFilters>
        <ViewLinks look={look} />
        <ListTable
          list={list}
          operation={userOperations.list}
          label={t.title}
          columns={look.columns}
          sort={look.sort}
          onSort={look.onSort}
          rowKey={({ id }) => id}
          density={look.defaultDensity}
          filtered={filterNames(search).length > 0}
          empty={
            <Empty title={t.none} actions={inviteButton}>
              {t.noneText}
            </Empty>
          }
          filteredEmpty={<Empty title={t.noneFiltered} actions={<Button onClick={clear}>{t.clear}</Button>} />}
        />
      </div>
      {isInviting ? <Invite onClose={() => setInviting(false)} /> : null}
      {asked === null ? null : <Act {...asked} isMe={asked.user.id === me} onClose={() => setAsked(null)} />}
      {quick.failure === null ? null : (
        <Dialog open onOpenChange={quick.clear} title={t.notDone} width="narrow">
          <FailurePanel failure={quick.failure} operation={quick.operation} retry={null} />
        </Dialog>
      )}
    </Page>
  );
}

interface ActProps {
  readonly act: AskedAct;
  readonly user: User;
  readonly isMe: boolean;
  readonly onClose: () => void;
}

function Act({ act, ...rest }: ActProps) {
  switch (act) {
    case 'role':
      return <ChangeRole {...rest} />;
    case 'deactivate':
      return <Deactivate {...rest} />;
    case 'withdraw':
      return <Withdraw {...rest} />;
    case 'factor':
      return <ResetFactor {...rest} />;
  }
}
