import { type ApiKey, type ApiKeyCreated, apiKeyOperations } from '@arbiter/contract/identity/api-keys';
import { useState } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { apiKeyTexts as t } from '../../messages/settings.ts';
import { Button } from '../../ui/button.tsx';
import { CheckList, TextField } from '../../ui/field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { SecretDialog } from '../../ui/overlays/secret-dialog.tsx';

const scopes = ['read', 'write', 'admin', 'scim'] as const;
type Scope = (typeof scopes)[number];

const dayNow = (): string => new Date().toISOString().slice(0, 10);

export interface CreateKeyProps {
  /** The key to replace. The new one gets its name and permissions. */
  readonly replaces?: ApiKey;
  readonly onClose: () => void;
}

/** Creates a key and shows it once. */
export function CreateKey({ replaces, onClose }: CreateKeyProps) {
  const [name, setName] = useState(replaces?.name ?? '');
  const [chosen, setChosen] = useState<readonly Scope[]>(replaces?.scopes ?? ['read', 'write']);
  const [day, setDay] = useState('');
  const [created, setCreated] = useState<ApiKeyCreated | null>(null);
  const { run, busy, failure } = useMutate(apiKeyOperations.create);
  if (created !== null) {
    return (
      <SecretDialog
        title={t.newTitle}
        values={[{ label: t.key, value: created.key }]}
        next={replaces === undefined ? undefined : t.replaceNext(replaces.name)}
        onClose={onClose}
      />
    );
  }
  const isPast = day !== '' && day <= dayNow();
  const create = async () => {
    const body = {
      scopes: scopes.filter((scope) => chosen.includes(scope)),
      name: name.trim(),
      ...(day === '' ? {} : { expiresAt: `${day}T00:00:00.000Z` }),
    };
    setCreated(await run({ body }));
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={replaces === undefined ? t.make : t.replaceTitle(replaces.name)}
      description={replaces === undefined ? undefined : t.replaceText}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button
            kind="primary"
            busy={busy}
            disabledReason={name.trim() === '' ? t.noName : chosen.length === 0 ? t.noScope : isPast ? t.expired : null}
            onClick={() => void create()}
          >
            {t.make}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={apiKeyOperations.create} retry={() => void create()} />
        )}
        <TextField
          label={t.name}
          help={t.nameHelp}
          maxLength={120}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <CheckList label={t.scopes} values={scopes} labels={t.scopeWords} chosen={chosen} onChange={setChosen} />
        <TextField
          label={t.expires}
          help={t.expiresHelp}
          error={isPast ? t.expired : undefined}
          optional
          type="date"
          value={day}
          onChange={({ target }) => setDay(target.value)}
        />
      </div>
    </Dialog>
  );
}
