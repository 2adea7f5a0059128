import { channelOperations, providerKeys } from '@arbiter/contract/catalogue/channels';
import { FieldGroup, FieldGroups } from '../../forms/editing/field-group.tsx';
import { FieldInput } from '../../forms/editing/inputs/field-input.tsx';
import { type FormParts, RecordEditor } from '../../forms/editing/record-editor.tsx';
import { Presets } from '../../forms/presets.tsx';
import { channelFormTexts as t } from '../../messages/catalogue/channel-form.ts';
import { SelectField } from '../../ui/field.tsx';

const provider = (key: string) => `/providerConfig/${key}`;
const secrets = ['secretAccessKey', 'apiKey', 'authToken', 'accessToken', 'serviceAccount', 'secret'];
const spec = {
  labels: t.labels,
  help: t.help,
  kinds: Object.fromEntries(secrets.map((key) => [provider(key), 'secret' as const])),
  secrets: [provider('headers')],
};

const initial = {
  name: '',
  channelType: 'web',
  status: 'active',
  deliveryMode: 'api',
  impressionMode: 'implicit',
  couplingMode: 'partial',
};

/** What a new channel of a common kind starts with. */
const presets = (
  [
    ['email', { channelType: 'email', deliveryMode: 'integration', impressionMode: 'implicit' }],
    ['sms', { channelType: 'sms', deliveryMode: 'integration', impressionMode: 'implicit' }],
    ['push', { channelType: 'push', deliveryMode: 'integration', impressionMode: 'implicit' }],
    ['web', { channelType: 'web', deliveryMode: 'api', impressionMode: 'explicit' }],
    ['app', { channelType: 'in_app', deliveryMode: 'api', impressionMode: 'explicit' }],
  ] as const
).map(([key, values]) => ({ label: t.presets[key], name: t.presets[key], values }));

/** Creates a channel, or changes one. */
export function ChannelForm() {
  return (
    <RecordEditor kind="channel" operations={channelOperations} spec={spec} initial={initial}>
      {(parts) => <Fields {...parts} />}
    </RecordEditor>
  );
}

function Fields(parts: FormParts) {
  const { form, field, record } = parts;
  const input = (path: string, optionLabels?: Readonly<Record<string, string>>) => (
    <FieldInput key={path} form={form} field={field(path)} {...(optionLabels === undefined ? {} : { optionLabels })} />
  );
  const mode = form.valueAt('/deliveryMode');
  return (
    <FieldGroups>
      <FieldGroup title={t.basics}>
        {record === null ? <Presets form={form} presets={presets} /> : null}
        {input('/name')}
        {input('/key')}
        {input('/channelType')}
        {input('/description')}
        {input('/status', t.statuses)}
      </FieldGroup>
      <FieldGroup title={t.delivery}>
        {input('/deliveryMode', t.deliveries)}
        {input('/impressionMode', t.impressions)}
        {input('/couplingMode', t.couplings)}
        {input('/addressAttribute')}
        {input('/timezone')}
      </FieldGroup>
      {mode === 'integration' ? (
        <FieldGroup title={t.provider}>
          <ProviderFields {...parts} />
        </FieldGroup>
      ) : null}
      {mode === 'file' ? (
        <FieldGroup title={t.files}>
          {input('/fileConfig/format')}
          {input('/fileConfig/columns')}
          {input('/fileConfig/includePersonalization')}
          {input('/fileConfig/destination', t.destinations)}
          {form.valueAt('/fileConfig/destination') === 's3' ? input('/fileConfig/s3Path') : null}
        </FieldGroup>
      ) : null}
    </FieldGroups>
  );
}

type Provider = keyof typeof t.providers;
const isProvider = (value: unknown): value is Provider =>
  typeof value === 'string' && Object.hasOwn(t.providers, value);
const common: readonly string[] = providerKeys.common;

/** The settings of the chosen provider. Another one keeps only what every provider has. */
function ProviderFields({ form, field }: FormParts) {
  const config = form.valueAt('/providerConfig');
  const chosen = form.valueAt(provider('provider'));
  const select = field(provider('provider'));
  const change = (next: string) => {
    const otherEntries = Object.entries(typeof config === 'object' && config !== null ? config : {}).filter(([key]) =>
      common.includes(key),
    );
    form.set('/providerConfig', next === '' ? {} : { ...Object.fromEntries(otherEntries), provider: next });
  };
  return (
    <>
      <SelectField
        label={select.label}
        error={form.errors.get(select.path)}
        placeholder={t.noProvider}
        options={(select.options ?? []).map((value) => ({
          value,
          label: isProvider(value) ? t.providers[value] : value,
        }))}
        value={isProvider(chosen) ? chosen : ''}
        onChange={({ target }) => change(target.value)}
      />
      {isProvider(chosen)
        ? [...(chosen === 'webhook' ? ['url', 'headers'] : ['from']), ...providerKeys[chosen]].map((key) => (
            <FieldInput key={`${chosen} ${key}`} form={form} field={field(provider(key))} />
          ))
        : null}
    </>
  );
}
