import { type CustomerEligibility, customerToolOperations } from '@arbiter/contract/deciding/customer-tools';
import { interactionListOperations } from '@arbiter/contract/deciding/interaction-lists';
import { suppressionOperations } from '@arbiter/contract/deciding/suppressions';
import { useOperation } from '../../data/use-operation.ts';
import { useChannelNames } from '../../forms/limits/use-channel-names.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { customerTexts as t } from '../../messages/customers.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge } from '../../ui/badge.tsx';
import { later } from '../../ui/later.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { DataTable } from '../../ui/table/table.tsx';
import type { Column } from '../../ui/table/table-column.ts';
import { OfferName } from './offer-name.tsx';
import { PolicyName } from './policy-name.tsx';
import { refusalsOf } from './refusals.ts';
import { maxChannels, useActiveChannels, useNow } from './use-now.ts';

/** A separate chunk, with the charts. */
const LimitsChart = later(() => import('../../forms/limits/limits-chart.tsx').then((module) => module.LimitsChart));

/** Suppressions until this year have no end. */
const never = '9999';

export interface LimitsTabProps {
  readonly customerId: string;
  readonly report: CustomerEligibility | undefined;
}

/** Limits of a customer: blocking policies, counted contacts, suppressions, reservations. */
export function LimitsTab({ customerId, report }: LimitsTabProps) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-3">
      {report === undefined ? null : (
        <div className="min-w-0 rounded-card border border-line bg-surface p-4 lg:col-span-3">
          <LimitsChart customerId={customerId} report={report} />
        </div>
      )}
      <BlockedNow customerId={customerId} report={report} />
      <Suppressions customerId={customerId} />
      <Reservations customerId={customerId} report={report} />
      <div className="lg:col-span-3">
        <Counters customerId={customerId} report={report} />
      </div>
    </div>
  );
}

interface Blocking {
  readonly id: string;
  readonly name: string;
  readonly offers: number;
}

/** Returns the policies that block offers now, most offers first. */
function blockingOf(report: CustomerEligibility | undefined): readonly Blocking[] {
  const found = new Map<string, Blocking>();
  for (const { policyId: id, policyName: name } of report?.offers.flatMap(({ policies }) => policies) ?? []) {
    found.set(id, { id, name, offers: (found.get(id)?.offers ?? 0) + 1 });
  }
  return [...found.values()].toSorted((one, other) => other.offers - one.offers || (one.name < other.name ? -1 : 1));
}

function BlockedNow({ customerId, report }: LimitsTabProps) {
  const blocking = blockingOf(report);
  const channels = useActiveChannels().data?.data.slice(0, maxChannels) ?? [];
  return (
    <Section title={t.blocked}>
      {report !== undefined && blocking.length === 0 ? (
        <p className="pb-1.5 text-dense text-soft">{t.blockedNone}</p>
      ) : null}
      <ul className="flex flex-col gap-1.5 text-dense">
        {blocking.map(({ id, name, offers }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Badge tone="block">{t.blockedOffers(offers)}</Badge>
            <Link to={addresses.policy(id)}>{name}</Link>
          </li>
        ))}
        {channels.map((channel) => (
          <BlockedInChannel key={channel.id} {...{ customerId, channel }} known={blocking.map(({ id }) => id)} />
        ))}
      </ul>
    </Section>
  );
}

interface BlockedInChannelProps {
  readonly customerId: string;
  readonly channel: { readonly id: string; readonly name: string };
  /** Policies that block on every channel, listed above. */
  readonly known: readonly string[];
}

/** Policies that block on one channel. */
function BlockedInChannel({ customerId, channel, known }: BlockedInChannelProps) {
  const { data } = useNow(customerId, channel.id);
  const refusals = refusalsOf(data?.meta).filter(({ policyId }) => !known.includes(policyId));
  return refusals.map(({ policyId, offers }) => (
    <li key={policyId} className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge tone="block">{t.blockedIn(offers, channel.name)}</Badge>
      <Link to={addresses.policy(policyId)}>
        <PolicyName id={policyId} />
      </Link>
    </li>
  ));
}

