import { type User, userOperations } from '@arbiter/contract/identity/users';
import { useMemo, useState } from 'react';
import { can } from '../../data/can.ts';
import { useList } from '../../data/use-operation.ts';
import { ListTable } from '../../forms/list-table.tsx';
import { ListTools, ViewLinks } from '../../forms/list-tools.tsx';
import { NeedsRole } from '../../forms/needs-role.tsx';
import { useListLook } from '../../forms/use-list-look.ts';
import { peopleTexts as t } from '../../messages/people.ts';
import { settingsTexts } from '../../messages/settings.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Deactivate } from './deactivate.tsx';

const parents = [{ title: settingsTexts.title, to: addresses.settings() }];

/** The people of the tenant; whoever leaves is deactivated here, and what they own is handed over. */
export function PeoplePage() {
  const permission = can(userOperations.list);
  const list = useList(userOperations.list, { query: { limit: 100 } }, { enabled: permission.allowed });
  const [leaving, setLeaving] = useState<User | null>(null);
  const columns = useMemo(() => peopleColumns(setLeaving), []);
  const look = useListLook(userOperations.list.id, columns, { usualDensity: 'comfortable' });
  if (!permission.allowed) {
    return (
      <Page title={t.title} parents={parents}>
        <NeedsRole title={t.forAdmins} needs={permission.needs} />
      </Page>
    );
  }
  return (
    <Page title={t.title} lead={t.lead} parents={parents}>
      <div className="flex min-w-0 flex-col gap-3">
        <ListTools look={look} title={t.title} list={list} further={{ id: ({ id }) => id }} />
        <ViewLinks look={look} />
        <ListTable
          list={list}
          operation={userOperations.list}
          label={t.title}
          columns={look.columns}
          sort={look.sort}
          onSort={look.onSort}
          rowKey={({ id }) => id}
          density={look.usualDensity}
          empty={<Empty title={t.none}>{t.noneText}</Empty>}
        />
      </div>
      {leaving === null ? null : <Deactivate user={leaving} onClose={() => setLeaving(null)} />}
    </Page>
  );
}

function LastLogin({ at }: { at: string | null }) {
  const format = useFormat();
  return at === null ? (
    <span className="text-faint">{t.never}</span>
  ) : (
    <time dateTime={at} title={format.instant(at)}>
      {format.moment(at)}
    </time>
  );
}

const peopleColumns = (leave: (user: User) => void): readonly Column<User>[] => [
  {
    key: 'name',
    header: t.name,
    width: 200,
    grow: 2,
    cell: ({ name }) => <span className="font-medium">{name}</span>,
    text: ({ name }) => name,
    sortBy: ({ name }) => name,
  },
  { key: 'email', header: t.email, width: 220, grow: 2, cell: ({ email }) => email, text: ({ email }) => email },
  { key: 'role', header: t.role, width: 100, cell: ({ role }) => role, text: ({ role }) => role },
  {
    key: 'status',
    header: t.status,
    width: 120,
    cell: ({ status }) => <Badge tone={status === 'active' ? 'pass' : 'neutral'}>{status}</Badge>,
    text: ({ status }) => status,
  },
  {
    key: 'lastLogin',
    header: t.lastLogin,
    width: 140,
    cell: ({ lastLoginAt }) => <LastLogin at={lastLoginAt} />,
    text: ({ lastLoginAt }) => lastLoginAt ?? t.never,
    sortBy: ({ lastLoginAt }) => lastLoginAt,
  },
  {
    key: 'deactivate',
    header: '',
    width: 130,
    grow: 0,
    align: 'end',
    cell: (user) => (
      <Button
        size="small"
        kind="danger"
        disabledReason={user.status === 'deactivated' ? t.inactive : null}
        onClick={() => leave(user)}
        aria-label={t.deactivateAct(user.name)}
      >
        {t.deactivate}
      </Button>
    ),
    text: null,
  },
];
