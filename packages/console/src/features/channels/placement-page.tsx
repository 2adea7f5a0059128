import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { type Placement, placementOperations } from '@arbiter/contract/catalogue/placements';
import { useOperation } from '../../data/use-operation.ts';
import { ConditionView } from '../../forms/condition-view.tsx';
import { RecordActions } from '../../forms/editing/record-actions.tsx';
import { RecordPage, versionFacts } from '../../forms/record-page.tsx';
import { channelTexts as t } from '../../messages/catalogue/channels.ts';
import { listText } from '../../messages/catalogue/conditions.ts';
import { idTexts } from '../../messages/ui.ts';
import { addresses } from '../../route/addresses.ts';
import { useParam } from '../../route/use-address.ts';
import { Id } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { BoundCreatives } from './bound-creatives.tsx';

/** One placement: requirements, targeting and creatives. */
export function PlacementPage() {
  const id = useParam('id');
  const answer = useOperation(placementOperations.get, { params: { id } });
  const placement = answer.data;
  return (
    <RecordPage
      answer={answer}
      operation={placementOperations.get}
      kind="placement"
      id={id}
      actions={<RecordActions kind="placement" operations={placementOperations} record={placement} />}
      parents={[
        { title: t.channels, to: addresses.channels() },
        ...(placement
          ? [{ title: placement.channel.name, to: addresses.channel(placement.channelId) }]
          : [{ title: t.placements, to: addresses.placements() }]),
      ]}
    >
      {(body) => (
        <>
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <Slot placement={body} />
            <Section title={t.rules}>
              <ContentRules placement={body} />
            </Section>
          </div>
          <Shown placement={body} />
        </>
      )}
    </RecordPage>
  );
}

function Slot({ placement }: { readonly placement: Placement }) {
  const format = useFormat();
  const { key, channel, slotType, maxSlots, targeting } = placement;
  return (
    <Section title={t.basics}>
      <Facts
        facts={[
          { label: t.channel, value: <Link to={addresses.channel(channel.id)}>{channel.name}</Link> },
          { label: t.key, value: <Id id={key} what={idTexts.placementKey} whole /> },
          { label: t.slot, value: slotType },
          { label: t.slots, value: t.slotsAtMost(format.number(maxSlots)) },
          { label: t.targeting, value: <ConditionView condition={targeting} otherwise={t.everyRequest} /> },
          ...versionFacts(placement, format),
        ]}
      />
    </Section>
  );
}

function ContentRules({ placement: { schema } }: { readonly placement: Placement }) {
  const format = useFormat();
  const required = schema?.requiredFields ?? [];
  const longest = Object.entries(schema?.maxLength ?? {});
  if (required.length + longest.length === 0) return <p className="text-soft">{t.noRules}</p>;
  return (
    <Facts
      facts={[
        { label: t.requiredFields, value: required.length === 0 ? null : listText(required) },
        {
          label: t.maxLength,
          value:
            longest.length === 0
              ? null
              : longest.map(([key, most]) => (
                  <span key={key} className="block">
                    {t.characters(key, format.number(most))}
                  </span>
                )),
        },
      ]}
    />
  );
}

/** Creatives assigned to it, and those for any placement of its channel. */
function Shown({ placement }: { readonly placement: Placement }) {
  const channel = useOperation(channelOperations.get, { params: { id: placement.channelId } });
  const loose = (channel.data?.creatives ?? []).filter(({ placementId }) => placementId === null);
  return (
    <>
      {placement.creatives.length > 0 || (channel.data !== undefined && loose.length === 0) ? (
        <Section title={t.bound} flush>
          <BoundCreatives label={t.creatives} creatives={placement.creatives} ofOnePlacement />
        </Section>
      ) : null}
      {loose.length > 0 ? (
        <Section title={t.openToAny} flush>
          <BoundCreatives label={t.creatives} creatives={loose} ofOnePlacement />
        </Section>
      ) : null}
    </>
  );
}
