import { type Channel, channelOperations } from '@arbiter/contract/catalogue/channels';
import { placementOperations } from '@arbiter/contract/catalogue/placements';
import { Plus } from 'lucide-react';
import { useOperation } from '../../data/use-operation.ts';
import { RecordActions } from '../../forms/editing/record-actions.tsx';
import { FormLink } from '../../forms/editing/record-links.tsx';
import { DecisionsLink, RecordPage, versionFacts } from '../../forms/record-page.tsx';
import { Settings } from '../../forms/settings.tsx';
import { StatusBadge } from '../../forms/status-badge.tsx';
import { channelTexts as t } from '../../messages/catalogue/channels.ts';
import { conditionText } from '../../messages/catalogue/conditions.ts';
import { channelTypeName } from '../../messages/catalogue/type-names.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { idTexts } from '../../messages/ui.ts';
import { addresses } from '../../route/addresses.ts';
import { useParam } from '../../route/use-address.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Id } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { BoundCreatives } from './bound-creatives.tsx';

/** One channel: how it works, its placements and creatives. */
export function ChannelPage() {
  const id = useParam('id');
  const answer = useOperation(channelOperations.get, { params: { id } });
  return (
    <RecordPage
      answer={answer}
      operation={channelOperations.get}
      kind="channel"
      id={id}
      actions={
        <>
          <DecisionsLink to={addresses.decisions({ channelId: id })}>{t.decisions}</DecisionsLink>
          <RecordActions kind="channel" operations={channelOperations} record={answer.data} />
        </>
      }
    >
      {(body) => (
        <>
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <HowItWorks channel={body} />
            <Placements channel={body} />
          </div>
          <Section
            title={t.creatives}
            flush
            actions={<Link to={addresses.creatives({ channelId: id })}>{t.openList}</Link>}
          >
            <BoundCreatives label={t.creatives} creatives={body.creatives} />
          </Section>
        </>
      )}
    </RecordPage>
  );
}

function HowItWorks({ channel }: { readonly channel: Channel }) {
  const format = useFormat();
  const { key, channelType, deliveryMode, impressionMode, couplingMode, providerConfig, fileConfig } = channel;
  return (
    <Section title={t.basics}>
      <Facts
        facts={[
          { label: t.key, value: <Id id={key} what={idTexts.channelKey} whole /> },
          { label: listTexts.type, value: channelTypeName(channelType) },
          { label: t.delivery, value: t.deliveries[deliveryMode] },
          { label: t.impressions, value: t.impressionModes[impressionMode] },
          { label: t.coupling, value: t.couplingModes[couplingMode] },
          {
            label: t.address,
            value:
              channel.addressAttribute === null ? (
                <span className="text-soft">{t.addressUsual}</span>
              ) : (
                <code className="text-caption">{channel.addressAttribute}</code>
              ),
          },
          {
            label: t.zone,
            value: channel.timezone ?? `${format.locale.timeZone} (${t.zoneOfTenant})`,
          },
          {
            label: t.provider,
            value: Object.keys(providerConfig).length === 0 ? null : <Settings config={providerConfig} narrow />,
          },
          {
            label: t.file,
            value: Object.keys(fileConfig).length === 0 ? null : <Settings config={fileConfig} narrow />,
          },
          ...versionFacts(channel, format),
        ]}
      />
    </Section>
  );
}

function Placements({ channel: { id, placements } }: { readonly channel: Channel }) {
  const format = useFormat();
  return (
    <Section
      title={t.placements}
      flush
      actions={
        <>
          {placements.length === 0 ? null : <Link to={addresses.placements({ channelId: id })}>{t.openList}</Link>}
          <FormLink
            operation={placementOperations.create}
            to={addresses.newPlacement({ channelId: id })}
            title={t.newPlacement}
            icon={<Plus aria-hidden className="size-4" />}
          />
        </>
      }
    >
      {placements.length === 0 ? (
        <Empty
          title={t.noPlacementsOf}
          level={3}
          actions={<ButtonLink to={addresses.placements()}>{t.allPlacements}</ButtonLink>}
        >
          {t.noPlacementsOfText}
        </Empty>
      ) : (
        <ul className="divide-y divide-line">
          {placements.map((placement) => (
            <li key={placement.id} className="flex flex-col gap-1 px-4 py-3">
              <span className="flex flex-wrap items-center gap-2">
                <Link to={addresses.placement(placement.id)} className="font-medium">
                  {placement.name}
                </Link>
                <code className="text-caption text-faint">{placement.key}</code>
                {placement.status === 'active' ? null : <StatusBadge status={placement.status} />}
              </span>
              <span className="text-dense text-soft">
                {placement.slotType}, {t.slotsAtMost(format.number(placement.maxSlots))}
                {conditionText(placement.targeting) === null
                  ? null
                  : ` · ${t.targeting.toLocaleLowerCase()} ${conditionText(placement.targeting)}`}
              </span>
              {placement.description === '' ? null : <span className="text-dense">{placement.description}</span>}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
