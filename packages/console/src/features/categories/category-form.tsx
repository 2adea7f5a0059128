import { categoryOperations, subCategoryOperations } from '@arbiter/contract/catalogue/categories';
import Type from 'typebox';
import { FieldGroup } from '../../forms/editing/field-group.tsx';
import { FieldInput } from '../../forms/editing/inputs/field-input.tsx';
import { type FormParts, RecordEditor } from '../../forms/editing/record-editor.tsx';
import { Presets } from '../../forms/presets.tsx';
import { RecordLink } from '../../forms/record-name.tsx';
import { categoryFormTexts as t } from '../../messages/catalogue/category-form.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { CustomFieldsInput } from './custom-fields-input.tsx';

const spec = { labels: t.labels, help: t.help };
const initial = { name: '', color: 'blue', status: 'active', ordinal: 0, customFields: [] };

/** Creates a category, or changes one. */
export function CategoryForm() {
  return (
    <RecordEditor kind="category" operations={categoryOperations} spec={spec} initial={initial}>
      {(parts) => <Fields {...parts} />}
    </RecordEditor>
  );
}

/** What a new category of a common kind starts with. */
const presets = (['acquisition', 'retention', 'service'] as const).map((key) => ({
  ...{ label: t.presets[key].name, name: t.presets[key].name },
  values: { description: t.presets[key].description },
}));

const Search = Type.Object({ categoryId: Type.Optional(Type.String()) });
const subCategories = {
  titles: { one: t.subCategory, many: recordKinds.category.titles.many },
  path: recordKinds.category.path,
  record: addresses.category,
};

/** The same for sub-categories. A new one belongs to the category in the address. */
export function SubCategoryForm() {
  const [{ categoryId }] = useSearch(Search);
  return (
    <RecordEditor
      kind="category"
      as={subCategories}
      operations={subCategoryOperations}
      spec={spec}
      initial={{ ...initial, ...(categoryId === undefined ? {} : { categoryId }) }}
    >
      {(parts) => <Fields {...parts} isSub />}
    </RecordEditor>
  );
}

function Fields({ form, field, record, isSub = false }: FormParts & { readonly isSub?: boolean }) {
  const input = (path: string, optionLabels?: Readonly<Record<string, string>>) => (
    <FieldInput key={path} form={form} field={field(path)} {...(optionLabels === undefined ? {} : { optionLabels })} />
  );
  const parent = form.valueAt('/categoryId');
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <FieldGroup title={t.basics}>
        {isSub && record === null ? input('/categoryId') : null}
        {isSub && record !== null && typeof parent === 'string' ? (
          <div>
            <h3 className="text-dense font-medium">{t.category}</h3>
            <p>
              <RecordLink kind="category" id={parent} />
            </p>
            <p className="text-caption text-soft">{t.fixedCategory}</p>
          </div>
        ) : null}
        {record === null && !isSub ? <Presets form={form} presets={presets} /> : null}
        {input('/name')}
        {input('/description')}
        {input('/status', t.statuses)}
        {input('/ordinal')}
        {input('/color')}
        {input('/icon')}
      </FieldGroup>
      <FieldGroup title={t.fields}>
        <CustomFieldsInput form={form} field={field('/customFields')} />
      </FieldGroup>
    </div>
  );
}