function Suppressions({ customerId }: Pick<LimitsTabProps, 'customerId'>) {
  const format = useFormat();
  const answer = useOperation(suppressionOperations.ofCustomer, { params: { customerId }, query: {} });
  return (
    <Section title={t.suppressions}>
      <Loaded answer={answer} operation={suppressionOperations.ofCustomer}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-dense text-soft">{t.suppressionsNone}</p>
          ) : (
            <ul className="flex flex-col divide-y divide-line text-dense">
              {data.map((row) => (
                <li key={row.id ?? `${row.scopeId} ${row.createdAt}`} className="flex flex-col py-1.5">
                  <span className="font-medium">
                    {row.scope === 'offer'
                      ? (row.offerName ?? row.scopeId)
                      : row.scope === 'category'
                        ? t.suppressedCategory
                        : t.suppressedAll}
                  </span>
                  <span className="text-soft">
                    {t.suppressionReason(row.reason)}
                    {' · '}
                    {row.expiresAt.startsWith(never) ? t.forEver : t.until(format.instant(row.expiresAt))}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

interface Counter {
  readonly key: string;
  readonly offerId: string;
  /** Null for inactive offers, whose name is loaded separately. */
  readonly offer: string | null;
  readonly channel: string;
  readonly lastAt: string;
  readonly counts: Readonly<Record<string, number>>;
}

function Counters({ customerId, report }: LimitsTabProps) {
  const format = useFormat();
  const channels = useChannelNames();
  const names = new Map(report?.offers.map(({ offerId, offerName }) => [offerId, offerName]));
  const answer = useOperation(customerToolOperations.profile, { params: { customerId }, query: {} });
  return (
    <Section title={t.counters} about={<span className="text-caption text-soft">{t.countersHelp}</span>} flush>
      <Loaded answer={answer} operation={customerToolOperations.profile}>
        {({ counters }) => {
          const windows = [...new Set(counters.flatMap(({ counts }) => Object.keys(counts)))].toSorted(byLength);
          const rows: readonly Counter[] = counters.map(({ offerId, creativeId, channelId, campaignId, ...rest }) => ({
            key: [offerId, creativeId, channelId, campaignId].join(' '),
            offerId,
            offer: names.get(offerId) ?? null,
            channel: (channelId === null ? undefined : channels.get(channelId)) ?? '',
            ...rest,
          }));
          const columns: readonly Column<Counter>[] = [
            {
              key: 'offer',
              header: t.counterColumns.offer,
              cell: ({ offer, offerId }) => offer ?? <OfferName id={offerId} />,
              text: ({ offer, offerId }) => offer ?? offerId,
              grow: 2,
            },
            {
              key: 'channel',
              header: t.counterColumns.channel,
              width: 120,
              cell: ({ channel }) => channel,
              text: ({ channel }) => channel,
            },
            {
              key: 'last',
              header: t.counterColumns.last,
              width: 160,
              grow: 0,
              cell: ({ lastAt }) => format.moment(lastAt),
              text: ({ lastAt }) => lastAt,
            },
            ...windows.map(
              (window): Column<Counter> => ({
                key: window,
                header: windowName(window),
                align: 'end',
                width: 84,
                grow: 0,
                cell: ({ counts }) => format.number(counts[window] ?? 0),
                text: ({ counts }) => counts[window] ?? 0,
              }),
            ),
          ];
          return (
            <DataTable
              label={t.counters}
              columns={columns}
              rows={rows}
              rowKey={({ key }) => key}
              complete
              maxHeight="50dvh"
              empty={<p className="p-4 text-dense text-soft">{t.countersNone}</p>}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}

/** Windows from shortest to longest; rolling ones come after calendar ones. */
const lengths: readonly string[] = ['day', 'week', 'month', 'days30', 'alltime'];
const placeOf = (window: string): number => (lengths.includes(window) ? lengths.indexOf(window) : lengths.length);
const byLength = (one: string, other: string): number => placeOf(one) - placeOf(other) || (one < other ? -1 : 1);

/** Formats `day` as "Today", `rolling_7200s` as "2 h rolling". */
function windowName(window: string): string {
  const seconds = /^rolling_(\d+)s$/.exec(window)?.[1];
  return seconds === undefined ? (t.windows[window] ?? window) : t.rolling(Number(seconds));
}

function Reservations({ customerId, report }: LimitsTabProps) {
  const format = useFormat();
  const names = new Map(report?.offers.map(({ offerId, offerName }) => [offerId, offerName]));
  const answer = useOperation(interactionListOperations.reservations, { params: { customerId } });
  return (
    <Section title={t.openReservations}>
      <Loaded answer={answer} operation={interactionListOperations.reservations}>
        {({ data }) => {
          const open = data.filter(({ state }) => state === 'open');
          if (open.length === 0) return <p className="text-dense text-soft">{t.openReservationsNone}</p>;
          return (
            <ul className="flex flex-col divide-y divide-line text-dense">
              {open.map(({ id, offerId, expiresAt }) => (
                <li key={id} className="flex flex-col py-1.5">
                  <span className="font-medium">
                    {offerId === null ? '' : (names.get(offerId) ?? <OfferName id={offerId} />)}
                  </span>
                  <span className="text-soft">{t.expires(format.instant(expiresAt))}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Section>
  );
}
