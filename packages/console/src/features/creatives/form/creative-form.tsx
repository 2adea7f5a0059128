import { creativeOperations } from '@arbiter/contract/catalogue/creatives';
import { offerOperations } from '@arbiter/contract/catalogue/offers';
import { placementOperations } from '@arbiter/contract/catalogue/placements';
import { schemaOperations } from '@arbiter/contract/catalogue/schemas';
import { useMemo } from 'react';
import Type from 'typebox';
import { useOperation } from '../../../data/use-operation.ts';
import type { Values } from '../../../forms/editing/changes.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { ReferenceInput } from '../../../forms/editing/inputs/reference-input.tsx';
import { type FormParts, RecordEditor } from '../../../forms/editing/record-editor.tsx';
import { templateTypes } from '../../../forms/texts/template-keys.ts';
import { creativeFormTexts as t } from '../../../messages/catalogue/creative-form.ts';
import { useSearch } from '../../../route/use-address.ts';
import { Section } from '../../../ui/page.tsx';
import { ContentInputs } from './content-inputs.tsx';
import { LivePreview } from './live-preview.tsx';
import { PersonalizationInput } from './personalization-input.tsx';

const spec = {
  labels: {
    ...t.labels,
    '/constraints/frequencyCapPerDay': t.capPerDay,
    '/constraints/cooldownHours': t.cooldown,
    '/constraints/priorityOverride': t.override,
  },
  help: {
    ...t.help,
    '/constraints/frequencyCapPerDay': t.capPerDayHelp,
    '/constraints/cooldownHours': t.cooldownHelp,
    '/constraints/priorityOverride': t.overrideHelp,
  },
} as const;

/** Where the new creative belongs, from the hole of an offer's matrix that was followed here. */
const Search = Type.Object({
  offerId: Type.Optional(Type.String()),
  channelId: Type.Optional(Type.String()),
  placementId: Type.Optional(Type.String()),
});

/** Creates a creative, or changes one. */
export function CreativeForm() {
  const [{ offerId, channelId, placementId }] = useSearch(Search);
  const initial = useMemo(
    () => ({
      ...{ name: '', status: 'draft', templateType: 'email_html', weight: 100, content: {} },
      ...(offerId === undefined ? {} : { offerId }),
      ...(channelId === undefined ? {} : { channelId }),
      ...(placementId === undefined ? {} : { placementId }),
    }),
    [offerId, channelId, placementId],
  );
  return (
    <RecordEditor kind="creative" operations={creativeOperations} spec={spec} initial={initial}>
      {(parts) => <Fields {...parts} />}
    </RecordEditor>
  );
}

const textAt = (form: FormParts['form'], path: string): string => {
  const value = form.valueAt(path);
  return typeof value === 'string' ? value : '';
};

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function Fields({ form, field, record }: FormParts) {
  const offerId = textAt(form, '/offerId');
  const placementId = textAt(form, '/placementId');
  const offer = useOperation(offerOperations.get, { params: { id: offerId } }, { enabled: offerId !== '' });
  const placement = useOperation(
    placementOperations.get,
    { params: { id: placementId } },
    { enabled: placementId !== '', keepPrevious: false },
  );
  const content = form.valueAt('/content');
  const tokens = form.valueAt('/personalization');
  const creative = {
    content: isValues(content) ? content : {},
    personalization: Array.isArray(tokens) ? tokens : [],
    templateType: textAt(form, '/templateType'),
  };
  const firstCustomer = useFirstCustomer();
  const basics = <Basics form={form} field={field} />;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-4">
        {/* The channel decides which texts a new creative has. Whoever edits one comes for its texts. */}
        {record === null ? basics : null}
        <Section title={t.content}>
          <div className="flex flex-col gap-3">
            <FieldInput
              form={form}
              field={{ ...field('/templateType'), kind: 'choice', options: optionsWith(creative.templateType) }}
              optionLabels={t.templateTypes}
            />
            <ContentInputs
              {...{ form, field, content: creative.content, templateType: creative.templateType }}
              rules={placement.data?.schema ?? null}
              tokens={tokenNames(creative.personalization)}
            />
            <FieldInput form={form} field={field('/contentItemId')} />
          </div>
        </Section>
        <Section title={t.tokens}>
          <PersonalizationInput form={form} />
        </Section>
        {record === null ? null : basics}
        <Limits form={form} field={field} />
      </div>
      <div className="min-w-0 lg:sticky lg:top-4">
        <LivePreview creative={creative} offer={offer.data ?? {}} firstCustomer={firstCustomer} />
      </div>
    </div>
  );
}

type SectionProps = Pick<FormParts, 'form' | 'field'>;

function Basics({ form, field }: SectionProps) {
  return (
    <Section title={t.basics}>
      <div className="flex flex-col gap-3">
        <FieldInput form={form} field={field('/name')} />
        <Place form={form} field={field} />
        <FieldInput form={form} field={field('/status')} optionLabels={t.statuses} />
        <FieldInput form={form} field={field('/weight')} />
        <FieldInput form={form} field={field('/abTestVariant')} />
      </div>
    </Section>
  );
}

function Limits({ form, field }: SectionProps) {
  return (
    <Section title={t.limits}>
      <div className="flex flex-col gap-3">
        <FieldInput form={form} field={field('/constraints/frequencyCapPerDay')} />
        <FieldInput form={form} field={field('/constraints/cooldownHours')} />
        <FieldInput form={form} field={field('/constraints/priorityOverride')} />
      </div>
    </Section>
  );
}

/** Names of the tokens that a form holds. */
const tokenNames = (entries: readonly unknown[]): readonly string[] =>
  entries.flatMap((entry) => (isValues(entry) && typeof entry.variable === 'string' ? [entry.variable] : []));

const optionsWith = (own: string): readonly string[] =>
  own === '' || templateTypes.includes(own) ? templateTypes : [...templateTypes, own];

function Place({ form, field }: SectionProps) {
  const channelId = textAt(form, '/channelId');
  return (
    <>
      <FieldInput form={form} field={field('/offerId')} />
      <FieldInput form={form} field={field('/channelId')} />
      {channelId === '' ? null : (
        <ReferenceInput key={channelId} form={form} field={field('/placementId')} query={{ channelId }} />
      )}
    </>
  );
}

/** A customer of the tenant to show the preview for. */
function useFirstCustomer(): string {
  const schemas = useOperation(schemaOperations.list, { query: { schemaType: 'customer', limit: 1 } });
  const schema = schemas.data?.data[0];
  const rows = useOperation(
    schemaOperations.listRows,
    { params: { id: schema?.id ?? '' }, query: { limit: 1 } },
    { enabled: schema !== undefined },
  );
  const value = schema === undefined ? undefined : rows.data?.rows[0]?.[schema.rowKey];
  return value === undefined || value === null ? '' : String(value);
}
