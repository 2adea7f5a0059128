import type { Offer } from '@arbiter/contract/catalogue/offers';
import { versionFacts } from '../../forms/record-page.tsx';
import { Settings } from '../../forms/settings.tsx';
import { valueText } from '../../messages/catalogue/conditions.ts';
import { offerTexts as t } from '../../messages/catalogue/offers.ts';
import { datesText, hoursText, scheduleState, scheduleStateTexts } from '../../messages/catalogue/schedules.ts';
import { humanKey } from '../../messages/human-key.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { useNow } from '../../ui/as-of.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Id } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { dateWriter } from './schedule-text.tsx';

interface BasicsPartProps {
  readonly offer: Offer;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Name, place in the catalogue, texts. */
export function Basics({ offer }: BasicsPartProps) {
  const format = useFormat();
  const { categoryRef, subCategoryRef, group, tags, productType, metadata } = offer;
  const { customFields, ...rest } = metadata;
  return (
    <Section title={t.basics}>
      <div className="flex flex-col gap-4">
        {offer.description === '' ? null : <p className="whitespace-pre-wrap">{offer.description}</p>}
        <Facts
          facts={[
            {
              label: t.category,
              value:
                categoryRef === null ? (
                  t.noCategory
                ) : (
                  <span>
                    <Link to={addresses.category(categoryRef.id)}>{categoryRef.name}</Link>
                    {subCategoryRef === null ? null : (
                      <>
                        {' / '}
                        <Link to={addresses.category(subCategoryRef.id)}>{subCategoryRef.name}</Link>
                      </>
                    )}
                  </span>
                ),
            },
            { label: t.group, value: group || null },
            {
              label: t.tags,
              value:
                tags.length === 0 ? null : (
                  <span className="flex flex-wrap gap-1">
                    {tags.map((tag) => (
                      <Badge key={tag} tone="neutral">
                        {tag}
                      </Badge>
                    ))}
                  </span>
                ),
            },
            { label: t.productType, value: productType },
            ...(isObject(customFields)
              ? Object.entries(customFields).map(([key, value]) => ({ label: humanKey(key), value: valueText(value) }))
              : []),
            ...versionFacts(offer, format),
          ]}
        />
        {Object.keys(rest).length === 0 ? null : (
          <div className="flex flex-col gap-1">
            <h3 className="text-caption text-soft">{t.metadata}</h3>
            <Settings config={rest} />
          </div>
        )}
      </div>
    </Section>
  );
}

/** What the offer is worth to the tenant, and whether it is forced. */
export function Value({ offer }: BasicsPartProps) {
  const format = useFormat();
  const { priority, businessValue, margin, revenueValue, mandatory } = offer;
  return (
    <Section title={t.value}>
      <Facts
        facts={[
          { label: listTexts.priority, value: <OutOf100 value={priority} /> },
          { label: t.businessValue, value: <OutOf100 value={businessValue} /> },
          { label: t.margin, value: margin === null ? null : format.number(margin) },
          { label: t.revenue, value: revenueValue === null ? null : format.number(revenueValue) },
          ...(mandatory
            ? [
                { label: t.mandatory, value: <Badge tone="info">{t.mandatoryYes}</Badge> },
                { label: t.mandatoryWhy, value: offer.mandatoryReason },
                {
                  label: t.mandatoryUntil,
                  value: offer.mandatoryExpiresAt === null ? null : format.instant(offer.mandatoryExpiresAt),
                },
                {
                  label: t.mandatoryBy,
                  value:
                    offer.mandatoryApprovedBy === null ? null : <Id id={offer.mandatoryApprovedBy} what="user ID" />,
                },
              ]
            : []),
        ]}
      />
    </Section>
  );
}

function OutOf100({ value }: { readonly value: number }) {
  const format = useFormat();
  return (
    <span className="flex items-center gap-3">
      <span className="w-20 shrink-0">
        {format.number(value)} <span className="text-faint">{t.of100}</span>
      </span>
      <span aria-hidden className="h-1.5 max-w-48 grow overflow-hidden rounded-control bg-sunken">
        <span data-mark className="block h-full bg-accent" style={{ width: `${value}%` }} />
      </span>
    </span>
  );
}

/** Its first and last day, days and hours. */
export function When({ offer: { schedule } }: BasicsPartProps) {
  const format = useFormat();
  const zone = format.locale.timeZone;
  const state = scheduleState(schedule, useNow(), zone);
  const dates = datesText(schedule, dateWriter(format));
  const hours = hoursText(schedule);
  const limited = dates !== null || hours !== null;
  return (
    <Section
      title={t.when}
      about={
        state === 'always' ? null : (
          <Badge tone={state === 'running' ? 'pass' : 'warn'}>{scheduleStateTexts[state]}</Badge>
        )
      }
    >
      {limited ? (
        <Facts
          facts={[
            { label: t.dates, value: dates ?? t.always },
            { label: t.hours, value: hours ?? t.always },
            { label: t.zone, value: schedule.timezone ?? t.zoneOfTenant(zone) },
          ]}
        />
      ) : (
        <p className="text-soft">{t.alwaysLong}</p>
      )}
    </Section>
  );
}
