import { type DataSchema, type SchemaField, schemaTableOperations } from '@arbiter/contract/catalogue/schemas';
import { Plus } from 'lucide-react';
import { FormLink } from '../../forms/editing/record-links.tsx';
import { schemaFormTexts } from '../../messages/catalogue/schemas/schema-form.ts';
import { schemaTexts as t } from '../../messages/catalogue/schemas/schemas.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge } from '../../ui/badge.tsx';
import { DataTable } from '../../ui/table/table.tsx';
import type { Column } from '../../ui/table/table-column.ts';

function typeText({ dataType, length, precision, scale }: SchemaField): string {
  if (length !== null) return `${dataType}(${length})`;
  if (precision !== null) return `${dataType}(${precision}${scale === null ? '' : `, ${scale}`})`;
  return dataType;
}

/** Special properties of a field. */
const marksOf = (field: SchemaField) =>
  [
    field.isPrimaryKey ? { text: t.primary, tone: 'info' as const } : null,
    field.isUnique && !field.isPrimaryKey ? { text: t.unique, tone: 'info' as const } : null,
    !field.isNullable && !field.isPrimaryKey ? { text: t.required, tone: 'neutral' as const } : null,
    field.isPredictor ? { text: t.predictor, tone: 'pass' as const } : null,
    field.isSensitive ? { text: t.sensitive, tone: 'warn' as const } : null,
    field.neverStore ? { text: t.neverStored, tone: 'block' as const } : null,
  ].filter((mark) => mark !== null);

function Marks({ field }: { readonly field: SchemaField }) {
  const marks = marksOf(field);
  return marks.length === 0 ? null : (
    <span className="inline-flex flex-wrap gap-1">
      {marks.map(({ text, tone }) => (
        <Badge key={text} tone={tone} icon={null}>
          {text}
        </Badge>
      ))}
    </span>
  );
}

const columns: readonly Column<SchemaField>[] = [
  {
    key: 'name',
    header: t.field,
    cell: ({ name }) => <code className="text-caption font-medium">{name}</code>,
    text: ({ name }) => name,
    sortBy: ({ name }) => name,
    width: 200,
  },
  {
    key: 'displayName',
    header: listTexts.name,
    cell: ({ displayName }) => displayName,
    text: ({ displayName }) => displayName,
    width: 170,
  },
  {
    key: 'type',
    header: t.type,
    cell: (field) => typeText(field),
    text: typeText,
    sortBy: ({ dataType }) => dataType,
    width: 130,
    grow: 0,
  },
  {
    key: 'marks',
    header: t.marks,
    cell: (field) => <Marks field={field} />,
    text: (field) =>
      marksOf(field)
        .map(({ text }) => text)
        .join(', '),
    width: 240,
  },
  {
    key: 'default',
    header: t.fallback,
    cell: ({ defaultValue }) => defaultValue ?? '–',
    text: ({ defaultValue }) => defaultValue,
    width: 110,
    grow: 0,
  },
  {
    key: 'description',
    header: listTexts.description,
    cell: ({ description }) => description,
    text: ({ description }) => description,
    width: 260,
    grow: 2,
  },
];

/** The columns of a schema's table. Each opens its form. */
export function SchemaFields({ schema }: { readonly schema: DataSchema }) {
  return (
    <div className="flex flex-col gap-3">
      <div className="flex justify-end">
        <FormLink
          operation={schemaTableOperations.createField}
          to={addresses.newSchemaField(schema.id)}
          title={schemaFormTexts.add}
          icon={<Plus aria-hidden className="size-4" />}
        />
      </div>
      <DataTable
        label={t.fields}
        columns={columns}
        rows={schema.fields}
        rowKey={({ id }) => id}
        rowTo={({ id }) => addresses.schemaField(schema.id, id)}
        complete
        empty={null}
        density="comfortable"
      />
    </div>
  );
}
