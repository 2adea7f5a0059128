import { accountOperations } from '@arbiter/contract/identity/accounts';
import { secondFactorOperations } from '@arbiter/contract/identity/second-factor';
import { ssoOperations } from '@arbiter/contract/identity/sso';
import { type FormEvent, useEffect, useState } from 'react';
import { boot } from '../data/boot.ts';
import { useMutate } from '../data/use-operation.ts';
import { useSignInAgain } from '../data/use-session.ts';
import { FailurePanel } from '../forms/failure-panel.tsx';
import { CodeField, useSignInSteps } from '../forms/sign-in-steps.tsx';
import { signInAgainTexts } from '../messages/shell.ts';
import { secondStepTexts } from '../messages/sign-in.ts';
import { addresses } from '../route/addresses.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Link } from '../ui/link.tsx';

/** Prompts for the password over the page after the session has ended. The page below stays as it is. */
export function SignInAgain() {
  const [email, setEmail] = useState(emailOfSession);
  const [password, setPassword] = useState('');
  const goOn = useSignInAgain(() => globalThis.location.reload());
  const login = useMutate(accountOperations.login);
  const steps = useSignInSteps(() => void goOn());
  const tenant = boot();
  const tenantId = tenant.authenticated ? tenant.session.tenant?.id : undefined;
  // After signing in from another window, the page is open again.
  useEffect(() => {
    const onFocus = () => void goOn();
    globalThis.addEventListener('focus', onFocus);
    return () => globalThis.removeEventListener('focus', onFocus);
  }, [goOn]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (steps.asksCode) return steps.verify();
    const body = { email, password, ...(tenantId === undefined ? {} : { tenantId }) };
    steps.goOn(await login.run({ body }));
  };
  const [failure, operation] = steps.asksCode
    ? [steps.failure, secondFactorOperations.step]
    : [login.failure, accountOperations.login];
  return (
    <Dialog
      open
      mustAnswer
      width="narrow"
      onOpenChange={() => undefined}
      title={signInAgainTexts.title}
      description={signInAgainTexts.description}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        {failure === null ? null : <FailurePanel failure={failure} operation={operation} retry="submit" />}
        {steps.mustSetUp ? <p className="text-soft">{signInAgainTexts.setup}</p> : null}
        {steps.asksCode ? (
          <CodeField steps={steps} />
        ) : (
          <>
            <TextField
              label={signInAgainTexts.email}
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={({ target }) => setEmail(target.value)}
            />
            <TextField
              label={signInAgainTexts.password}
              type="password"
              autoComplete="current-password"
              required
              value={password}
              onChange={({ target }) => setPassword(target.value)}
            />
          </>
        )}
        <div className="flex flex-wrap items-center justify-between gap-2 pt-1">
          <Link to={addresses.login()}>{signInAgainTexts.leave}</Link>
          <Button kind="primary" submit busy={login.busy || steps.busy}>
            {steps.asksCode ? secondStepTexts.next : signInAgainTexts.signIn}
          </Button>
        </div>
        {tenant.signIn.sso && tenantId !== undefined ? (
          <p className="flex flex-col border-line border-t pt-3 text-dense text-soft">
            <a
              className="text-accent-ink underline underline-offset-3"
              href={`.${ssoOperations.login.path}?tenantId=${encodeURIComponent(tenantId)}`}
              target="_blank"
              rel="noreferrer"
            >
              {signInAgainTexts.sso}
            </a>
            {signInAgainTexts.ssoHelp}
          </p>
        ) : null}
      </form>
    </Dialog>
  );
}

function emailOfSession(): string {
  const block = boot();
  return block.authenticated ? (block.session.principal?.email ?? '') : '';
}
