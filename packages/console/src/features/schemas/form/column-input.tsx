import { dataTypes } from '@arbiter/contract/catalogue/schemas';
import type { Values } from '../../../forms/editing/changes.ts';
import { fieldId } from '../../../forms/editing/field-id.ts';
import type { FieldSpec } from '../../../forms/editing/field-spec.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import type { RecordForm } from '../../../forms/editing/use-record-form.ts';
import { dataTypeTexts } from '../../../messages/catalogue/schemas/schema-form.ts';
import { CheckField, SelectField } from '../../../ui/field.tsx';
import { withDataType, withKey } from './column-shape.ts';

export interface ColumnInputProps {
  readonly form: RecordForm;
  readonly field: FieldSpec;
  readonly definition: Values;
  /** Changes several properties of the definition. */
  readonly onChange: (definition: Values) => void;
}

const typeOptions = dataTypes.map((value) => ({ value, label: dataTypeTexts[value] }));

/** A property of a field's definition. */
export function ColumnInput({ form, field, definition, onChange }: ColumnInputProps) {
  const { path, name, label, help } = field;
  switch (name) {
    case 'dataType':
      return (
        <SelectField
          id={fieldId(path)}
          {...{ label, help }}
          error={form.errors.get(path)}
          options={typeOptions}
          value={String(definition.dataType)}
          onChange={({ target }) => onChange(withDataType(definition, target.value))}
        />
      );
    case 'isPrimaryKey':
      return (
        <CheckField
          id={fieldId(path)}
          label={label}
          help={form.errors.get(path) ?? help}
          checked={definition.isPrimaryKey === true}
          onChange={({ target }) => onChange(withKey(definition, target.checked))}
        />
      );
    case 'defaultValue':
      return <FieldInput form={form} field={{ ...field, kind: 'text' }} />;
    default:
      return <FieldInput form={form} field={field} />;
  }
}
