import { selfOperations } from '@arbiter/contract/identity/people';
import type { User } from '@arbiter/contract/identity/users';
import { type FormEvent, useState } from 'react';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { Loaded } from '../../forms/loaded.tsx';
import { settingsTexts, accountTexts as t } from '../../messages/settings.ts';
import { addresses } from '../../route/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { SecondFactor } from './second-factor.tsx';

/** Name, password and second factor of the signed-in user. */
export function AccountPage() {
  const me = useOperation(selfOperations.read, {});
  return (
    <Page title={t.title} width="prose" parents={[{ title: settingsTexts.title, to: addresses.settings() }]}>
      <Loaded answer={me} operation={selfOperations.read}>
        {(user) => (
          <div className="flex flex-col gap-4">
            <Name user={user} />
            <Password />
            <SecondFactor isOn={user.secondFactor} onChanged={me.refresh} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Name({ user }: { user: User }) {
  const [name, setName] = useState(user.name);
  const { run, busy, failure } = useMutate(selfOperations.update);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ((await run({ body: { name } })) !== null) toast({ text: t.nameSaved });
  };
  return (
    <Section title={t.profile}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {failure === null ? null : <FailurePanel failure={failure} operation={selfOperations.update} retry="submit" />}
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1">
          <dt className="text-soft">{t.email}</dt>
          <dd className="break-all">{user.email}</dd>
          <dt className="text-soft">{t.role}</dt>
          <dd>{user.role}</dd>
        </dl>
        <div className="flex flex-wrap items-end gap-3">
          <TextField
            className="w-72 max-w-full"
            label={t.name}
            required
            maxLength={100}
            autoComplete="name"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Button submit busy={busy}>
            {t.saveName}
          </Button>
        </div>
      </form>
    </Section>
  );
}

const none = { current: '', next: '', repeated: '' };

function Password() {
  const [given, setGiven] = useState(none);
  const [isSubmitted, setSubmitted] = useState(false);
  const { run, busy, failure } = useMutate(selfOperations.update);
  const differs = given.next !== given.repeated;
  const errorAt = (path: string): string | undefined =>
    failure?.kind === 'refused' ? failure.problem.errors.find((entry) => entry.path === path)?.message : undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (differs) return;
    const body = { currentPassword: given.current, newPassword: given.next };
    if ((await run({ body })) === null) return;
    setGiven(none);
    setSubmitted(false);
    toast({ text: t.changed });
  };
  const field = (
    name: keyof typeof none,
    label: string,
    autoComplete: string,
    error: string | undefined,
    help?: string,
  ) => (
    <TextField
      className="w-72 max-w-full"
      label={label}
      help={help}
      error={error}
      type="password"
      required
      autoComplete={autoComplete}
      value={given[name]}
      onChange={({ target }) => setGiven({ ...given, [name]: target.value })}
    />
  );
  return (
    <Section title={t.password}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p className="text-soft">{t.passwordLead}</p>
        {failure === null ? null : (
          <FailurePanel
            failure={failure}
            operation={selfOperations.update}
            retry="submit"
            shownPaths={['/currentPassword', '/newPassword']}
          />
        )}
        {field('current', t.current, 'current-password', errorAt('/currentPassword'))}
        {field('next', t.next, 'new-password', errorAt('/newPassword'), t.nextHelp)}
        {field('repeated', t.repeat, 'new-password', isSubmitted && differs ? t.noMatch : undefined)}
        <Button submit busy={busy} className="w-fit">
          {t.change}
        </Button>
      </form>
    </Section>
  );
}
