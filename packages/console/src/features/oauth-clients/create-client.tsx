import {
  type OAuthClient,
  type OAuthClientCreated,
  type OAuthScope,
  oauthOperations,
  oauthScopes,
} from '@arbiter/contract/identity/oauth';
import { useState } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { oauthTexts as t } from '../../messages/access/oauth-clients.ts';
import { Button } from '../../ui/button.tsx';
import { CheckList, TextField } from '../../ui/field.tsx';
import { useLinks } from '../../ui/link.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { SecretDialog } from '../../ui/overlays/secret-dialog.tsx';

export interface CreateClientProps {
  /** The client to replace. The new one gets its name and permissions. */
  readonly replaces?: OAuthClient;
  readonly onClose: () => void;
}

/** Creates an OAuth client and shows its secret once. */
export function CreateClient({ replaces, onClose }: CreateClientProps) {
  const [name, setName] = useState(replaces?.name ?? '');
  const [chosen, setChosen] = useState<readonly OAuthScope[]>(replaces?.scopes ?? ['read']);
  const [created, setCreated] = useState<OAuthClientCreated | null>(null);
  const { run, busy, failure } = useMutate(oauthOperations.createClient);
  if (created !== null) return <NewClient client={created} replaces={replaces} onClose={onClose} />;
  const create = async () => {
    const scopes = oauthScopes.filter((scope) => chosen.includes(scope));
    setCreated(await run({ body: { scopes, name: name.trim() } }));
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
            disabledReason={name.trim() === '' ? t.noName : chosen.length === 0 ? t.noScope : null}
            onClick={() => void create()}
          >
            {t.make}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={oauthOperations.createClient} retry={() => void create()} />
        )}
        <TextField
          label={t.name}
          help={t.nameHelp}
          maxLength={120}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <CheckList label={t.scopes} values={oauthScopes} labels={t.scopeWords} chosen={chosen} onChange={setChosen} />
      </div>
    </Dialog>
  );
}

interface NewClientProps {
  readonly client: OAuthClientCreated;
  readonly replaces: OAuthClient | undefined;
  readonly onClose: () => void;
}

function NewClient({ client: { clientId, clientSecret }, replaces, onClose }: NewClientProps) {
  const { href } = useLinks();
  return (
    <SecretDialog
      title={t.newTitle}
      values={[
        { label: t.clientId, value: clientId },
        { label: t.clientSecret, value: clientSecret },
        { label: t.tokenUrl, value: `${globalThis.location.origin}${href(oauthOperations.token.path)}` },
      ]}
      next={replaces === undefined ? t.tokenNext : t.replaceNext(replaces.name)}
      onClose={onClose}
    />
  );
}
