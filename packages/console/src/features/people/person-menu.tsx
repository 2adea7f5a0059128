import type { User } from '@arbiter/contract/identity/users';
import { Ellipsis } from 'lucide-react';
import { peopleTexts as t } from '../../messages/access/people.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { actsOn } from './invitees.ts';

/** Dialogs and calls about one person. */
export type PersonAct = 'role' | 'resend' | 'withdraw' | 'unlock' | 'factor' | 'reactivate' | 'deactivate';

export interface PersonMenuProps {
  readonly user: User;
  /** ID of the signed-in user. */
  readonly me: string;
  readonly onAct: (act: PersonAct, user: User) => void;
}

/** The menu of actions for a person. Unavailable ones say why. */
export function PersonMenu({ user, me, onAct }: PersonMenuProps) {
  const acts = actsOn(user, me);
  const reason = (why: 'accepted' | 'noFactor' | 'ownFactor' | 'inactive' | 'ownDeactivate' | null) =>
    why === null ? null : t[why];
  const item = (act: PersonAct, label: string, why: Parameters<typeof reason>[0] = null) => ({
    label,
    disabledReason: reason(why),
    act: () => onAct(act, user),
  });
  return (
    <Menu
      trigger={
        <Button
          kind="quiet"
          size="small"
          icon={<Ellipsis aria-hidden className="size-4" />}
          aria-label={t.actions(user.name)}
        />
      }
      items={[
        item('role', t.changeRole),
        item('resend', t.resend, acts.resend),
        ...(acts.unlock ? [item('unlock', t.unlock)] : []),
        item('factor', t.resetFactor, acts.resetFactor),
        'line',
        acts.isDeactivated
          ? item('reactivate', t.reactivate)
          : acts.isInvited
            ? { ...item('withdraw', t.withdraw), danger: true }
            : { ...item('deactivate', t.deactivate, acts.deactivate), danger: acts.deactivate === null },
      ]}
    />
  );
}
