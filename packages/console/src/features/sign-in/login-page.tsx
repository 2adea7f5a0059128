import { accountOperations } from '@arbiter/contract/identity/accounts';
import { secondFactorOperations } from '@arbiter/contract/identity/second-factor';
import { type FormEvent, type ReactNode, useState } from 'react';
import { boot } from '../../data/boot.ts';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { CodeField, useSignInSteps } from '../../forms/sign-in-steps.tsx';
import { shellTexts } from '../../messages/shell.ts';
import { secondStepTexts, signInTexts as t } from '../../messages/sign-in.ts';
import { BrandMark } from '../../ui/brand-mark.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { useLinks } from '../../ui/link.tsx';
import { returnAddress } from './return-to.ts';

const linkClass = 'text-accent-ink underline underline-offset-3';
const otherClass =
  'flex h-10 items-center justify-center rounded-control border border-line-strong bg-surface px-3 font-medium hover:bg-hover';

/** Address and password, then the code of the second factor where there is one; or the other ways in. */
export function LoginPage() {
  const links = useLinks();
  // The page is loaded anew after a sign-in: it then comes with everything that its first screen needs.
  const enter = () => {
    const { search, href } = globalThis.location;
    globalThis.location.assign(returnAddress(search, new URL(links.href('/'), href).href));
  };
  const { google, registration, sso, tenantId } = boot().signIn;
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const login = useMutate(accountOperations.login);
  const steps = useSignInSteps(enter);
  const named = new URLSearchParams(globalThis.location.search).get('tenantId');
  const begin = async (event: FormEvent) => {
    event.preventDefault();
    steps.goOn(await login.run({ body: { email, password, ...(named === null ? {} : { tenantId: named }) } }));
  };
  const goOn = (event: FormEvent) => {
    event.preventDefault();
    void steps.verify();
  };
  const search = new URLSearchParams(globalThis.location.search);
  const carried = new URLSearchParams({ returnTo: search.get('returnTo') ?? '/' });
  if (steps.asksCode) {
    return (
      <Card title={t.codeTitle}>
        <form onSubmit={goOn} className="flex flex-col gap-4">
          {steps.failure === null ? null : (
            <FailurePanel failure={steps.failure} operation={secondFactorOperations.step} retry="submit" />
          )}
          <CodeField steps={steps} />
          <Button kind="primary" submit busy={steps.busy} className="h-10">
            {secondStepTexts.next}
          </Button>
          <Button
            kind="quiet"
            onClick={() => {
              steps.beginAgain();
              setPassword('');
            }}
          >
            {t.back}
          </Button>
        </form>
      </Card>
    );
  }
  return (
    <Card title={t.title}>
      <form onSubmit={begin} className="flex flex-col gap-4">
        {login.failure === null ? null : (
          <FailurePanel failure={login.failure} operation={accountOperations.login} retry="submit" />
        )}
        {steps.mustSetUp ? (
          <p role="status" className="rounded-card border border-line bg-info-soft px-4 py-3 text-soft">
            {t.setup}{' '}
            <a className={linkClass} href={`./login?${carried}`}>
              {t.setupAct}
            </a>
          </p>
        ) : null}
        <TextField
          label={t.email}
          type="email"
          autoComplete="username"
          autoFocus
          required
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <TextField
          label={t.password}
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
        <Button kind="primary" submit busy={login.busy} className="h-10">
          {t.signIn}
        </Button>
      </form>
      {google || sso ? (
        <div className="mt-4 flex flex-col gap-2">
          <p className="flex items-center gap-3 text-caption text-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            {t.or}
          </p>
          {google ? (
            <a className={otherClass} href={`./api/auth/signin/google?${carried}`}>
              {t.google}
            </a>
          ) : null}
          {sso && tenantId !== undefined ? (
            <a className={otherClass} href={`./api/v1/sso/login?tenantId=${encodeURIComponent(tenantId)}&${carried}`}>
              {t.sso}
            </a>
          ) : null}
        </div>
      ) : null}
      <p className="mt-5 text-dense">
        <a className={linkClass} href="./reset-password">
          {t.forgotten}
        </a>
      </p>
      {registration ? (
        <p className="mt-2 text-dense text-soft">
          {t.newHere}{' '}
          <a className={linkClass} href="./register">
            {t.register}
          </a>
        </p>
      ) : null}
    </Card>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="grid min-h-dvh content-start justify-items-center bg-canvas px-4 pt-[12vh] pb-12 text-ink max-sm:pt-8">
      <title>{`${title} · Arbiter`}</title>
      <div className="w-full max-w-[26rem]">
        <p className="ms-1 mb-4 flex items-center gap-2.5 font-semibold text-section">
          <BrandMark className="size-7" />
          {shellTexts.product}
        </p>
        <div className="rounded-dialog border border-line bg-surface p-8 max-sm:p-5">
          <h1 tabIndex={-1} className="mb-5 font-semibold text-page">
            {title}
          </h1>
          {children}
        </div>
      </div>
    </main>
  );
}
