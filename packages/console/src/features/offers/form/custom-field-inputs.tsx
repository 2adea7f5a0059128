import { type CustomField, categoryOperations, subCategoryOperations } from '@arbiter/contract/catalogue/categories';
import { useOperation } from '../../../data/use-operation.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import type { RecordForm } from '../../../forms/editing/use-record-form.ts';
import { valueText } from '../../../messages/catalogue/conditions.ts';
import { offerFormTexts as t } from '../../../messages/catalogue/offer-form.ts';
import { humanKey } from '../../../messages/human-key.ts';
import { Button } from '../../../ui/button.tsx';
import { Section } from '../../../ui/page.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { customFieldsOf, customSpec, orphansOf } from './custom-fields.ts';
import { DayInput } from './schedule-inputs.tsx';

const none: readonly CustomField[] = [];
const idOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The fields that the category of the offer defines. Nothing without any. */
export function CustomFieldInputs({ form }: { readonly form: RecordForm }) {
  const category = idOf(form.valueAt('/categoryId'));
  const subCategory = idOf(form.valueAt('/subCategoryId'));
  const options = (id: string) => ({ enabled: id !== '', keepPrevious: false });
  const above = useOperation(categoryOperations.get, { params: { id: category } }, options(category));
  const own = useOperation(subCategoryOperations.get, { params: { id: subCategory } }, options(subCategory));
  const fields = customFieldsOf(above.data?.customFields ?? none, own.data?.customFields ?? none);
  const shown = fields.flatMap((field) => {
    const spec = customSpec(field);
    return spec === null ? [] : [{ spec, isDay: field.type === 'date' }];
  });
  const isLoaded = !above.loading && !own.loading;
  const orphans = isLoaded ? orphansOf(form.valueAt('/metadata/customFields'), fields) : [];
  if (shown.length + orphans.length === 0) return null;
  return (
    <Section title={t.customFields}>
      <div className="flex flex-col gap-3">
        {shown.map(({ spec, isDay }) =>
          isDay ? (
            <DayInput key={spec.path} form={form} field={spec} />
          ) : (
            <FieldInput key={spec.path} form={form} field={spec} />
          ),
        )}
        {orphans.length === 0 ? null : <Orphans form={form} names={orphans} />}
      </div>
    </Section>
  );
}

/** Values of fields that the category no longer has. They stay stored until they're removed. */
function Orphans({ form, names }: { readonly form: RecordForm; readonly names: readonly string[] }) {
  const values = Object(form.valueAt('/metadata/customFields')) as Readonly<Record<string, unknown>>;
  const remove = () =>
    form.set(
      '/metadata/customFields',
      Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name))),
    );
  return (
    <ProblemPanel
      tone="info"
      title={t.orphans(names.length)}
      actions={
        <Button size="small" onClick={remove}>
          {t.removeOrphans(names.length)}
        </Button>
      }
    >
      <ul>
        {names.map((name) => (
          <li key={name} className="wrap-anywhere">
            {humanKey(name)}: {valueText(values[name])}
          </li>
        ))}
      </ul>
    </ProblemPanel>
  );
}
