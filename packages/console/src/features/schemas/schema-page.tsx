import { type DataSchema, schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import Type from 'typebox';
import { can } from '../../data/can.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { DeleteButton } from '../../forms/editing/delete-button.tsx';
import { EditLink } from '../../forms/editing/record-links.tsx';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { RecordPage, versionFacts } from '../../forms/record-page.tsx';
import { schemaFormTexts } from '../../messages/catalogue/schemas/schema-form.ts';
import { schemaTexts as t } from '../../messages/catalogue/schemas/schemas.ts';
import { idTexts } from '../../messages/ui.ts';
import { addresses } from '../../route/addresses.ts';
import { useParam, useSearch } from '../../route/use-address.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Id } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Link } from '../../ui/link.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { SchemaFields } from './schema-fields.tsx';
import { SchemaLinks } from './schema-links.tsx';
import { SchemaRows } from './schema-rows.tsx';
import { SchemaStatistics } from './schema-statistics.tsx';

/** The address of the page: tab, first row, key to find. */
const SchemaSearch = Type.Object({
  tab: Type.Optional(Type.String()),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
  key: Type.Optional(Type.String()),
  /** The row in the preview. */
  peek: Type.Optional(Type.String()),
});

/** The page of a schema: its fields, rows, values and links. */
export function SchemaPage() {
  const id = useParam('id');
  const [search, change] = useSearch(SchemaSearch);
  const answer = useOperation(schemaRecordOperations.get, { params: { id } });
  return (
    <RecordPage
      answer={answer}
      operation={schemaRecordOperations.get}
      kind="schema"
      id={id}
      nameOf={({ displayName }) => displayName}
      fixes={(body) =>
        body.warnings?.some(({ code }) => code === 'rows_not_read') ? <ReadRows schema={body} /> : null
      }
      actions={answer.data === undefined ? null : <Actions schema={answer.data} />}
      badges={({ schemaType }) => <Badge tone="neutral">{schemaType}</Badge>}
    >
      {(body) => (
        <Tabs
          label={t.schema}
          value={search.tab ?? 'fields'}
          onChange={(tab) => change({ tab, offset: undefined, key: undefined, peek: undefined }, { push: true })}
          tabs={[
            { key: 'fields', label: t.fields, count: body.fields.length, content: <SchemaFields schema={body} /> },
            {
              key: 'rows',
              label: t.rows,
              content: (
                <SchemaRows schema={body} offset={search.offset ?? 0} rowKey={search.key ?? ''} onChange={change} />
              ),
            },
            { key: 'statistics', label: t.statistics, content: <SchemaStatistics schema={body} /> },
            { key: 'links', label: schemaFormTexts.links, content: <SchemaLinks schema={body} /> },
            { key: 'about', label: t.about, content: <About schema={body} /> },
          ]}
        />
      )}
    </RecordPage>
  );
}

function Actions({ schema: { id, displayName } }: { readonly schema: DataSchema }) {
  return (
    <>
      <DeleteButton
        kind="schema"
        operation={schemaRecordOperations.deleteById}
        {...{ id, name: displayName }}
        isSoft={false}
      />
      <EditLink kind="schema" operation={schemaRecordOperations.updateById} id={id} />
    </>
  );
}

/** Lets every decision read the rows of the schema. */
function ReadRows({ schema }: { readonly schema: DataSchema }) {
  const { run, busy, failure } = useMutate(schemaRecordOperations.updateById);
  const permission = can(schemaRecordOperations.updateById);
  const enable = () => void run({ params: { id: schema.id }, body: { autoEnrich: true, rowVersion: schema.version } });
  return (
    <>
      <Button kind="primary" busy={busy} disabledReason={permission.allowed ? null : t.needsEditor} onClick={enable}>
        {t.readRows}
      </Button>
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={schemaRecordOperations.updateById} retry={enable} />
      )}
    </>
  );
}

function About({ schema }: { readonly schema: DataSchema }) {
  const format = useFormat();
  const mapping = schema.joinMapping;
  return (
    <div className="max-w-3xl rounded-card border border-line bg-surface px-4 py-2">
      <Facts
        facts={[
          { label: t.table, value: <Id id={schema.tableName} what={idTexts.tableName} whole /> },
          { label: t.kind, value: schema.schemaType },
          { label: t.key, value: <code className="text-caption">{schema.rowKey}</code> },
          {
            label: t.linked,
            value:
              schema.linkedSchemaId === null ? null : (
                <Link to={addresses.schema(schema.linkedSchemaId)}>
                  {mapping === null ? t.schema : t.link(String(mapping.childField), String(mapping.parentField))}
                </Link>
              ),
          },
          { label: t.autoEnrich, value: schema.autoEnrich ? t.yes : t.no },
          ...versionFacts(schema, format),
        ]}
      />
    </div>
  );
}
