import { schemaJoinOperations } from '@arbiter/contract/catalogue/schema-joins';
import { schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import Type from 'typebox';
import { useOperation } from '../../../data/use-operation.ts';
import { DeleteButton } from '../../../forms/editing/delete-button.tsx';
import { FieldGroup, FieldGroups } from '../../../forms/editing/field-group.tsx';
import type { SpecOptions } from '../../../forms/editing/field-spec.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { type FormParts, RecordEditor } from '../../../forms/editing/record-editor.tsx';
import { schemaFormTexts as t } from '../../../messages/catalogue/schemas/schema-form.ts';
import { recordKinds } from '../../../records/record-kinds.ts';
import { addresses } from '../../../route/addresses.ts';
import { useSearch } from '../../../route/use-address.ts';
import { ColumnSelect } from './column-select.tsx';
import { SummaryInput } from './link-inputs.tsx';

const spec: SpecOptions = { labels: t.labels, help: { ...t.help, '/name': '', '/linkedSchemaId': '' } };

/** The schema that the form was opened from and returns to. */
const Search = Type.Object({ schema: Type.Optional(Type.String()) });

/** Creates a join of two schemas, or changes one. */
export function JoinForm() {
  const [{ schema }] = useSearch(Search);
  const back = schema === undefined ? addresses.schemas() : addresses.schema(schema, { tab: 'links' });
  const place = {
    titles: { one: t.join, many: recordKinds.schema.titles.many },
    path: back,
    record: () => back,
  };
  const initial = {
    ...{ name: '', joinType: 'left', autoEnrich: true, status: 'active' },
    ...(schema === undefined ? {} : { primarySchemaId: schema }),
  };
  return (
    <RecordEditor kind="schema" as={place} operations={schemaJoinOperations} spec={spec} initial={initial}>
      {(parts) => <Fields {...parts} back={back} />}
    </RecordEditor>
  );
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function Fields({ form, field, record, back }: FormParts & { readonly back: string }) {
  const input = (path: string, optionLabels?: Readonly<Record<string, string>>) => (
    <FieldInput key={path} form={form} field={field(path)} {...(optionLabels === undefined ? {} : { optionLabels })} />
  );
  const primary = textOf(form.valueAt('/primarySchemaId'));
  const foreign = textOf(form.valueAt('/foreignSchemaId'));
  const joined = useOperation(
    schemaRecordOperations.get,
    { params: { id: foreign ?? '' } },
    { enabled: foreign !== undefined, keepPrevious: false },
  );
  return (
    <FieldGroups>
      <FieldGroup title={t.join}>
        {input('/name')}
        {input('/primarySchemaId')}
        <ColumnSelect form={form} field={field('/primaryKey')} schemaId={primary} />
        {input('/foreignSchemaId')}
        <ColumnSelect form={form} field={field('/foreignKey')} schemaId={foreign} />
        {input('/joinType', t.joinTypes)}
      </FieldGroup>
      <FieldGroup title={t.use}>
        {input('/autoEnrich')}
        {input('/prefix')}
        <SummaryInput form={form} field={field} names={joined.data?.fields.map(({ name }) => name) ?? []} />
        {input('/status', t.statuses)}
        {record === null ? null : (
          <div>
            <DeleteButton
              kind="schema"
              operation={schemaJoinOperations.deleteById}
              id={String(record.id)}
              name={String(record.name)}
              isSoft={false}
              after={back}
            />
          </div>
        )}
      </FieldGroup>
    </FieldGroups>
  );
}
