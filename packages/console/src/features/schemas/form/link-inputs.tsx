import { schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import { useOperation } from '../../../data/use-operation.ts';
import type { Values } from '../../../forms/editing/changes.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { ListInput } from '../../../forms/editing/inputs/list-input.tsx';
import { ReferenceInput } from '../../../forms/editing/inputs/reference-input.tsx';
import type { FormParts } from '../../../forms/editing/record-editor.tsx';
import { schemaFormTexts as t } from '../../../messages/catalogue/schemas/schema-form.ts';
import { SelectField } from '../../../ui/field.tsx';
import { ColumnChoice } from './column-select.tsx';

const customersOnly = { schemaType: 'customer' };
const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Names of the columns in the form of a new schema, or of the stored one. */
function columnNamesIn(form: FormParts['form'], record: Values | null): readonly string[] {
  const fields = record === null ? form.valueAt('/fields') : record.fields;
  return (Array.isArray(fields) ? fields : [])
    .map((field) => textOf(Reflect.get(Object(field), 'name')))
    .filter(Boolean);
}

/** The link of a schema to its customers, and what decisions read through it. */
export function LinkInputs({ form, field, record }: FormParts) {
  const parentId = textOf(form.valueAt('/linkedSchemaId'));
  const own = columnNamesIn(form, record);
  const parent = useOperation(
    schemaRecordOperations.get,
    { params: { id: parentId } },
    { enabled: parentId !== '', keepPrevious: false },
  );
  const value = form.valueAt('/joinMapping');
  const mapping = isObject(value) ? value : {};
  const set = (name: string, next: string | undefined) => {
    const { [name]: _, ...rest } = mapping;
    const changed = next === undefined ? rest : { ...rest, [name]: next };
    form.set('/joinMapping', Object.keys(changed).length === 0 ? null : changed);
  };
  const column = (name: 'parentField' | 'childField', names: readonly string[]) => (
    <ColumnChoice
      path={`/joinMapping/${name}`}
      label={t[name]}
      help={t[`${name}Help`]}
      isRequired={false}
      {...{ names, text: textOf(mapping[name]), error: form.errors.get(`/joinMapping/${name}`) }}
      placeholder={t.defaultColumn}
      onChange={(next) => set(name, next)}
    />
  );
  return (
    <>
      <ReferenceInput form={form} field={field('/linkedSchemaId')} query={customersOnly} />
      {parentId === '' ? (
        <p className="text-caption text-soft">{t.noParent}</p>
      ) : (
        <>
          {column('parentField', parent.data?.fields.map(({ name }) => name) ?? [])}
          {column('childField', own)}
          <SelectField
            label={t.linkKind}
            help={t.linkKindHelp}
            options={Object.entries(t.joinTypes).map(([each, label]) => ({ value: each, label }))}
            value={textOf(mapping.joinType) || 'left'}
            onChange={({ target }) => set('joinType', target.value === 'left' ? undefined : target.value)}
          />
          <SummaryInput form={form} field={field} names={own} />
        </>
      )}
      {form.errors.get('/joinMapping') === undefined ? null : <FieldInput form={form} field={field('/joinMapping')} />}
    </>
  );
}

interface SummaryInputProps extends Pick<FormParts, 'form' | 'field'> {
  readonly names: readonly string[];
}

/** Chooses the columns that decisions copy or aggregate. */
export function SummaryInput({ form, field, names }: SummaryInputProps) {
  const chosen = form.valueAt('/summaryColumns');
  const stored = Array.isArray(chosen) ? chosen.map(textOf) : [];
  const options = [...new Set([...names, ...stored])];
  return <ListInput form={form} field={{ ...field('/summaryColumns'), kind: 'choices', options }} />;
}
