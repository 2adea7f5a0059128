import { type ApiKeyCreated, apiKeyOperations } from '@arbiter/contract/identity/api-keys';
import { scimBase } from '@arbiter/contract/identity/scim';
import { useState } from 'react';
import { useList, useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { ssoTexts as t } from '../../messages/access/single-sign-on.ts';
import { addresses } from '../../route/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { Link, useLinks } from '../../ui/link.tsx';
import { SecretDialog } from '../../ui/overlays/secret-dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { CopyValues } from './copy-values.tsx';

/** Shows the base URL and creates the token for a directory. Tokens are API keys with no other access. */
export function ScimSection() {
  const { href } = useLinks();
  const { run, busy, failure } = useMutate(apiKeyOperations.create);
  const [created, setCreated] = useState<ApiKeyCreated | null>(null);
  const baseUrl = `${globalThis.location.origin}${href(scimBase)}`;
  const create = async () => setCreated(await run({ body: { name: t.scimToken, scopes: ['scim'] } }));
  return (
    <Section
      title={t.scim}
      actions={
        <Button size="small" busy={busy} onClick={() => void create()}>
          {t.scimMake}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={apiKeyOperations.create} retry={() => void create()} />
        )}
        <p className="text-soft">{t.scimText}</p>
        <CopyValues values={[{ label: t.scimUrl, value: baseUrl }]} />
        <Tokens />
      </div>
      {created === null ? null : (
        <SecretDialog
          title={t.scimNewTitle}
          values={[
            { label: t.scimToken, value: created.key },
            { label: t.scimUrl, value: baseUrl },
          ]}
          next={t.scimNext}
          onClose={() => setCreated(null)}
        />
      )}
    </Section>
  );
}

/** Lists API keys with access to SCIM only, and when each was last used. */
function Tokens() {
  const format = useFormat();
  const keys = useList(apiKeyOperations.list, { query: { limit: 100 } });
  if (keys.loading) return null;
  if (keys.failure !== null)
    return <FailurePanel failure={keys.failure} operation={apiKeyOperations.list} retry={keys.refresh} />;
  const tokens = keys.rows.filter(({ scopes }) => scopes.length === 1 && scopes[0] === 'scim');
  if (tokens.length === 0) return <p className="text-soft">{t.scimNone}</p>;
  return (
    <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
      <ul className="flex min-w-0 flex-col gap-1" aria-label={t.scimTokens(tokens.length)}>
        {tokens.map(({ id, prefix, lastUsedAt }) => (
          <li key={id} className="text-soft">
            <code className="font-mono text-caption text-ink">{prefix}</code> ·{' '}
            {lastUsedAt === null ? t.scimUnused : t.scimUsed(format.moment(lastUsedAt))}
          </li>
        ))}
      </ul>
      <Link to={addresses.apiKeys()}>{t.scimRevoke}</Link>
    </div>
  );
}
