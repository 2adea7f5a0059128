import { secretTexts as t } from '../../messages/access/secrets.ts';
import { Button } from '../button.tsx';
import { Copy } from '../copy.tsx';
import { Dialog } from './dialog.tsx';

export interface SecretDialogProps {
  readonly title: string;
  /** Values to copy, including the secret. */
  readonly values: readonly { readonly label: string; readonly value: string }[];
  /** What to do with it next. */
  readonly next?: string | undefined;
  readonly onClose: () => void;
}

/** Shows a secret once. Stays until the user confirms that it's stored. */
export function SecretDialog({ title, values, next, onClose }: SecretDialogProps) {
  return (
    <Dialog
      open
      mustAnswer
      onOpenChange={() => undefined}
      title={title}
      description={t.once}
      footer={
        <Button kind="primary" onClick={onClose}>
          {t.acknowledge}
        </Button>
      }
    >
      <dl className="flex flex-col gap-3">
        {values.map(({ label, value }) => (
          <div key={label} className="flex flex-col gap-1">
            <dt className="text-dense font-medium">{label}</dt>
            <dd className="flex flex-wrap items-center justify-between gap-2 rounded-card bg-sunken px-3 py-2">
              <code className="min-w-0 font-mono text-caption break-all select-all">{value}</code>
              <Copy text={value} what={label} labelled />
            </dd>
          </div>
        ))}
      </dl>
      {next === undefined ? null : <p className="pt-3 text-soft">{next}</p>}
    </Dialog>
  );
}
