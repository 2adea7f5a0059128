import { offerOperations } from '@arbiter/contract/catalogue/offers';
import { useCustomerFields } from '../../../forms/editing/condition/condition-fields.ts';
import { ConditionInput } from '../../../forms/editing/inputs/condition-input.tsx';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { MoneyInput } from '../../../forms/editing/inputs/money-input.tsx';
import { ReferenceInput } from '../../../forms/editing/inputs/reference-input.tsx';
import { RegionInput } from '../../../forms/editing/inputs/region-input.tsx';
import { regionText } from '../../../forms/editing/inputs/regions.ts';
import { type FormParts, RecordEditor } from '../../../forms/editing/record-editor.tsx';
import { Presets } from '../../../forms/presets.tsx';
import { offerFormTexts as t } from '../../../messages/catalogue/offer-form.ts';
import { addresses } from '../../../route/addresses.ts';
import { Link } from '../../../ui/link.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { CustomFieldInputs } from './custom-field-inputs.tsx';
import { MandatoryInputs } from './mandatory-inputs.tsx';
import { PriorityInput } from './priority-input.tsx';
import { DayInput, HourInput, WeekdaysInput } from './schedule-inputs.tsx';

const spec = {
  references: { '/eligibility/requiredSegments': 'segment', '/eligibility/excludedSegments': 'segment' },
  labels: t.labels,
  help: t.help,
} as const;

const initial = { name: '', status: 'draft', priority: 50, businessValue: 50 };

/** Creates an offer, or changes one. */
export function OfferForm() {
  return (
    <RecordEditor kind="offer" operations={offerOperations} spec={spec} initial={initial}>
      {(parts) => <Fields {...parts} />}
    </RecordEditor>
  );
}

/** What a new offer of a common kind starts with. */
const presets = (
  [
    ['discount', { priority: 70, businessValue: 40 }],
    ['upgrade', { priority: 60, businessValue: 80 }],
    ['winBack', { priority: 80, businessValue: 60, frequencyCaps: { perCustomer: { monthly: 1 } } }],
    ['reminder', { priority: 50, businessValue: 30, frequencyCaps: { perCustomer: { weekly: 1 } } }],
    ['notice', { priority: 90, businessValue: 10, frequencyCaps: { perCustomer: { total: 1 } } }],
  ] as const
).map(([key, values]) => ({
  ...{ label: t.presets[key].label, name: t.presets[key].name },
  values: { ...values, shortDesc: t.presets[key].shortDesc },
}));

type PartProps = Pick<FormParts, 'form' | 'field'>;

function Fields(props: FormParts) {
  const { form, field } = props;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-4">
        <Basics {...props} />
        <CustomFieldInputs form={form} />
        <Schedule {...props} />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <Value {...props} />
        <Group title={t.mandatory}>
          <MandatoryInputs form={form} field={field} />
        </Group>
        <Caps {...props} />
      </div>
      <Eligibility {...props} />
      <Budget {...props} />
      <Group title={t.metadata} wide>
        <FieldInput form={form} field={field('/metadata')} />
      </Group>
    </div>
  );
}

function Basics({ form, field, record }: FormParts) {
  const category = form.valueAt('/categoryId');
  return (
    <Group title={t.basics}>
      {record === null ? <Presets form={form} presets={presets} /> : null}
      <FieldInput form={form} field={field('/name')} />
      <FieldInput form={form} field={field('/shortDesc')} />
      {record === null ? null : (
        <Link to={addresses.creatives({ offerId: String(record.id) })} className="w-fit text-dense">
          {t.texts}
        </Link>
      )}
      <FieldInput form={form} field={field('/description')} />
      <FieldInput form={form} field={field('/categoryId')} />
      {typeof category === 'string' ? (
        <ReferenceInput
          key={category}
          form={form}
          field={{ ...field('/subCategoryId'), to: 'subCategory' }}
          query={{ categoryId: category }}
        />
      ) : null}
      <FieldInput form={form} field={field('/productType')} />
      <FieldInput form={form} field={field('/tags')} />
    </Group>
  );
}

