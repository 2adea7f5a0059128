import type { Operation } from '@arbiter/contract/core/operation';
import { secondFactorOperations } from '@arbiter/contract/identity/second-factor';
import { type User, userOperations } from '@arbiter/contract/identity/users';
import type { ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { peopleTexts as t } from '../../messages/access/people.ts';
import { ConfirmDialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

interface PersonDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** Confirms and withdraws an invitation: its link stops working. */
export function Withdraw({ user: { id, email }, onClose }: PersonDialogProps) {
  const { done, busy, failure } = useMutate(userOperations.deactivate);
  const withdraw = async () => {
    if (!(await done({ params: { id } }))) return;
    onClose();
    toast({ text: t.withdrawn(email) });
  };
  return (
    <Confirm
      {...{ busy, failure, onClose }}
      operation={userOperations.deactivate}
      title={t.withdrawTitle(email)}
      act={t.withdrawAct}
      onConfirm={() => void withdraw()}
    >
      {t.withdrawText}
    </Confirm>
  );
}

/** Confirms and removes a person's second factor. */
export function ResetFactor({ user: { id, name }, onClose }: PersonDialogProps) {
  const { run, busy, failure } = useMutate(secondFactorOperations.reset);
  const reset = async () => {
    if ((await run({ params: { id } })) === null) return;
    onClose();
    toast({ text: t.factorReset(name) });
  };
  return (
    <Confirm
      {...{ busy, failure, onClose }}
      operation={secondFactorOperations.reset}
      title={t.resetFactorTitle(name)}
      act={t.resetFactorAct}
      onConfirm={() => void reset()}
    >
      {t.resetFactorText}
    </Confirm>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly act: string;
  readonly busy: boolean;
  readonly failure: Failure | null;
  readonly operation: Operation;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function Confirm({ title, act, busy, failure, operation, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <ConfirmDialog open onOpenChange={onClose} {...{ title, act, busy, onConfirm }}>
      {failure === null ? null : <FailurePanel failure={failure} operation={operation} retry={onConfirm} />}
      <p>{children}</p>
    </ConfirmDialog>
  );
}
