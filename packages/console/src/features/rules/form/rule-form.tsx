import { configShapes } from '@arbiter/contract/catalogue/config-shapes.generated';
import {
  qualificationRuleOperations,
  qualificationRuleTypes,
  qualificationStages,
} from '@arbiter/contract/catalogue/qualification-rules';
import type { Values } from '../../../forms/editing/changes.ts';
import { FieldGroup, FieldGroups } from '../../../forms/editing/field-group.tsx';
import { configFieldsOf, type SpecOptions } from '../../../forms/editing/field-spec.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { everything, ScopesInput, withPlainScopes } from '../../../forms/editing/inputs/scopes-input.tsx';
import { type FormParts, RecordEditor } from '../../../forms/editing/record-editor.tsx';
import { Presets } from '../../../forms/presets.tsx';
import { ruleFormTexts as t } from '../../../messages/catalogue/rule-form.ts';
import { consequence, ruleSentence } from '../../../messages/catalogue/rules.ts';
import { SelectField } from '../../../ui/field.tsx';
import { ReachPanel } from './reach-panel.tsx';
import { RuleConfig } from './rule-config.tsx';

const spec: SpecOptions = {
  labels: t.labels,
  help: t.help,
  references: {
    '/config/requiredSegments': 'segment',
    '/config/metricId': 'behavioralMetric',
    '/config/modelKey': 'modelKey',
  },
};

const initial = {
  ...{ name: '', status: 'active', ruleType: 'attribute_condition', stage: 'eligibility', priority: 50 },
  config: { operator: 'gte' },
  scopes: everything,
};

const typeOf = (values: Values) => qualificationRuleTypes.find((type) => type === values.ruleType);

/** The keys of the config of the rule's type. */
const shapes = (values: Values) => {
  const shape = configShapes.rules?.[String(values.ruleType)];
  return { config: shape === undefined ? [] : configFieldsOf(shape, '/config', spec) };
};

/** What a new rule of a common kind starts with. */
const presets = (
  [
    ['adult', 'attribute_condition', { attribute: 'customer.age', operator: 'gte', value: 18 }],
    ['consent', 'attribute_condition', { attribute: 'customer.consent', operator: 'eq', value: true }],
    ['recent', 'recency_check', { attribute: 'customer.last_visit', maxDays: 30 }],
  ] as const
).map(([key, ruleType, config]) => ({ label: t.presets[key], name: t.presetNames[key], values: { ruleType, config } }));

/** Creates a qualification rule, or changes one. */
export function RuleForm() {
  return (
    <RecordEditor
      kind="qualificationRule"
      operations={qualificationRuleOperations}
      spec={spec}
      shapes={shapes}
      asBody={withPlainScopes}
      initial={initial}
    >
      {(parts) => <Fields {...parts} />}
    </RecordEditor>
  );
}

/** Types whose sentence begins with an attribute, and says nothing without one. */
const readsAttribute: ReadonlySet<string> = new Set(['attribute_condition', 'recency_check', 'offer_attribute']);

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;

function Fields(parts: FormParts) {
  const { form, field, record } = parts;
  const input = (path: string, optionLabels?: Readonly<Record<string, string>>) => (
    <FieldInput key={path} form={form} field={field(path)} {...(optionLabels === undefined ? {} : { optionLabels })} />
  );
  const type = typeOf(form.values);
  const config = isObject(form.values.config) ? form.values.config : {};
  const stage = qualificationStages.find((each) => each === form.values.stage) ?? 'eligibility';
  return (
    <FieldGroups>
      <div className="flex min-w-0 flex-col gap-4">
        <FieldGroup title={t.basics}>
          {record === null ? <Presets form={form} presets={presets} /> : null}
          {input('/name')}
          {input('/description')}
          {input('/status', t.statuses)}
        </FieldGroup>
        <FieldGroup title={t.effect}>
          <FieldInput
            form={form}
            field={{ ...field('/stage'), options: [...qualificationStages] }}
            optionLabels={t.stages}
          />
          {stage === 'match' ? input('/config/penalty') : null}
          <ScopesInput form={form} field={field('/scopes')} />
          {input('/priority')}
        </FieldGroup>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <FieldGroup title={t.asks}>
          <SelectField
            label={field('/ruleType').label}
            error={form.errors.get('/ruleType')}
            options={qualificationRuleTypes.map((value) => ({ value, label: t.types[value] }))}
            value={type ?? ''}
            onChange={({ target }) => form.patch({ ruleType: target.value, config: {} })}
          />
          <RuleConfig key={type} {...parts} />
          {type === undefined || (readsAttribute.has(type) && !config.attribute) ? null : (
            <p className="border-s border-line-strong ps-3 text-dense">
              <span className="block text-soft">{t.inWords}</span>
              {ruleSentence(type, config)}. {t.otherwise(consequence(stage, config))}
            </p>
          )}
        </FieldGroup>
        <ReachPanel key={type} ruleType={type} config={config} />
      </div>
    </FieldGroups>
  );
}
