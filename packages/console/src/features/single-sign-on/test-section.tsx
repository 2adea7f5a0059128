import { type SsoConfig, ssoOperations } from '@arbiter/contract/identity/sso';
import { useState } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { ssoTexts as t } from '../../messages/access/single-sign-on.ts';
import { Button } from '../../ui/button.tsx';
import { Link, useLinks } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';

/** Returns 128 random bits. Works without https, where browsers have no `randomUUID`. */
const randomState = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export interface TestSectionProps {
  /** The stored configuration, which the test uses. */
  readonly config: SsoConfig;
  readonly hasChanges: boolean;
}

/** Asks the server to start a sign-in, which reads the provider's metadata, and offers to complete it. */
export function TestSection({ config: { provider, enabled }, hasChanges }: TestSectionProps) {
  const { href } = useLinks();
  const { run, busy, failure } = useMutate(ssoOperations.act);
  const [authUrl, setAuthUrl] = useState<string | null>(null);
  const test = async () => {
    setAuthUrl(null);
    const redirectUri = `${globalThis.location.origin}${href(ssoOperations.callback.path)}`;
    const answer = await run({ body: { action: 'get_auth_url', state: randomState(), redirectUri } });
    setAuthUrl(answer?.authUrl ?? null);
  };
  const reason = hasChanges ? t.testSave : provider === 'none' || enabled !== true ? t.testEnable : null;
  return (
    <Section
      title={t.testing}
      actions={
        <Button size="small" busy={busy} disabledReason={reason} onClick={() => void test()}>
          {t.test}
        </Button>
      }
    >
      {failure !== null ? (
        <FailurePanel failure={failure} operation={ssoOperations.act} retry={() => void test()} />
      ) : authUrl === null || provider === 'none' ? (
        <p className="text-soft">{reason ?? t.testedText[provider === 'none' ? 'oidc' : provider]}</p>
      ) : (
        <ProblemPanel tone="info" title={t.tested[provider]} actions={<Link to={authUrl}>{t.trySignIn}</Link>}>
          <p>{t.testedText[provider]}</p>
          <p>{t.tryNote}</p>
        </ProblemPanel>
      )}
    </Section>
  );
}
