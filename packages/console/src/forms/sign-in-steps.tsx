import type { SignedIn } from '@arbiter/contract/identity/accounts';
import { secondFactorOperations } from '@arbiter/contract/identity/second-factor';
import { useState } from 'react';
import type { Failure } from '../data/failure.ts';
import { useMutate } from '../data/use-operation.ts';
import { secondStepTexts as t } from '../messages/sign-in.ts';
import { TextField } from '../ui/field.tsx';

/** What follows the first step of a sign-in: the code of the second factor, where the account has one. */
export interface SignInSteps {
  /** True: the first step is done, and the code is asked for. */
  readonly asksCode: boolean;
  /** The tenant wants a second factor, and the account has none yet: there is no way on from here. */
  readonly mustSetUp: boolean;
  readonly code: string;
  readonly setCode: (code: string) => void;
  /** Goes on as the first step's answer says; null: it was refused. */
  readonly goOn: (answer: Pick<SignedIn, 'setupRequired' | 'mfaRequired' | 'mfaToken'> | null) => void;
  /** Sends the code. */
  readonly verify: () => Promise<void>;
  readonly beginAgain: () => void;
  readonly busy: boolean;
  /** Why the code was refused. */
  readonly failure: Failure | null;
}

/** The steps of a sign-in after the first; `enter` is called once it has opened a session. */
export function useSignInSteps(enter: () => void): SignInSteps {
  const [token, setToken] = useState<string | null>(null);
  const [code, setCode] = useState('');
  const [mustSetUp, setMustSetUp] = useState(false);
  const { run, busy, failure, clear } = useMutate(secondFactorOperations.step);
  return {
    asksCode: token !== null,
    mustSetUp,
    code,
    setCode,
    goOn: (answer) => {
      setMustSetUp(answer?.setupRequired === true);
      if (answer === null || answer.setupRequired === true) return;
      if (answer.mfaRequired) setToken(answer.mfaToken ?? '');
      else enter();
    },
    verify: async () => {
      if ((await run({ body: { action: 'verify', mfaToken: token ?? '', code } })) !== null) enter();
    },
    beginAgain: () => {
      setToken(null);
      setCode('');
      clear();
    },
    busy,
    failure,
  };
}

/** The field of the second step. */
export function CodeField({ steps: { code, setCode } }: { readonly steps: SignInSteps }) {
  return (
    <TextField
      label={t.code}
      help={t.codeHelp}
      autoComplete="one-time-code"
      inputMode="numeric"
      autoFocus
      required
      value={code}
      onChange={({ target }) => setCode(target.value)}
    />
  );
}
