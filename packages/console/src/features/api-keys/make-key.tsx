import { type ApiKeyCreated, apiKeyOperations } from '@arbiter/contract/identity/api-keys';
import { useState } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { apiKeyTexts as t } from '../../messages/settings.ts';
import { Button } from '../../ui/button.tsx';
import { Id } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';

const scopes = ['read', 'write', 'admin', 'scim'] as const;
type Scope = (typeof scopes)[number];

/** Creates a key and shows it once. The dialog stays until the user confirms. */
export function MakeKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly Scope[]>(['read', 'write']);
  const [day, setDay] = useState('');
  const [created, setCreated] = useState<ApiKeyCreated | null>(null);
  const { run, busy, failure } = useMutate(apiKeyOperations.create);
  if (created !== null) {
    return (
      <Dialog
        open
        mustAnswer
        onOpenChange={() => undefined}
        title={t.newTitle}
        description={t.newText}
        footer={
          <Button kind="primary" onClick={onClose}>
            {t.keySaved}
          </Button>
        }
      >
        <div className="rounded-card bg-sunken px-3 py-2">
          <Id id={created.key} what="key" whole />
        </div>
      </Dialog>
    );
  }
  const make = async () => {
    const body = {
      scopes: scopes.filter((scope) => chosen.includes(scope)),
      ...(name.trim() === '' ? {} : { name: name.trim() }),
      ...(day === '' ? {} : { expiresAt: `${day}T00:00:00.000Z` }),
    };
    setCreated(await run({ body }));
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t.make}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button
            kind="primary"
            busy={busy}
            disabledReason={chosen.length === 0 ? t.scopes : null}
            onClick={() => void make()}
          >
            {t.make}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={apiKeyOperations.create} retry={() => void make()} />
        )}
        <TextField
          label={t.name}
          help={t.nameHelp}
          optional
          maxLength={120}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <fieldset className="flex flex-col gap-1">
          <legend className="mb-1 text-dense font-medium">{t.scopes}</legend>
          {scopes.map((scope) => (
            <CheckField
              key={scope}
              label={t.scopeWords[scope]}
              checked={chosen.includes(scope)}
              onChange={({ target }) =>
                setChosen(target.checked ? [...chosen, scope] : chosen.filter((each) => each !== scope))
              }
            />
          ))}
        </fieldset>
        <TextField
          label={t.expires}
          help={t.expiresHelp}
          optional
          type="date"
          value={day}
          onChange={({ target }) => setDay(target.value)}
        />
      </div>
    </Dialog>
  );
}
