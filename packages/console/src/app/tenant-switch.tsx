import { accountOperations, type Membership } from '@arbiter/contract/identity/accounts';
import { secondFactorOperations } from '@arbiter/contract/identity/second-factor';
import { ssoOperations } from '@arbiter/contract/identity/sso';
import { type FormEvent, useState } from 'react';
import { boot } from '../data/boot.ts';
import { codeOf } from '../data/failure.ts';
import { useMutate, useOperation } from '../data/use-operation.ts';
import { FailurePanel } from '../forms/failure-panel.tsx';
import { Loaded } from '../forms/loaded.tsx';
import { CodeField, useSignInSteps } from '../forms/sign-in-steps.tsx';
import { secondStepTexts } from '../messages/sign-in.ts';
import { tenantSwitchTexts as t } from '../messages/tenants.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { useLinks } from '../ui/link.tsx';
import { ProblemPanel } from '../ui/problem.tsx';

/** Lists the user's tenants and signs in to another one (docs/design/api-settled.md, "Access and console"). */
export function TenantSwitch({ onClose }: { onClose: () => void }) {
  const [target, setTarget] = useState<Membership | null>(null);
  const tenants = useOperation(accountOperations.tenants, {});
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="narrow"
      title={target === null ? t.title : t.intoTitle(target.name)}
      description={target === null ? t.lead : t.intoText}
    >
      {target === null ? (
        <Loaded answer={tenants} operation={accountOperations.tenants}>
          {({ data }) => <TenantList tenants={data} onChosen={setTarget} />}
        </Loaded>
      ) : (
        <Into key={target.id} tenant={target} onBack={() => setTarget(null)} />
      )}
    </Dialog>
  );
}

interface TenantListProps {
  readonly tenants: readonly Membership[];
  readonly onChosen: (tenant: Membership) => void;
}

function TenantList({ tenants, onChosen }: TenantListProps) {
  const isAlone = tenants.every(({ current }) => current);
  return (
    <div className="flex flex-col gap-3">
      <ul aria-label={t.list} className="divide-y divide-line rounded-card border border-line">
        {tenants.map((tenant) => (
          <li key={tenant.id}>
            {tenant.current ? (
              <TenantLine tenant={tenant} />
            ) : (
              <button type="button" className="w-full text-start hover:bg-hover" onClick={() => onChosen(tenant)}>
                <TenantLine tenant={tenant} />
              </button>
            )}
          </li>
        ))}
      </ul>
      {isAlone ? (
        <p className="text-dense text-soft">
          <span className="block font-medium text-ink">{t.alone}</span>
          {t.aloneWhy}
        </p>
      ) : null}
    </div>
  );
}

function TenantLine({ tenant: { name, role, isPlayground, current } }: { tenant: Membership }) {
  return (
    <span className="flex min-h-10 flex-wrap items-center gap-2 px-3 py-1.5">
      <span className="min-w-0 flex-1 break-words font-medium">{name}</span>
      {isPlayground ? <Badge tone="neutral">{t.playground}</Badge> : null}
      {current ? <Badge tone="info">{t.current}</Badge> : null}
      <span className="text-dense text-soft">{role}</span>
    </span>
  );
}

/** Signs in to the other tenant: password, then second factor if it has one. */
function Into({ tenant: { id: tenantId, name }, onBack }: { tenant: Membership; onBack: () => void }) {
  const links = useLinks();
  const [password, setPassword] = useState('');
  const [byGoogle, setByGoogle] = useState(false);
  const move = useMutate(accountOperations.switchTenant);
  // Nothing on this page may stay, so it reloads in the other tenant.
  const steps = useSignInSteps(() => globalThis.location.assign(links.href('/')));
  const go = async (given: { readonly password?: string }) => {
    setByGoogle(given.password === undefined);
    steps.goOn(await move.run({ body: { tenantId, ...given } }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void (steps.asksCode ? steps.verify() : go({ password }));
  };
  const [failure, operation] = steps.asksCode
    ? [steps.failure, secondFactorOperations.step]
    : [move.failure, accountOperations.switchTenant];
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      {failure === null ? null : byGoogle && codeOf(failure) === 'validation_failed' ? (
        <ProblemPanel tone="warn" title={t.otherGoogle}>
          <p>{t.otherGoogleText}</p>
        </ProblemPanel>
      ) : (
        <FailurePanel failure={failure} operation={operation} retry="submit" />
      )}
      {codeOf(failure) === 'sso_required' ? (
        <a
          className={linkClass}
          href={links.href(`${ssoOperations.login.path}?tenantId=${encodeURIComponent(tenantId)}`)}
        >
          {t.sso}
        </a>
      ) : null}
      {steps.mustSetUp ? (
        <p role="status" className="text-soft">
          {t.setup}{' '}
          <a className={linkClass} href={links.href(`/login?tenantId=${encodeURIComponent(tenantId)}`)}>
            {t.setupAct}
          </a>
        </p>
      ) : null}
      {steps.asksCode ? (
        <CodeField steps={steps} />
      ) : (
        <TextField
          label={t.password}
          type="password"
          autoComplete="current-password"
          autoFocus
          required
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
      )}
      <div className="flex flex-wrap items-center justify-between gap-2 pt-1">
        <Button kind="quiet" onClick={onBack}>
          {t.back}
        </Button>
        <span className="flex flex-wrap items-center gap-2">
          {boot().signIn.google && !steps.asksCode ? (
            <Button busy={move.busy} onClick={() => void go({})}>
              {t.withGoogle}
            </Button>
          ) : null}
          <Button kind="primary" submit busy={move.busy || steps.busy}>
            {steps.asksCode ? secondStepTexts.next : t.go(name)}
          </Button>
        </span>
      </div>
    </form>
  );
}

const linkClass = 'w-fit text-accent-ink underline underline-offset-3';
