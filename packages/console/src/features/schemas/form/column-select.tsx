import { schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import { useOperation } from '../../../data/use-operation.ts';
import { fieldId } from '../../../forms/editing/field-id.ts';
import type { FieldInputProps } from '../../../forms/editing/field-props.ts';
import { schemaFormTexts as t } from '../../../messages/catalogue/schemas/schema-form.ts';
import { SelectField } from '../../../ui/field.tsx';

export interface ColumnSelectProps extends FieldInputProps {
  /** The schema whose columns can be chosen; undefined until one is. */
  readonly schemaId: string | undefined;
  /** Label of the empty choice. */
  readonly placeholder?: string;
}

/** Chooses a column of a stored schema. */
export function ColumnSelect({ form, field, schemaId, placeholder = t.chooseColumn }: ColumnSelectProps) {
  const { path, label, help, isRequired } = field;
  const answer = useOperation(
    schemaRecordOperations.get,
    { params: { id: schemaId ?? '' } },
    { enabled: schemaId !== undefined, keepPrevious: false },
  );
  const value = form.valueAt(path);
  const text = typeof value === 'string' ? value : '';
  const names = answer.data?.fields.map(({ name }) => name) ?? [];
  return (
    <ColumnChoice
      {...{ path, label, help, isRequired, names, text }}
      error={form.errors.get(path)}
      placeholder={schemaId === undefined ? t.chooseSchema : placeholder}
      onChange={(next) => form.set(path, next)}
    />
  );
}

interface ColumnChoiceProps {
  readonly path: string;
  readonly label: string;
  readonly help: string;
  readonly isRequired: boolean;
  readonly names: readonly string[];
  readonly text: string;
  readonly error: string | undefined;
  readonly placeholder: string;
  readonly onChange: (name: string | undefined) => void;
}

/** Chooses a column name. Still shows a stored name that no longer exists. */
export function ColumnChoice(props: ColumnChoiceProps) {
  const { path, label, help, isRequired, names, text, error, placeholder, onChange } = props;
  const all = text === '' || names.includes(text) ? names : [...names, text];
  return (
    <SelectField
      id={fieldId(path)}
      {...{ label, isRequired, error, placeholder }}
      help={help === '' ? undefined : help}
      options={all.map((name) => ({ value: name, label: name }))}
      value={text}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
    />
  );
}
