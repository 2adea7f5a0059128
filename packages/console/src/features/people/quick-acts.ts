import { invitationOperations } from '@arbiter/contract/identity/people';
import { type User, userOperations } from '@arbiter/contract/identity/users';
import { useCallback } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { peopleTexts as t } from '../../messages/access/people.ts';
import { toast } from '../../ui/overlays/toast.tsx';

const quickActs = ['resend', 'unlock', 'reactivate'] as const;

/** Actions without a confirmation. */
export type QuickAct = (typeof quickActs)[number];

export const isQuickAct = (act: string): act is QuickAct => quickActs.some((each) => each === act);

/** Resends, unlocks and reactivates without a confirmation. `failure`: of the last action, with its `operation`. */
export function useQuickActs() {
  const resend = useMutate(invitationOperations.resend);
  const unlock = useMutate(userOperations.unlock);
  const reactivate = useMutate(userOperations.reactivate);
  const { run: runResend } = resend;
  const { run: runUnlock } = unlock;
  const { run: runReactivate } = reactivate;
  const failed = [resend, unlock, reactivate].find(({ failure }) => failure !== null);
  const run = useCallback(
    async (act: QuickAct, user: User) => {
      const acts = {
        resend: [runResend, t.resent(user.email)],
        unlock: [runUnlock, t.unlocked(user.name)],
        reactivate: [runReactivate, t.reactivated(user.name)],
      } as const;
      const [send, said] = acts[act];
      if ((await send({ params: { id: user.id } })) !== null) toast({ text: said });
    },
    [runResend, runUnlock, runReactivate],
  );
  return {
    run,
    failure: failed?.failure ?? null,
    operation:
      failed === resend
        ? invitationOperations.resend
        : failed === unlock
          ? userOperations.unlock
          : userOperations.reactivate,
    clear: () => failed?.clear(),
  };
}
