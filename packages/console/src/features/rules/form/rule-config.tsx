import { useId } from 'react';
import { useCustomerFields } from '../../../forms/editing/condition/condition-fields.ts';
import { ValueInput } from '../../../forms/editing/condition/value-input.tsx';
import { fieldId } from '../../../forms/editing/field-id.ts';
import type { FieldSpec } from '../../../forms/editing/field-spec.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import type { FormParts } from '../../../forms/editing/record-editor.tsx';
import { ruleFormTexts as t } from '../../../messages/catalogue/rule-form.ts';
import { TextField } from '../../../ui/field.tsx';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The keys of the rule's type. The alias of a key is only for the API. */
export function RuleConfig({ form, field }: FormParts) {
  const fields = (field('/config').fields ?? []).filter(({ name }) => name !== 'model' && name !== 'penalty');
  return fields.map((each) => <ConfigField key={each.path} form={form} field={each} />);
}

interface ConfigFieldProps {
  readonly form: FormParts['form'];
  readonly field: FieldSpec;
}

function ConfigField({ form, field }: ConfigFieldProps) {
  if (field.name === 'attribute') return <AttributeInput form={form} field={field} />;
  if (field.name === 'value') return <ComparedWith form={form} field={field} />;
  const labels = field.name === 'onMissing' ? t.missing : t.operators;
  return <FieldInput form={form} field={field} optionLabels={labels} />;
}

/** A path to compare, with the columns of the customer as suggestions. */
function AttributeInput({ form, field }: ConfigFieldProps) {
  const list = useId();
  const columns = useCustomerFields();
  const { path, label, help } = field;
  const isOffer = form.valueAt('/ruleType') === 'offer_attribute';
  return (
    <>
      <TextField
        id={fieldId(path)}
        {...{ label, help }}
        isRequired
        error={form.errors.get(path)}
        list={isOffer ? undefined : list}
        autoComplete="off"
        spellCheck={false}
        value={textOf(form.valueAt(path))}
        onChange={({ target }) => form.set(path, target.value)}
      />
      {isOffer ? null : (
        <datalist id={list}>
          {columns.map(({ name, from }) => (
            <option key={name} value={name.startsWith('customer.') ? name : `customer.${name}`} label={from} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** The value that an attribute is compared with, typed like the attribute. */
function ComparedWith({ form, field }: ConfigFieldProps) {
  const columns = useCustomerFields();
  const name = textOf(form.valueAt('/config/attribute')).replace(/^customer\./, '');
  const column = columns.find((each) => each.name === name);
  const operator = textOf(form.valueAt('/config/operator'));
  if (operator === 'exists' || operator === 'not_exists') return null;
  return (
    <div id={fieldId(field.path)} className="flex flex-col gap-1">
      <span className="text-dense font-medium">{field.label}</span>
      <ValueInput
        key={`${operator} ${column?.type}`}
        leaf={{ kind: 'leaf', field: name, operator, value: form.valueAt(field.path) }}
        field={column}
        error={form.errors.get(field.path)}
        onChange={(value) => form.set(field.path, value)}
      />
    </div>
  );
}
