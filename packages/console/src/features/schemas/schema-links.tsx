import { type SchemaJoin, schemaJoinOperations } from '@arbiter/contract/catalogue/schema-joins';
import { type DataSchema, schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import { Link2, Plus } from 'lucide-react';
import { useList, useOperation } from '../../data/use-operation.ts';
import { FormLink } from '../../forms/editing/record-links.tsx';
import { ListTable } from '../../forms/list-table.tsx';
import { statusColumn } from '../../forms/record-columns.tsx';
import { schemaFormTexts as t } from '../../messages/catalogue/schemas/schema-form.ts';
import { schemaTexts } from '../../messages/catalogue/schemas/schemas.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { addresses } from '../../route/addresses.ts';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import type { Column } from '../../ui/table/table-column.ts';

/** Shows a schema's parent, the schemas that link to it, and its joins. */
export function SchemaLinks({ schema }: { readonly schema: DataSchema }) {
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-[72ch] text-soft">{t.linksLead}</p>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Parent schema={schema} />
        <Children schema={schema} />
      </div>
      <Joins schema={schema} />
    </div>
  );
}

function Parent({ schema }: { readonly schema: DataSchema }) {
  const { linkedSchemaId, joinMapping, linkActive, summaryColumns } = schema;
  const parent = useOperation(
    schemaRecordOperations.get,
    { params: { id: linkedSchemaId ?? '' } },
    { enabled: linkedSchemaId !== null },
  );
  const edit = (
    <FormLink
      operation={schemaRecordOperations.updateById}
      to={recordKinds.schema.edit(schema.id)}
      title={t.setLink}
      icon={<Link2 aria-hidden className="size-4" />}
    />
  );
  if (linkedSchemaId === null) {
    return (
      <Section title={t.parent} actions={edit}>
        <p className="text-soft">{t.noLink}</p>
      </Section>
    );
  }
  const parentName = parent.data?.displayName ?? schemaTexts.schema;
  return (
    <Section title={t.parent} actions={edit}>
      {linkActive ? null : <ProblemPanel tone="warn" title={t.inactiveLink} />}
      <Facts
        facts={[
          { label: schemaTexts.schema, value: <Link to={addresses.schema(linkedSchemaId)}>{parentName}</Link> },
          { label: t.parentField, value: String(joinMapping?.parentField ?? parent.data?.rowKey ?? '') },
          { label: t.childField, value: String(joinMapping?.childField ?? parent.data?.rowKey ?? '') },
          { label: t.labels['/summaryColumns'], value: summaryColumns?.join(', ') || null },
        ]}
      />
    </Section>
  );
}

function Children({ schema }: { readonly schema: DataSchema }) {
  const list = useList(schemaRecordOperations.list, { query: { limit: 200 } });
  const children = list.rows.filter(({ linkedSchemaId }) => linkedSchemaId === schema.id);
  return (
    <Section title={t.children}>
      {children.length === 0 ? (
        <p className="text-soft">{t.noChildren}</p>
      ) : (
        <ul className="flex flex-col gap-1">
          {children.map(({ id, displayName }) => (
            <li key={id}>
              <Link to={addresses.schema(id)}>{displayName}</Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const textOf = ({ primarySchemaName, primaryKey, foreignSchemaName, foreignKey }: SchemaJoin): string =>
  t.joinText(primarySchemaName, primaryKey, foreignSchemaName, foreignKey);

const columns: readonly Column<SchemaJoin>[] = [
  { key: 'name', header: listTexts.name, cell: ({ name }) => name, text: ({ name }) => name, width: 200 },
  {
    key: 'columns',
    header: t.columns,
    cell: (join) => <code className="text-caption">{textOf(join)}</code>,
    text: textOf,
    width: 320,
    grow: 2,
  },
  {
    key: 'enrich',
    header: schemaTexts.autoEnrich,
    cell: ({ autoEnrich }) => (autoEnrich ? schemaTexts.yes : schemaTexts.no),
    text: ({ autoEnrich }) => autoEnrich,
    width: 150,
    grow: 0,
  },
  statusColumn,
];

function Joins({ schema }: { readonly schema: DataSchema }) {
  const list = useList(schemaJoinOperations.list, { query: { schemaId: schema.id, limit: 100 } });
  const add = (
    <FormLink
      operation={schemaJoinOperations.create}
      to={addresses.newSchemaJoin(schema.id)}
      title={t.newJoin}
      icon={<Plus aria-hidden className="size-4" />}
    />
  );
  return (
    <Section title={t.joins} flush actions={add}>
      <ListTable
        list={list}
        operation={schemaJoinOperations.list}
        label={t.joins}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => addresses.editSchemaJoin(id, schema.id)}
        empty={
          <Empty title={t.noJoins} level={3}>
            {t.noJoinsText}
          </Empty>
        }
      />
    </Section>
  );
}
