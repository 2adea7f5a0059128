import { useCustomerFields } from '../../../forms/editing/condition/condition-fields.ts';
import type { FieldInputProps } from '../../../forms/editing/field-props.ts';
import type { FieldSpec } from '../../../forms/editing/field-spec.ts';
import { ConditionInput } from '../../../forms/editing/inputs/condition-input.tsx';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { ReferenceInput } from '../../../forms/editing/inputs/reference-input.tsx';
import { RowsInput } from '../../../forms/editing/inputs/rows-input.tsx';
import type { FormParts } from '../../../forms/editing/record-editor.tsx';
import { policyFormTexts as t } from '../../../messages/catalogue/policy-form.ts';
import { CheckField } from '../../../ui/field.tsx';

/** The keys of the policy's type; the last one says whether it can be lifted. */
export function PolicyConfig({ form, field }: FormParts) {
  return (field('/config').fields ?? []).map((each) => <ConfigField key={each.path} form={form} field={each} />);
}

function ConfigField({ form, field }: FieldInputProps) {
  switch (field.name) {
    case 'daysOfWeek':
      return <WeekdaysInput form={form} field={field} />;
    case 'condition':
      return <CustomerCondition form={form} field={field} />;
    case 'afterOutcome':
      return <OutcomesInput form={form} field={field} />;
    case 'windows':
      return (
        <RowsInput form={form} field={field} start={{ max: 1, days: 7 }} rowLabel={(_, at) => t.windowLabel(at + 1)} />
      );
    case 'bypassable':
      return <BypassableInput form={form} field={field} />;
    default:
      return <FieldInput form={form} field={field} optionLabels={t.options} />;
  }
}

function CustomerCondition(props: FieldInputProps) {
  return <ConditionInput {...props} fields={useCustomerFields()} emptyText="" />;
}

/** Outcome types by their key. One key may be stored without a list. */
function OutcomesInput({ form, field }: FieldInputProps) {
  const own: FieldSpec = { ...field, kind: 'references', to: 'outcomeTypeKey' };
  return <ReferenceInput form={form} field={own} />;
}

/** On unless it's turned off. */
function BypassableInput({ form, field }: FieldInputProps) {
  const isNever = form.valueAt('/ruleType') === 'do_not_contact';
  return (
    <CheckField
      label={field.label}
      disabledReason={isNever ? t.neverLifted : null}
      help={isNever ? t.neverLifted : undefined}
      checked={!isNever && form.valueAt(field.path) !== false}
      onChange={({ target }) => form.set(field.path, target.checked)}
    />
  );
}

/** Weeks start on Monday, as in ISO 8601. */
const week = [1, 2, 3, 4, 5, 6, 0];

function WeekdaysInput({ form, field: { path } }: FieldInputProps) {
  const value = form.valueAt(path);
  const days: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="text-dense font-medium">{t.days}</legend>
      <div className="flex flex-wrap gap-x-4">
        {week.map((day) => (
          <CheckField
            key={day}
            label={t.weekdays[day]}
            checked={days.includes(day)}
            onChange={({ target }) =>
              form.set(
                path,
                week.filter((each) => (each === day ? target.checked : days.includes(each))),
              )
            }
          />
        ))}
      </div>
      <p className="text-caption text-soft">{t.daysHelp}</p>
    </fieldset>
  );
}
