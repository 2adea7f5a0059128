import { type SsoConfig, ssoOperations } from '@arbiter/contract/identity/sso';
import { useMemo } from 'react';
import { boot, tenantOf } from '../../data/boot.ts';
import { useAsk } from '../../data/use-ask.ts';
import { useMutate } from '../../data/use-operation.ts';
import { FieldGroup, FieldGroups } from '../../forms/editing/field-group.tsx';
import { type FieldSpec, fieldsOf } from '../../forms/editing/field-spec.ts';
import { FieldInput } from '../../forms/editing/inputs/field-input.tsx';
import { RecordFormFrame } from '../../forms/editing/record-form.tsx';
import { type RecordForm, useRecordForm } from '../../forms/editing/use-record-form.ts';
import { ssoTexts as t } from '../../messages/access/single-sign-on.ts';
import { addresses } from '../../route/addresses.ts';
import { useLinks } from '../../ui/link.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { CertificateInput } from './certificate-input.tsx';
import { CopyValues } from './copy-values.tsx';
import { configToSend, formValues, ssoSecrets } from './sso-values.ts';
import { TestSection } from './test-section.tsx';

const whole = fieldsOf(ssoOperations.act, undefined, {
  labels: { '/config': t.whole, ...t.labels },
  help: t.help,
  kinds: {
    '/config/oidcClientSecret': 'secret',
    '/config/oidcIssuer': 'text',
    '/config/samlEntityId': 'text',
    '/config/samlSsoUrl': 'text',
  },
}).filter(({ name }) => name === 'config');

function fieldOf(path: string): FieldSpec {
  const field = whole.flatMap(({ fields = [] }) => fields).find((each) => each.path === path);
  if (field === undefined) throw new Error(`the configuration has no ${path}`);
  return field;
}

const byProtocol = {
  oidc: ['oidcIssuer', 'oidcClientId', 'oidcClientSecret', 'oidcScopes'],
  saml: ['samlEntityId', 'samlSsoUrl', 'samlCertificate', 'samlAllowUnsolicited'],
} as const;

/** Edits and tests the configuration, and shows the values that the provider needs. */
export function SsoForm({ config }: { config: SsoConfig }) {
  const links = useLinks();
  const ask = useAsk();
  const { run, busy, failure } = useMutate(ssoOperations.act);
  const stored = useMemo(() => formValues(config), [config]);
  const form = useRecordForm({ draft: 'sso', stored, version: undefined, failure, secrets: ssoSecrets });
  const save = async () => {
    const sent = configToSend(stored, form.values);
    if ((await run({ body: { action: 'configure', config: sent } })) === null) return;
    // The next edits must start from the saved values. If they can't be read, the page's own query reports it.
    await ask(ssoOperations.get, {}).catch(() => null);
    form.discard();
    toast({ text: t.saved });
  };
  const provider = form.valueAt('/config/provider');
  return (
    <RecordFormFrame
      {...{ form, failure, busy }}
      fields={whole}
      operation={ssoOperations.act}
      act={t.save}
      isNew={false}
      onSave={() => void save()}
      onCancel={() => links.go(addresses.settings())}
    >
      <FieldGroups>
        <div className="flex min-w-0 flex-col gap-4">
          <FieldGroup title={t.provider}>
            <FieldInput
              form={form}
              field={{ ...fieldOf('/config/provider'), isRequired: true }}
              optionLabels={t.providers}
            />
            {provider === 'oidc' || provider === 'saml' ? (
              byProtocol[provider].map((name) => <ProtocolField key={name} form={form} name={name} />)
            ) : (
              <p className="text-soft">{t.noProvider}</p>
            )}
          </FieldGroup>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {provider === 'oidc' || provider === 'saml' ? <AtProvider provider={provider} /> : null}
          <TestSection config={config} hasChanges={Object.keys(form.changes).length > 0} />
        </div>
      </FieldGroups>
      <WhoCanSignIn form={form} wasEnforced={config.enforceForAllUsers === true} />
    </RecordFormFrame>
  );
}

type ProtocolFieldName = (typeof byProtocol)['oidc' | 'saml'][number];

function ProtocolField({ form, name }: { form: RecordForm; name: ProtocolFieldName }) {
  const field = fieldOf(`/config/${name}`);
  return name === 'samlCertificate' ? (
    <CertificateInput form={form} field={field} />
  ) : (
    <FieldInput form={form} field={field} />
  );
}

function WhoCanSignIn({ form, wasEnforced }: { form: RecordForm; wasEnforced: boolean }) {
  const isEnforced = form.valueAt('/config/enforceForAllUsers') === true;
  return (
    <FieldGroup title={t.people}>
      <FieldInput form={form} field={fieldOf('/config/enabled')} />
      <FieldInput form={form} field={fieldOf('/config/allowedDomains')} />
      <FieldInput form={form} field={fieldOf('/config/autoProvision')} />
      {form.valueAt('/config/autoProvision') === true ? (
        <FieldInput
          form={form}
          field={{ ...fieldOf('/config/defaultRole'), isRequired: true }}
          optionLabels={t.roles}
        />
      ) : null}
      <FieldInput form={form} field={fieldOf('/config/enforceForAllUsers')} />
      {isEnforced && !wasEnforced ? (
        <ProblemPanel tone="warn" title={t.enforceTitle}>
          {t.enforceText}
        </ProblemPanel>
      ) : null}
    </FieldGroup>
  );
}

/** Shows our values to enter at the provider. */
function AtProvider({ provider }: { provider: 'oidc' | 'saml' }) {
  const { href } = useLinks();
  const address = (path: string) => `${globalThis.location.origin}${href(path)}`;
  const callback = address(ssoOperations.callback.path);
  const metadata = `${address(ssoOperations.metadata.path)}?tenantId=${tenantOf(boot())}`;
  return (
    <FieldGroup title={t.atProvider}>
      <p className="text-soft">{t.atProviderText}</p>
      <CopyValues
        values={
          provider === 'oidc'
            ? [{ label: t.redirectUri, value: callback }]
            : [
                { label: t.entityId, value: metadata },
                { label: t.acsUrl, value: callback },
                { label: t.metadata, value: metadata },
              ]
        }
      />
    </FieldGroup>
  );
}
