import { secondFactorOperations } from '@arbiter/contract/identity/second-factor';
import { useState } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { accountTexts as t } from '../../messages/settings.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { BackupCodes } from './backup-codes.tsx';
import { SetUpForm } from './set-up-form.tsx';
import { TurnOffDialog } from './turn-off-dialog.tsx';

const { step: operation } = secondFactorOperations;

/** Sets up the second factor, shows its backup codes once, and turns it off. */
export function SecondFactor({ isOn, onChanged }: { isOn: boolean; onChanged: () => void }) {
  const { run, busy, failure, clear } = useMutate(operation);
  const [setUp, setSetUp] = useState<{ readonly secret: string; readonly address: string } | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [isTurningOff, setTurningOff] = useState(false);
  const begin = async () => {
    const answer = await run({ body: { action: 'setup' } });
    if (answer !== null) setSetUp({ secret: answer.secret ?? '', address: answer.otpauthUrl ?? '' });
  };
  const enable = async (code: string) => {
    const answer = await run({ body: { action: 'enable', code } });
    if (answer === null) return;
    setSetUp(null);
    setCodes(answer.backupCodes ?? []);
    onChanged();
  };
  return (
    <Section title={t.factor} about={<Badge tone={isOn ? 'pass' : 'neutral'}>{isOn ? t.isOn : t.isOff}</Badge>}>
      <div className="flex flex-col gap-4">
        <p className="text-soft">{t.factorLead}</p>
        {failure === null ? null : (
          <FailurePanel
            failure={failure}
            operation={operation}
            // The code may be used up: only the first step is safe to retry.
            retry={!isOn && setUp === null ? () => void begin() : null}
          />
        )}
        {isOn ? (
          <Button
            kind="danger"
            className="w-fit"
            onClick={() => {
              clear();
              setTurningOff(true);
            }}
          >
            {t.switchOff}
          </Button>
        ) : setUp === null ? (
          <Button className="w-fit" busy={busy} onClick={() => void begin()}>
            {t.setUp}
          </Button>
        ) : (
          <SetUpForm {...setUp} busy={busy} onCode={(code) => void enable(code)} />
        )}
      </div>
      {codes === null ? null : <BackupCodes codes={codes} onClose={() => setCodes(null)} />}
      {isTurningOff ? (
        <TurnOffDialog
          onClose={() => setTurningOff(false)}
          onDone={() => {
            setTurningOff(false);
            onChanged();
          }}
        />
      ) : null}
    </Section>
  );
}
