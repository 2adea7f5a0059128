import { schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import type { Values } from '../../../forms/editing/changes.ts';
import { FieldGroup } from '../../../forms/editing/field-group.tsx';
import { fieldId } from '../../../forms/editing/field-id.ts';
import type { SpecOptions } from '../../../forms/editing/field-spec.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { RowsInput } from '../../../forms/editing/inputs/rows-input.tsx';
import { type FormParts, RecordEditor } from '../../../forms/editing/record-editor.tsx';
import { schemaFormTexts as t } from '../../../messages/catalogue/schemas/schema-form.ts';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { ColumnInput } from './column-input.tsx';
import { columnFields, tableNameOf } from './column-shape.ts';
import { LinkInputs } from './link-inputs.tsx';

const spec: SpecOptions = { labels: t.labels, help: t.help };

const initial = {
  ...{ name: '', displayName: '', schemaType: 'customer', entityType: 'customer', autoEnrich: true },
  fields: [
    {
      ...{ name: 'customer_id', displayName: 'Customer', dataType: 'varchar', length: 64 },
      ...{ isPrimaryKey: true, isNullable: false },
    },
  ],
};

/** Creates a schema with its fields, or edits one. Fields of a stored schema have their own forms. */
export function SchemaForm() {
  return (
    <RecordEditor kind="schema" operations={schemaRecordOperations} spec={spec} initial={initial}>
      {(parts) => <Fields {...parts} />}
    </RecordEditor>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function Fields(parts: FormParts) {
  const { form, field, record } = parts;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <FieldGroup title={t.basics}>
        <Names {...parts} />
        <FieldInput form={form} field={field('/description')} />
        <TypeInput form={form} field={field} />
        <FieldInput form={form} field={field('/entityType')} optionLabels={t.entityTypes} />
      </FieldGroup>
      <div className="flex min-w-0 flex-col gap-4">
        <FieldGroup title={t.use}>
          <FieldInput form={form} field={field('/autoEnrich')} />
        </FieldGroup>
        <FieldGroup title={t.link}>
          <LinkInputs {...parts} />
        </FieldGroup>
      </div>
      {record === null ? (
        <div className="min-w-0 lg:col-span-2">
          <FieldGroup title={t.fields}>
            <Columns form={form} field={field} />
          </FieldGroup>
        </div>
      ) : null}
    </div>
  );
}

/** The table name follows the display name until the user edits it. */
function Names({ form, field, record }: FormParts) {
  const name = textOf(form.valueAt('/name'));
  const shown = field('/displayName');
  const follow = (next: string) => {
    const isFollowing = name === '' || name === tableNameOf(textOf(form.valueAt('/displayName')));
    form.patch({ displayName: next, ...(record === null && isFollowing ? { name: tableNameOf(next) } : {}) });
  };
  return (
    <>
      <TextField
        id={fieldId(shown.path)}
        label={shown.label}
        isRequired={shown.isRequired}
        error={form.errors.get(shown.path)}
        value={textOf(form.valueAt(shown.path))}
        onChange={({ target }) => follow(target.value)}
      />
      {record === null ? (
        <FieldInput form={form} field={field('/name')} />
      ) : (
        <div>
          <h3 className="text-dense font-medium">{t.name}</h3>
          <code className="text-dense break-all">{textOf(record.name)}</code>
          <p className="text-caption text-soft">{t.fixedName}</p>
        </div>
      )}
    </>
  );
}

function TypeInput({ form, field }: Pick<FormParts, 'form' | 'field'>) {
  const { path, label, help } = field('/schemaType');
  const value = textOf(form.valueAt(path));
  const own = Object.hasOwn(t.schemaTypes, value) || value === '' ? {} : { [value]: value };
  return (
    <SelectField
      id={fieldId(path)}
      {...{ label, help }}
      error={form.errors.get(path)}
      options={Object.entries({ ...t.schemaTypes, ...own }).map(([each, text]) => ({ value: each, label: text }))}
      value={value}
      onChange={({ target }) => form.set(path, target.value)}
    />
  );
}

function Columns({ form, field }: Pick<FormParts, 'form' | 'field'>) {
  const list = field('/fields');
  const change = (at: string, next: Values) => form.set(at, next);
  return (
    <RowsInput
      labelHidden
      form={form}
      field={list}
      start={{ name: '', dataType: 'varchar', isNullable: true }}
      rowLabel={({ displayName, name }) => textOf(displayName) || textOf(name) || t.newField}
      shown={columnFields}
      control={(each, row) => (
        <ColumnInput
          form={form}
          field={each}
          definition={row}
          onChange={(next) => change(each.path.slice(0, each.path.lastIndexOf('/')), next)}
        />
      )}
    />
  );
}
