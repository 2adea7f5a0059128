import type { User, UserStatus } from '@arbiter/contract/identity/users';
import { peopleTexts as t } from '../../messages/access/people.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table/table-column.ts';
import { type PersonAct, PersonMenu } from './person-menu.tsx';

const tones: Readonly<Record<UserStatus, Tone>> = {
  active: 'pass',
  invited: 'info',
  locked: 'warn',
  deactivated: 'neutral',
};

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

/** Columns of the people list. `me`: ID of the signed-in user. */
export const personColumns = (me: string, onAct: (act: PersonAct, user: User) => void): readonly Column<User>[] => [
  {
    key: 'name',
    header: t.name,
    width: 200,
    grow: 2,
    cell: ({ name }) => (
      <span dir="auto" className="truncate font-medium">
        {name}
      </span>
    ),
    text: ({ name }) => name,
    sortBy: ({ name }) => name,
  },
  { key: 'email', header: t.email, width: 220, grow: 2, cell: ({ email }) => email, text: ({ email }) => email },
  {
    key: 'role',
    header: t.role,
    width: 130,
    cell: ({ id, role }) => (
      <span className="inline-flex items-center gap-1.5">
        {t.roles[role]}
        {id === me ? <Badge tone="neutral">{t.you}</Badge> : null}
      </span>
    ),
    text: ({ role }) => role,
  },
  {
    key: 'status',
    header: t.status,
    width: 120,
    cell: ({ status }) => <Badge tone={tones[status]}>{t.statuses[status]}</Badge>,
    text: ({ status }) => status,
  },
  {
    key: 'secondFactor',
    header: t.factor,
    width: 120,
    cell: ({ secondFactor }) => (secondFactor ? t.factorOn : <span className="text-faint">{t.factorOff}</span>),
    text: ({ secondFactor }) => (secondFactor ? t.factorOn : t.factorOff),
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
    key: 'acts',
    header: '',
    width: 60,
    grow: 0,
    align: 'end',
    cell: (user) => <PersonMenu user={user} me={me} onAct={onAct} />,
    text: null,
  },
];
