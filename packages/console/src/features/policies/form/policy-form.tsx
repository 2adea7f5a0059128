import { configShapes } from '@arbiter/contract/catalogue/config-shapes.generated';
import { contactPolicyOperations } from '@arbiter/contract/catalogue/contact-policies';
import { contactPolicyTypes } from '@arbiter/contract/deciding/contact-policy-parts';
import { boot } from '../../../data/boot.ts';
import type { Values } from '../../../forms/editing/changes.ts';
import { FieldGroup, FieldGroups } from '../../../forms/editing/field-group.tsx';
import { configFieldsOf, type SpecOptions } from '../../../forms/editing/field-spec.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { everything, ScopesInput, withPlainScopes } from '../../../forms/editing/inputs/scopes-input.tsx';
import { type FormParts, RecordEditor } from '../../../forms/editing/record-editor.tsx';
import { Presets } from '../../../forms/presets.tsx';
import { policySentence, windowOf } from '../../../messages/catalogue/policies.ts';
import { policyFormTexts as t } from '../../../messages/catalogue/policy-form.ts';
import { SelectField } from '../../../ui/field.tsx';
import { later } from '../../../ui/later.tsx';
import { Week } from '../week.tsx';
import { PolicyConfig } from './policy-config.tsx';
import { isRefused, refusedTypes } from './refused-types.ts';

const ImpactPanel = later(() => import('./impact-panel.tsx').then((module) => module.ImpactPanel));

const spec: SpecOptions = {
  labels: t.labels,
  help: t.help,
  references: {
    '/config/appliesAcross': 'channel',
    '/config/targetCategory': 'category',
    '/config/excludeOfferIds': 'offer',
    '/config/segments': 'segment',
    '/config/excludeSegments': 'segment',
    '/config/categoryId': 'category',
    '/config/subCategoryId': 'subCategory',
    '/config/triggerCategoryId': 'category',
    '/config/metricId': 'behavioralMetric',
  },
};

const initial = {
  ...{ name: '', status: 'active', ruleType: 'frequency_cap', priority: 50, config: {} },
  scopes: everything,
};

const typeOf = (values: Values) => contactPolicyTypes.find((type) => type === values.ruleType);

/** The keys of the config of the policy's type. */
const shapes = (values: Values) => {
  const shape = configShapes.policies?.[String(values.ruleType)];
  return { config: shape === undefined ? [] : configFieldsOf(shape, '/config', spec) };
};

/** What a new policy of a common kind starts with. */
const presets = (
  [
    ['cap', { ruleType: 'frequency_cap', config: { maxPerDay: 3 } }],
    ['hours', { ruleType: 'time_window', config: { startHour: 8, endHour: 21 } }],
    ['complaint', { ruleType: 'outcome_based', config: { afterOutcome: ['complaint'], suppressForDays: 365 } }],
  ] as const
).map(([key, values]) => ({ label: t.presets[key], name: t.presetNames[key], values }));

/** Creates a contact policy, or changes one. */
export function PolicyForm() {
  return (
    <RecordEditor
      kind="contactPolicy"
      operations={contactPolicyOperations}
      spec={spec}
      shapes={shapes}
      asBody={withPlainScopes}
      initial={initial}
    >
      {(parts) => <Fields {...parts} />}
    </RecordEditor>
  );
}

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;

function Fields(parts: FormParts) {
  const { form, field, record } = parts;
  const input = (path: string, optionLabels?: Readonly<Record<string, string>>) => (
    <FieldInput key={path} form={form} field={field(path)} {...(optionLabels === undefined ? {} : { optionLabels })} />
  );
  const type = typeOf(form.values);
  const config = isObject(form.values.config) ? form.values.config : {};
  const open = type === undefined ? null : windowOf(type, config);
  const { status, scopes, priority } = form.values;
  return (
    <FieldGroups>
      <div className="flex min-w-0 flex-col gap-4">
        <FieldGroup title={t.basics}>
          {record === null ? <Presets form={form} presets={presets} /> : null}
          {input('/name')}
          {input('/description')}
          {input('/status', t.statuses)}
        </FieldGroup>
        <FieldGroup title={t.scope}>
          <ScopesInput form={form} field={field('/scopes')} />
          {input('/priority')}
        </FieldGroup>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <FieldGroup title={t.limits}>
          <TypeInput {...parts} />
          <PolicyConfig key={type} {...parts} />
          {open === null ? null : <Week {...open} />}
          {type === undefined ? null : (
            <p className="border-s border-line-strong ps-3 text-dense">
              <span className="block text-soft">{t.inWords}</span>
              {policySentence(type, config)}.
            </p>
          )}
        </FieldGroup>
        <ImpactPanel
          key={type}
          stored={record === null ? null : { id: String(record.id), isActive: record.status === 'active' }}
          tried={{ status, ruleType: type, config, scopes, priority }}
        />
      </div>
    </FieldGroups>
  );
}

/** The type; another one starts with an empty config. A type that the API refuses says why. */
function TypeInput({ form, field }: FormParts) {
  const refused = refusedTypes(boot());
  const type = typeOf(form.values);
  return (
    <SelectField
      label={field('/ruleType').label}
      error={form.errors.get('/ruleType') ?? (isRefused(type, refused) ? t.refused[type] : undefined)}
      help={refused.length === 0 ? undefined : refused.map((each) => t.refused[each]).join(' ')}
      options={contactPolicyTypes.map((value) => ({
        ...{ value, label: t.types[value] },
        disabled: isRefused(value, refused) && type !== value,
      }))}
      value={type ?? ''}
      onChange={({ target }) => form.patch({ ruleType: target.value, config: {} })}
    />
  );
}
