import {
  type DataSchema,
  type SchemaField,
  schemaRecordOperations,
  schemaTableOperations,
} from '@arbiter/contract/catalogue/schemas';
import { useMemo } from 'react';
import { useMutate, useOperation } from '../../../data/use-operation.ts';
import { type Values, valuesOf } from '../../../forms/editing/changes.ts';
import { FieldGroup, FieldGroups } from '../../../forms/editing/field-group.tsx';
import { fieldsOf } from '../../../forms/editing/field-spec.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { RecordFormFrame } from '../../../forms/editing/record-form.tsx';
import { type RecordForm, useRecordForm } from '../../../forms/editing/use-record-form.ts';
import { Loaded } from '../../../forms/loaded.tsx';
import { dataTypeTexts, schemaFormTexts as t } from '../../../messages/catalogue/schemas/schema-form.ts';
import { schemaTexts } from '../../../messages/catalogue/schemas/schemas.ts';
import { editingTexts } from '../../../messages/lists/editing.ts';
import { addresses } from '../../../route/addresses.ts';
import { useOptionalParam, useParam } from '../../../route/use-address.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { useLinks } from '../../../ui/link.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';
import { Page } from '../../../ui/page.tsx';
import { ColumnInput } from './column-input.tsx';
import { columnFields } from './column-shape.ts';
import { DropField } from './drop-field.tsx';

const spec = { labels: t.labels, help: { ...t.help, '/name': t.columnName } };
const start = { name: '', dataType: 'varchar', isNullable: true };
const meaning = ['displayName', 'description', 'ordinal'] as const;
const usage = ['isPredictor', 'isSensitive', 'neverStore'] as const;

/** Adds a field to the schema in the address, or changes one. */
export function FieldForm() {
  const id = useParam('id');
  const fieldId = useOptionalParam('field');
  const answer = useOperation(schemaRecordOperations.get, { params: { id } });
  const schema = answer.data;
  const field = schema?.fields.find((each) => each.id === fieldId);
  const title =
    fieldId === undefined ? t.addTitle : field === undefined ? t.editTitle : t.editingField(field.displayName);
  return (
    <Page
      title={title}
      parents={[
        { title: schemaTexts.schemas, to: addresses.schemas() },
        { title: schema?.displayName ?? schemaTexts.schema, to: addresses.schema(id) },
      ]}
      actions={schema === undefined || field === undefined ? null : <DropField schema={schema} field={field} />}
    >
      <Loaded
        answer={answer}
        operation={schemaRecordOperations.get}
        instead={{ title: schemaTexts.schemas, to: addresses.schemas() }}
      >
        {(body) => {
          if (fieldId === undefined) return <NewField schema={body} />;
          return field === undefined ? <NoField schema={body} /> : <StoredField schema={body} field={field} />;
        }}
      </Loaded>
    </Page>
  );
}

function NoField({ schema }: { readonly schema: DataSchema }) {
  return (
    <Empty
      title={t.noField}
      actions={<ButtonLink to={addresses.schema(schema.id)}>{t.backTo(schema.displayName)}</ButtonLink>}
    />
  );
}

function NewField({ schema }: { readonly schema: DataSchema }) {
  const links = useLinks();
  const { run, busy, failure } = useMutate(schemaTableOperations.createField);
  const form = useRecordForm({ draft: `field new ${schema.id}`, stored: start, version: undefined, failure });
  const fields = useMemo(
    () =>
      fieldsOf(schemaTableOperations.createField, undefined, spec).filter(
        ({ name }) => name !== 'schemaId' && name !== 'isPrimaryKey',
      ),
    [],
  );
  const back = addresses.schema(schema.id);
  const save = async (changes: Values) => {
    const field = await run({ body: { ...start, ...changes, schemaId: schema.id } });
    if (field === null) return;
    form.discard();
    toast({ text: t.added(field.displayName) });
    links.go(back);
  };
  const shown = columnFields(form.values, fields);
  const isUse = (name: string) => usage.some((each) => each === name);
  const inputs = (chosen: typeof shown) =>
    chosen.map((field) => (
      <ColumnInput key={field.path} form={form} field={field} definition={form.values} onChange={form.patch} />
    ));
  return (
    <RecordFormFrame
      {...{ form, fields, busy, failure, operation: schemaTableOperations.createField }}
      act={t.createAct}
      isNew
      onSave={(changes) => void save(changes)}
      onCancel={() => links.go(back)}
    >
      <FieldGroups>
        <FieldGroup title={t.column}>{inputs(shown.filter(({ name }) => !isUse(name)))}</FieldGroup>
        <FieldGroup title={t.usage}>{inputs(shown.filter(({ name }) => isUse(name)))}</FieldGroup>
      </FieldGroups>
    </RecordFormFrame>
  );
}

function StoredField({ schema, field }: { readonly schema: DataSchema; readonly field: SchemaField }) {
  const links = useLinks();
  const { run, busy, failure } = useMutate(schemaTableOperations.updateField);
  const stored = useMemo(() => valuesOf({ ...field }, [...meaning, ...usage]), [field]);
  const form = useRecordForm({ draft: `field ${field.id}`, stored, version: schema.version, failure });
  const fields = useMemo(() => fieldsOf(schemaTableOperations.updateField, undefined, spec), []);
  const back = addresses.schema(schema.id);
  const save = async (changes: Values) => {
    const saved = await run({ body: { ...changes, fieldId: field.id } });
    if (saved === null) return;
    form.discard();
    toast({ text: editingTexts.saved(saved.displayName) });
    links.go(back);
  };
  return (
    <RecordFormFrame
      {...{ form, fields, busy, failure, operation: schemaTableOperations.updateField }}
      act={editingTexts.save}
      isNew={false}
      onSave={(changes) => void save(changes)}
      onCancel={() => links.go(back)}
    >
      <FieldGroups>
        <FieldGroup title={t.meaning}>
          <Inputs form={form} fields={fields} names={meaning} />
        </FieldGroup>
        <div className="flex min-w-0 flex-col gap-4">
          <FieldGroup title={t.usage}>
            <Inputs form={form} fields={fields} names={usage} />
          </FieldGroup>
          <FieldGroup title={t.column}>
            <ColumnFacts field={field} />
          </FieldGroup>
        </div>
      </FieldGroups>
    </RecordFormFrame>
  );
}

interface InputsProps {
  readonly form: RecordForm;
  readonly fields: ReturnType<typeof fieldsOf>;
  readonly names: readonly string[];
}

function Inputs({ form, fields, names }: InputsProps) {
  return fields
    .filter(({ name }) => names.includes(name))
    .map((each) => <FieldInput key={each.path} form={form} field={each} />);
}

function ColumnFacts({ field }: { readonly field: SchemaField }) {
  const { name, dataType, length, isNullable, isPrimaryKey, isUnique, defaultValue } = field;
  const yesNo = (is: boolean) => (is ? schemaTexts.yes : schemaTexts.no);
  return (
    <>
      <p className="text-soft">{t.columnFixed}</p>
      <Facts
        facts={[
          { label: t.name, value: <code className="text-caption">{name}</code> },
          { label: t.labels['/dataType'], value: `${dataTypeTexts[dataType]}${length === null ? '' : ` (${length})`}` },
          { label: t.labels['/fields/-/isPrimaryKey'], value: yesNo(isPrimaryKey) },
          { label: t.labels['/isUnique'], value: yesNo(isUnique) },
          { label: t.labels['/isNullable'], value: yesNo(isNullable) },
          { label: t.labels['/defaultValue'], value: defaultValue },
        ]}
      />
    </>
  );
}