function Value({ form, field }: PartProps) {
  return (
    <Group title={t.value}>
      <FieldInput form={form} field={field('/status')} optionLabels={t.statuses} />
      <PriorityInput form={form} field={field('/priority')} />
      <FieldInput form={form} field={field('/businessValue')} />
      <div className="grid gap-3 sm:grid-cols-2">
        <FieldInput form={form} field={field('/margin')} />
        <FieldInput form={form} field={field('/revenueValue')} />
      </div>
      <FieldInput form={form} field={field('/emergencyExcluded')} />
    </Group>
  );
}

function Schedule({ form, field }: PartProps) {
  const { locale } = useFormat();
  return (
    <Group title={t.schedule}>
      <div className="grid gap-3 sm:grid-cols-2">
        <DayInput form={form} field={field('/schedule/startDate')} />
        <DayInput form={form} field={field('/schedule/endDate')} />
      </div>
      <WeekdaysInput form={form} field={field('/schedule/daysOfWeek')} />
      <div className="grid gap-3 sm:grid-cols-2">
        <HourInput form={form} field={field('/schedule/startHour')} />
        <HourInput form={form} field={field('/schedule/endHour')} />
      </div>
      <RegionInput
        form={form}
        field={field('/schedule/timezone')}
        region="timezone"
        usual={regionText('timezone', locale.timeZone)}
      />
    </Group>
  );
}

function Eligibility({ form, field }: PartProps) {
  const fields = useCustomerFields();
  return (
    <Group title={t.who} wide>
      <div className="grid gap-3 lg:grid-cols-2">
        <FieldInput form={form} field={field('/eligibility/requiredSegments')} />
        <FieldInput form={form} field={field('/eligibility/excludedSegments')} />
        <FieldInput form={form} field={field('/eligibility/propensityThreshold')} />
      </div>
      <ConditionInput form={form} field={field('/eligibility/conditions')} fields={fields} />
    </Group>
  );
}

const costs = ['dailyCapCents', 'lifetimeCapCents'] as const;
const prices = ['costPerImpressionCents', 'costPerClickCents', 'costPerConversionCents'] as const;

function Budget({ form, field }: PartProps) {
  const { locale } = useFormat();
  const own = form.valueAt('/budget/currency');
  const currency = typeof own === 'string' && own !== '' ? own : locale.currency;
  const money = (name: string) => (
    <MoneyInput key={name} form={form} field={field(`/budget/${name}`)} currency={currency} />
  );
  return (
    <Group title={t.budget} wide>
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        <RegionInput
          form={form}
          field={field('/budget/currency')}
          region="currency"
          usual={regionText('currency', locale.currency)}
        />
        {costs.map(money)}
        {prices.map(money)}
        <FieldInput form={form} field={field('/budget/dailyMaxImpressions')} />
        <FieldInput form={form} field={field('/budget/lifetimeMaxImpressions')} />
        <FieldInput form={form} field={field('/inventory/totalStock')} />
      </div>
    </Group>
  );
}

function Caps({ form, field }: PartProps) {
  return (
    <Group title={t.caps}>
      <p className="text-caption text-soft">{t.capsText}</p>
      <div className="grid gap-3 sm:grid-cols-2">
        {(['daily', 'weekly', 'monthly', 'total'] as const).map((window) => (
          <FieldInput key={window} form={form} field={field(`/frequencyCaps/perCustomer/${window}`)} />
        ))}
      </div>
    </Group>
  );
}

interface GroupProps {
  readonly title: string;
  /** True: over both columns. */
  readonly wide?: boolean;
  readonly children: React.ReactNode;
}

function Group({ title, wide = false, children }: GroupProps) {
  return (
    <div className={wide ? 'min-w-0 lg:col-span-2' : 'min-w-0'}>
      <Section title={title}>
        <div className="flex flex-col gap-3">{children}</div>
      </Section>
    </div>
  );
}
