import { schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import Type from 'typebox';
import { useOperation } from '../../../data/use-operation.ts';
import { Loaded } from '../../../forms/loaded.tsx';
import { fileImportTexts as t } from '../../../messages/catalogue/schemas/file-import.ts';
import { schemaTexts } from '../../../messages/catalogue/schemas/schemas.ts';
import { addresses } from '../../../route/addresses.ts';
import { useSearch } from '../../../route/use-address.ts';
import { Page } from '../../../ui/page.tsx';
import { FileImport } from './file-import.tsx';

/** The schema that takes the rows. Without one, the import creates it. */
const Search = Type.Object({ schema: Type.Optional(Type.String()) });

/** Loads a CSV file into a new schema, or into the one in the address. */
export function ImportPage() {
  const [{ schema }] = useSearch(Search);
  return schema === undefined ? (
    <Page title={t.title} lead={t.lead} parents={[{ title: schemaTexts.schemas, to: addresses.schemas() }]}>
      <FileImport />
    </Page>
  ) : (
    <IntoSchema id={schema} />
  );
}

function IntoSchema({ id }: { readonly id: string }) {
  const answer = useOperation(schemaRecordOperations.get, { params: { id } });
  const name = answer.data?.displayName ?? schemaTexts.schema;
  return (
    <Page
      title={t.into(name)}
      parents={[
        { title: schemaTexts.schemas, to: addresses.schemas() },
        { title: name, to: addresses.schema(id) },
      ]}
    >
      <Loaded
        answer={answer}
        operation={schemaRecordOperations.get}
        instead={{ title: schemaTexts.schemas, to: addresses.schemas() }}
      >
        {(body) => <FileImport schema={body} />}
      </Loaded>
    </Page>
  );
}
