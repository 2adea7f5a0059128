import type { DataSchema } from '@arbiter/contract/catalogue/schemas';
import { segmentOperations } from '@arbiter/contract/catalogue/segments';
import { useMemo } from 'react';
import { FieldGroup } from '../../../forms/editing/field-group.tsx';
import { fieldId } from '../../../forms/editing/field-id.ts';
import type { FieldSpec, SpecOptions } from '../../../forms/editing/field-spec.ts';
import { ConditionInput } from '../../../forms/editing/inputs/condition-input.tsx';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { ReferenceInput } from '../../../forms/editing/inputs/reference-input.tsx';
import { RowsInput } from '../../../forms/editing/inputs/rows-input.tsx';
import { type FormParts, RecordEditor } from '../../../forms/editing/record-editor.tsx';
import { segmentFormTexts as t } from '../../../messages/catalogue/segment-form.ts';
import { SelectField } from '../../../ui/field.tsx';
import { LiveCount } from './live-count.tsx';
import { useSegmentFields } from './segment-fields.ts';

const spec: SpecOptions = { labels: t.labels, help: t.help, references: { '/joins/-/schemaId': 'dataSchema' } };
const everyone = { logic: 'and', conditions: [] };
const initial = { name: '', status: 'active', joins: [], filters: everyone };
const customersOnly = { schemaType: 'customer' };

/** Creates a segment, or changes one, with a count that follows the condition. */
export function SegmentForm() {
  return (
    <RecordEditor kind="segment" operations={segmentOperations} spec={spec} initial={initial}>
      {(parts) => <Fields {...parts} />}
    </RecordEditor>
  );
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

interface TypedJoin {
  readonly alias?: string;
  readonly schemaId?: string;
}

function Fields({ form, field }: FormParts) {
  const baseId = textOf(form.valueAt('/baseSchemaId'));
  const stored = form.valueAt('/joins');
  const joins = useMemo(() => (Array.isArray(stored) ? (stored as readonly TypedJoin[]) : []), [stored]);
  const { schemas, base, fields } = useSegmentFields(baseId, joins);
  const filters = form.valueAt('/filters');
  const definition = useMemo(
    () => ({
      ...(baseId === undefined ? {} : { baseSchemaId: baseId }),
      // A join without a name or a schema is incomplete.
      joins: joins.filter(({ alias, schemaId }) => textOf(alias) !== undefined && textOf(schemaId) !== undefined),
      filters,
    }),
    [baseId, joins, filters],
  );
  // Without conditions everyone is a member, which the API doesn't write as null.
  const condition = {
    ...form,
    set: (path: string, value: unknown) => form.set(path, path === '/filters' ? (value ?? everyone) : value),
  };
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <FieldGroup title={t.basics}>
          <FieldInput form={form} field={field('/name')} />
          <FieldInput form={form} field={field('/description')} />
          <FieldInput form={form} field={field('/status')} optionLabels={t.statuses} />
          <ReferenceInput form={form} field={field('/baseSchemaId')} query={customersOnly} />
        </FieldGroup>
        <FieldGroup title={t.who}>
          <ConditionInput form={condition} field={field('/filters')} fields={fields} emptyText={t.everyone} />
        </FieldGroup>
        <FieldGroup title={t.joins}>
          <Joins form={form} field={field('/joins')} schemas={schemas} base={base} />
        </FieldGroup>
      </div>
      <LiveCount definition={definition} rowKey={base?.rowKey} />
    </div>
  );
}

interface JoinsProps extends Pick<FormParts, 'form'> {
  readonly field: FieldSpec;
  readonly schemas: readonly DataSchema[];
  readonly base: DataSchema | undefined;
}

function Joins({ form, field, schemas, base }: JoinsProps) {
  return (
    <RowsInput
      labelHidden
      form={form}
      field={field}
      start={{ alias: '', match: 'any' }}
      rowLabel={({ alias }) => textOf(alias) ?? t.newJoin}
      control={(each, { schemaId }) => {
        if (each.name === 'match') return <FieldInput form={form} field={each} optionLabels={t.matches} />;
        if (each.name === 'joinType') return <FieldInput form={form} field={each} optionLabels={t.joinTypes} />;
        if (each.name !== 'baseField' && each.name !== 'joinField') return undefined;
        const schema = each.name === 'baseField' ? base : schemas.find(({ id }) => id === schemaId);
        return <ColumnField form={form} field={each} schema={schema} />;
      }}
    />
  );
}

interface ColumnFieldProps extends Pick<FormParts, 'form'> {
  readonly field: FieldSpec;
  readonly schema: DataSchema | undefined;
}

function ColumnField({ form, field: { path, label, help }, schema }: ColumnFieldProps) {
  return (
    <SelectField
      id={fieldId(path)}
      {...{ label, help }}
      error={form.errors.get(path)}
      placeholder={t.defaultColumn}
      options={(schema?.fields ?? []).map(({ name }) => ({ value: name, label: name }))}
      value={textOf(form.valueAt(path)) ?? ''}
      onChange={({ target }) => form.set(path, target.value === '' ? undefined : target.value)}
    />
  );
}
