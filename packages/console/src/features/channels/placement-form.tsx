import { placementOperations } from '@arbiter/contract/catalogue/placements';
import Type from 'typebox';
import { FieldGroup, FieldGroups } from '../../forms/editing/field-group.tsx';
import { FieldInput } from '../../forms/editing/inputs/field-input.tsx';
import { type FormParts, RecordEditor } from '../../forms/editing/record-editor.tsx';
import { Presets } from '../../forms/presets.tsx';
import { RecordLink } from '../../forms/record-name.tsx';
import { placementFormTexts as t } from '../../messages/catalogue/channel-form.ts';
import { useSearch } from '../../route/use-address.ts';

const Search = Type.Object({ channelId: Type.Optional(Type.String()) });
const spec = { labels: t.labels, help: t.help };

/** What a new placement of a common kind starts with. */
const presets = (
  [
    [
      'hero',
      { slotType: 'banner', maxSlots: 1, schema: { requiredFields: ['headline'], maxLength: { headline: 60 } } },
    ],
    ['card', { slotType: 'card', maxSlots: 3, schema: { requiredFields: ['headline', 'ctaText'] } }],
    ['inbox', { slotType: 'list', maxSlots: 5 }],
  ] as const
).map(([key, values]) => ({ label: t.presets[key], name: t.presets[key], values }));

/** Creates a placement, or changes one. A new one belongs to the channel in the address. */
export function PlacementForm() {
  const [{ channelId }] = useSearch(Search);
  const initial = {
    ...{ name: '', slotType: 'banner', maxSlots: 1, status: 'active' },
    ...(channelId === undefined ? {} : { channelId }),
  };
  return (
    <RecordEditor kind="placement" operations={placementOperations} spec={spec} initial={initial}>
      {(parts) => <Fields {...parts} />}
    </RecordEditor>
  );
}

function Fields({ form, field, record }: FormParts) {
  const input = (path: string, optionLabels?: Readonly<Record<string, string>>) => (
    <FieldInput key={path} form={form} field={field(path)} {...(optionLabels === undefined ? {} : { optionLabels })} />
  );
  const channel = form.valueAt('/channelId');
  return (
    <FieldGroups>
      <FieldGroup title={t.basics}>
        {record === null || typeof channel !== 'string' ? (
          input('/channelId')
        ) : (
          <div>
            <h3 className="text-dense font-medium">{t.ofChannel}</h3>
            <p>
              <RecordLink kind="channel" id={channel} />
            </p>
            <p className="text-caption text-soft">{t.fixedChannel}</p>
          </div>
        )}
        {record === null ? <Presets form={form} presets={presets} /> : null}
        {input('/name')}
        {input('/key')}
        {input('/description')}
        {input('/slotType', t.slotTypes)}
        {input('/maxSlots')}
        {input('/status', t.statuses)}
      </FieldGroup>
      <FieldGroup title={t.content}>
        {input('/schema/requiredFields')}
        {input('/schema/maxLength')}
      </FieldGroup>
      <FieldGroup title={t.targeting}>{input('/targeting')}</FieldGroup>
    </FieldGroups>
  );
}
