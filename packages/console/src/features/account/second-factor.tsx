import { secondFactorOperations } from '@arbiter/contract/identity/second-factor';
import { type FormEvent, useState } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { accountTexts as t } from '../../messages/settings.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Copy, Id } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { later } from '../../ui/later.tsx';
import { Section } from '../../ui/page.tsx';

/** A separate chunk: users with a second factor never load it. */
const QrCode = later(() => import('./qr-code.tsx').then((module) => module.QrCode), <div className="size-44" />);

const { step: operation } = secondFactorOperations;
const off = { password: '', code: '' };

/** Sets up the second factor, shows its backup codes once, and turns it off. */
export function SecondFactor({ isOn, onChanged }: { isOn: boolean; onChanged: () => void }) {
  const { run, busy, failure, clear } = useMutate(operation);
  const [begun, setBegun] = useState<{ readonly secret: string; readonly address: string } | null>(null);
  const [code, setCode] = useState('');
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [ending, setEnding] = useState(false);
  const [given, setGiven] = useState(off);
  const begin = async () => {
    const answer = await run({ body: { action: 'setup' } });
    if (answer !== null) setBegun({ secret: answer.secret ?? '', address: answer.otpauthUrl ?? '' });
  };
  const enable = async (event: FormEvent) => {
    event.preventDefault();
    const answer = await run({ body: { action: 'enable', code } });
    if (answer === null) return;
    setBegun(null);
    setCode('');
    setCodes(answer.backupCodes ?? []);
    onChanged();
  };
  const disable = async () => {
    if ((await run({ body: { action: 'disable', ...given } })) === null) return;
    setEnding(false);
    setGiven(off);
    onChanged();
  };
  const problem =
    failure === null ? null : (
      <FailurePanel
        failure={failure}
        operation={operation}
        // The code may be used up: only the first step is safe to retry.
        retry={!isOn && begun === null ? () => void begin() : null}
      />
    );
  return (
    <Section title={t.factor} about={<Badge tone={isOn ? 'pass' : 'neutral'}>{isOn ? t.isOn : t.isOff}</Badge>}>
      <div className="flex flex-col gap-4">
        <p className="text-soft">{t.factorLead}</p>
        {ending ? null : problem}
        {isOn ? (
          <Button
            kind="danger"
            className="w-fit"
            onClick={() => {
              clear();
              setEnding(true);
            }}
          >
            {t.switchOff}
          </Button>
        ) : begun === null ? (
          <Button className="w-fit" busy={busy} onClick={() => void begin()}>
            {t.setUp}
          </Button>
        ) : (
          <form onSubmit={enable} className="flex flex-col gap-4">
            <p>{t.scan}</p>
            <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
              <QrCode text={begun.address} label={t.qr} />
              <div className="flex min-w-0 flex-col gap-2">
                <p className="text-soft">{t.byHand}</p>
                <div className="w-fit max-w-full rounded-card bg-sunken px-3 py-2">
                  <Id id={begun.secret} what="key of the app" whole />
                </div>
                <a className="w-fit text-accent-ink underline underline-offset-3" href={begun.address}>
                  {t.openApp}
                </a>
              </div>
            </div>
            <TextField
              className="w-72 max-w-full"
              label={t.code}
              help={t.codeHelp}
              autoComplete="one-time-code"
              inputMode="numeric"
              required
              value={code}
              onChange={({ target }) => setCode(target.value)}
            />
            <Button kind="primary" submit busy={busy} className="w-fit">
              {t.switchOn}
            </Button>
          </form>
        )}
      </div>
      {codes === null ? null : (
        <Dialog
          open
          mustAnswer
          onOpenChange={() => undefined}
          title={t.codesTitle}
          description={t.codesText}
          footer={
            <>
              <Copy text={codes.join('\n')} what="codes" labelled />
              <Button kind="primary" onClick={() => setCodes(null)}>
                {t.codesSaved}
              </Button>
            </>
          }
        >
          <ul className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-card bg-sunken p-4 font-mono">
            {codes.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </Dialog>
      )}
      <Dialog
        open={ending}
        onOpenChange={setEnding}
        width="narrow"
        title={t.offTitle}
        description={t.offText}
        footer={
          <>
            <Button onClick={() => setEnding(false)}>{t.cancel}</Button>
            <Button kind="danger" busy={busy} onClick={() => void disable()}>
              {t.switchOff}
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-4">
          {problem}
          <TextField
            label={t.password}
            type="password"
            autoComplete="current-password"
            value={given.password}
            onChange={({ target }) => setGiven({ ...given, password: target.value })}
          />
          <TextField
            label={t.offCode}
            autoComplete="one-time-code"
            value={given.code}
            onChange={({ target }) => setGiven({ ...given, code: target.value })}
          />
        </div>
      </Dialog>
    </Section>
  );
}
