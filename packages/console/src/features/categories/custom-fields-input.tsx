import type { FieldInputProps } from '../../forms/editing/field-props.ts';
import type { FieldSpec } from '../../forms/editing/field-spec.ts';
import { FieldInput } from '../../forms/editing/inputs/field-input.tsx';
import { RowsInput } from '../../forms/editing/inputs/rows-input.tsx';
import { categoryFormTexts as t } from '../../messages/catalogue/category-form.ts';

type Row = Readonly<Record<string, unknown>>;

/** The fields of a definition that its type uses. */
function visibleFields({ type }: Row, fields: readonly FieldSpec[]): readonly FieldSpec[] {
  const isComputed = type === 'computed';
  const hidden = new Set([
    ...(isComputed ? ['defaultValue', 'required'] : ['formula', 'outputType']),
    ...(type === 'select' ? [] : ['options']),
  ]);
  return fields.filter(({ name }) => !hidden.has(name));
}

/** How a default of this type is typed. */
const defaultKinds: Readonly<Record<string, FieldSpec['kind']>> = { number: 'number', boolean: 'flag' };

/** The custom and computed fields that a category gives its offers. */
export function CustomFieldsInput({ form, field }: FieldInputProps) {
  return (
    <RowsInput
      labelHidden
      form={form}
      field={field}
      start={{ key: '', type: 'text' }}
      rowLabel={({ label, key }) =>
        ([label, key].find((text) => typeof text === 'string' && text !== '') as string) ?? t.newField
      }
      shown={visibleFields}
      control={(each, { type, options }) => {
        if (each.name === 'type') return <FieldInput form={form} field={each} optionLabels={t.types} />;
        if (each.name === 'outputType') return <FieldInput form={form} field={each} optionLabels={t.outputs} />;
        if (each.name !== 'defaultValue') return undefined;
        const isChoice = type === 'select' && Array.isArray(options);
        const own: FieldSpec = isChoice
          ? { ...each, kind: 'choice', options: options.filter((option) => typeof option === 'string') }
          : { ...each, kind: defaultKinds[String(type)] ?? 'text' };
        return <FieldInput key={`${own.path} ${own.kind}`} form={form} field={own} />;
      }}
    />
  );
}
