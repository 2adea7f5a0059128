import { type FormEvent, useState } from 'react';
import { accountTexts as t } from '../../messages/settings.ts';
import { idTexts } from '../../messages/ui.ts';
import { Button } from '../../ui/button.tsx';
import { Id } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { later } from '../../ui/later.tsx';

/** A separate chunk: users with a second factor never load it. */
const QrCode = later(() => import('./qr-code.tsx').then((module) => module.QrCode), <div className="size-44" />);

export interface SetUpFormProps {
  readonly secret: string;
  /** `otpauth` address of the secret, for the QR code. */
  readonly address: string;
  readonly busy: boolean;
  readonly onCode: (code: string) => void;
}

/** Shows a new secret as a QR code and asks for a code from the authenticator app. */
export function SetUpForm({ secret, address, busy, onCode }: SetUpFormProps) {
  const [code, setCode] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onCode(code);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p>{t.scan}</p>
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
        <QrCode text={address} label={t.qr} />
        <div className="flex min-w-0 flex-col gap-2">
          <p className="text-soft">{t.byHand}</p>
          <div className="w-fit max-w-full rounded-card bg-sunken px-3 py-2">
            <Id id={secret} what={idTexts.setupKey} whole />
          </div>
          <a className="w-fit text-accent-ink underline underline-offset-3" href={address}>
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
  );
}
