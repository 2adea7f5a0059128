import { secondFactorOperations } from '@arbiter/contract/identity/second-factor';
import { useState } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { accountTexts as t } from '../../messages/settings.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';

const { step: operation } = secondFactorOperations;

/** Asks for the password and a code, and turns the second factor off. */
export function TurnOffDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const { run, busy, failure } = useMutate(operation);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const disable = async () => {
    if ((await run({ body: { action: 'disable', password, code } })) !== null) onDone();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="narrow"
      title={t.offTitle}
      description={t.offText}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button kind="danger" busy={busy} onClick={() => void disable()}>
            {t.switchOff}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {/* The code may be used up, so there is no retry. */}
        {failure === null ? null : <FailurePanel failure={failure} operation={operation} retry={null} />}
        <TextField
          label={t.password}
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
        <TextField
          label={t.offCode}
          autoComplete="one-time-code"
          value={code}
          onChange={({ target }) => setCode(target.value)}
        />
      </div>
    </Dialog>
  );
}
