import { ssoOperations } from '@arbiter/contract/identity/sso';
import { can } from '../../data/can.ts';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { NeedsRole } from '../../forms/needs-role.tsx';
import { ssoTexts as t } from '../../messages/access/single-sign-on.ts';
import { settingsTexts } from '../../messages/settings.ts';
import { addresses } from '../../route/addresses.ts';
import { Page } from '../../ui/page.tsx';
import { ScimSection } from './scim-section.tsx';
import { SsoForm } from './sso-form.tsx';

/** Single sign-on and directory sync of the tenant. */
export function SsoPage() {
  const permission = can(ssoOperations.get);
  const stored = useOperation(ssoOperations.get, {}, { enabled: permission.allowed });
  const parents = [{ title: settingsTexts.title, to: addresses.settings() }];
  if (!permission.allowed) {
    return (
      <Page title={t.title} parents={parents}>
        <NeedsRole title={t.forAdmins} needs={permission.needs} />
      </Page>
    );
  }
  return (
    <Page title={t.title} lead={t.lead} parents={parents}>
      <Loaded answer={stored} operation={ssoOperations.get}>
        {(config) => (
          <>
            <SsoForm config={config} />
            <ScimSection />
          </>
        )}
      </Loaded>
    </Page>
  );
}
