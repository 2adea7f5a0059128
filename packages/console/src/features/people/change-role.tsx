import { type User, userOperations } from '@arbiter/contract/identity/users';
import { useState } from 'react';
import { setBoot } from '../../data/boot.ts';
import { fetchBoot } from '../../data/fetch-boot.ts';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { peopleTexts as t } from '../../messages/access/people.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { type GivenRole, RoleField } from './invite.tsx';

export interface ChangeRoleProps {
  readonly user: User;
  /** Whether this is the admin's own account: they lose access to this page. */
  readonly isMe: boolean;
  readonly onClose: () => void;
}

/** Gives a person another role. */
export function ChangeRole({ user, isMe, onClose }: ChangeRoleProps) {
  const [role, setRole] = useState<GivenRole>(user.role === 'member' ? 'viewer' : user.role);
  const { run, busy, failure } = useMutate(userOperations.update);
  const change = async () => {
    if ((await run({ params: { id: user.id }, body: { role } })) === null) return;
    onClose();
    toast({ text: t.roleChanged(user.name, t.roles[role]) });
    // The shell shows what the new role may do.
    if (isMe) setBoot(await fetchBoot());
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t.changeRoleTitle(user.name)}
      width="narrow"
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button
            kind={isMe ? 'danger' : 'primary'}
            busy={busy}
            disabledReason={role === user.role ? t.roleSame : null}
            onClick={() => void change()}
          >
            {t.changeRoleAct}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={userOperations.update} retry={() => void change()} />
        )}
        <RoleField value={role} onChange={setRole} />
        {isMe && role !== 'admin' ? (
          <ProblemPanel tone="warn" title={t.ownRoleTitle}>
            {t.ownRoleText}
          </ProblemPanel>
        ) : (
          <p className="text-soft">{t.roleText}</p>
        )}
      </div>
    </Dialog>
  );
}
