import { type CustomField, categoryOperations, subCategoryOperations } from '@arbiter/contract/catalogue/categories';
import { useOperation } from '../../../data/use-operation.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import type { RecordForm } from '../../../forms/editing/use-record-form.ts';
import { offerFormTexts as t } from '../../../messages/catalogue/offer-form.ts';
import { Section } from '../../../ui/page.tsx';
import { customFieldsOf, customSpec } from './custom-fields.ts';
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
  if (shown.length === 0) return null;
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
      </div>
    </Section>
  );
}
