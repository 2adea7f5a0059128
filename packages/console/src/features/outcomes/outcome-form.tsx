import { outcomeTypeOperations } from '@arbiter/contract/catalogue/outcome-types';
import { FieldGroup, FieldGroups } from '../../forms/editing/field-group.tsx';
import { FieldInput } from '../../forms/editing/inputs/field-input.tsx';
import { type FormParts, RecordEditor } from '../../forms/editing/record-editor.tsx';
import { Presets } from '../../forms/presets.tsx';
import { outcomeTexts as t } from '../../messages/catalogue/outcomes.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { ProblemPanel } from '../../ui/problem.tsx';

const spec = { labels: t.labels, help: t.help };
const initial = {
  ...{ name: '', key: '', classification: 'positive', category: 'response' },
  ...{ isConversion: false, ordinal: 0, status: 'active' },
};

/** What a new outcome type of a common kind starts with. */
const presets = (
  [
    ['purchase', { key: 'purchase', classification: 'positive', category: 'response', isConversion: true }],
    ['interest', { key: 'interest', classification: 'positive', category: 'response', isConversion: false }],
    ['refusal', { key: 'refusal', classification: 'negative', category: 'response', isConversion: false }],
  ] as const
).map(([key, values]) => ({ label: t.presets[key], name: t.presets[key], values }));

/** Creates an outcome type, or changes one. */
export function OutcomeForm() {
  return (
    <RecordEditor
      kind="outcomeType"
      operations={outcomeTypeOperations}
      spec={spec}
      initial={initial}
      instead={(record) => (record?.isSystem === true ? <ProblemPanel tone="warn" title={t.builtInText} /> : null)}
    >
      {(parts) => <Fields {...parts} />}
    </RecordEditor>
  );
}

function Fields({ form, field, record }: FormParts) {
  const input = (path: string, optionLabels?: Readonly<Record<string, string>>) => (
    <FieldInput key={path} form={form} field={field(path)} {...(optionLabels === undefined ? {} : { optionLabels })} />
  );
  const isPositive = form.valueAt('/classification') === 'positive';
  return (
    <FieldGroups>
      <FieldGroup title={t.formBasics}>
        {record === null ? <Presets form={form} presets={presets} /> : null}
        {input('/name')}
        {record === null ? (
          input('/key')
        ) : (
          <div>
            <h3 className="text-dense font-medium">{listTexts.key}</h3>
            <code className="text-dense">{String(record.key)}</code>
            <p className="text-caption text-soft">{t.fixedKey}</p>
          </div>
        )}
        {input('/description')}
        {input('/status', t.statuses)}
        {input('/ordinal')}
      </FieldGroup>
      <FieldGroup title={t.formMeaning}>
        {input('/classification', t.formClassifications)}
        {input('/category', t.formCategories)}
        {isPositive || form.valueAt('/isConversion') === true ? input('/isConversion') : null}
      </FieldGroup>
    </FieldGroups>
  );
}
