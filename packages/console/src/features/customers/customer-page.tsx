import { schemaOperations } from '@arbiter/contract/catalogue/schemas';
import {
  type CustomerEligibility,
  customerToolOperations,
  eligibilityPage,
} from '@arbiter/contract/deciding/customer-tools';
import { interactionListOperations } from '@arbiter/contract/deciding/interaction-lists';
import { FlaskConical, Scale } from 'lucide-react';
import Type from 'typebox';
import { useOperation } from '../../data/use-operation.ts';
import { RecordPin } from '../../forms/record-pin.tsx';
import { customerTexts as t } from '../../messages/customers.ts';
import { addresses } from '../../route/addresses.ts';
import { useParam, useSearch } from '../../route/use-address.ts';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { later } from '../../ui/later.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { type IdentifyingValue, identifyingValues } from './identifying-values.ts';
import { NowRow } from './now-row.tsx';
import { TimelineTab } from './timeline-tab.tsx';

const LimitsTab = later(() => import('./limits-tab.tsx').then((module) => module.LimitsTab));
const OffersTab = later(() => import('./offers-tab.tsx').then((module) => module.OffersTab));
const ProfileTab = later(() => import('./profile-tab.tsx').then((module) => module.ProfileTab));
const SummariesTab = later(() => import('./summaries-tab.tsx').then((module) => module.SummariesTab));

const tabs = ['timeline', 'offers', 'limits', 'profile', 'summaries'] as const;
const CustomerSearch = Type.Object({
  tab: Type.Optional(Type.String({ enum: [...tabs] })),
  gate: Type.Optional(Type.String()),
  period: Type.Optional(Type.String()),
  show: Type.Optional(Type.Array(Type.String())),
});

/** One customer: next best offers, history, limits and profile. */
export function CustomerPage() {
  const customerId = useParam('id');
  const [search, change] = useSearch(CustomerSearch);
  const eligibility = useOperation(
    customerToolOperations.eligibility,
    { params: { customerId }, query: { limit: eligibilityPage.maximum } },
    { keepPrevious: false },
  );
  const schemas = useOperation(schemaOperations.list, { query: { limit: 100 } });
  const report = eligibility.data;
  const table = schemas.data?.data.find(({ entityType }) => entityType === 'customer');
  const identity = report === undefined ? [] : identifyingValues(table?.fields ?? [], report.customer);
  return (
    <Page
      title={customerId}
      parents={[{ title: t.customers, to: addresses.customers() }]}
      lead={identity.length === 0 ? undefined : <IdentifyingValues values={identity} />}
      about={<About customerId={customerId} report={report} />}
      actions={
        <>
          <ButtonLink to={addresses.decisions({ customerId })} icon={<Scale aria-hidden className="size-4" />}>
            {t.allDecisions}
          </ButtonLink>
          <ButtonLink
            kind="primary"
            to={addresses.simulate({ customer: customerId })}
            icon={<FlaskConical aria-hidden className="size-4" />}
          >
            {t.simulate}
          </ButtonLink>
        </>
      }
    >
      {report?.known === false ? (
        <ProblemPanel title={t.unknownTitle} tone="warn">
          <p>{t.unknownText}</p>
        </ProblemPanel>
      ) : null}
      <NowRow customerId={customerId} />
      <Tabs
        label={t.tabsLabel}
        value={search.tab ?? tabs[0]}
        onChange={(tab) => change({ tab })}
        tabs={[
          {
            key: 'timeline',
            label: t.tabs.timeline,
            content: (
              <TimelineTab
                customerId={customerId}
                hidden={search.show ?? []}
                onHide={(show) => change({ show: [...show] })}
              />
            ),
          },
          {
            key: 'offers',
            label: t.tabs.offers,
            count: report?.summary.eligibleCount,
            content: <OffersTab customerId={customerId} answer={eligibility} gate={search.gate ?? null} />,
          },
          {
            key: 'limits',
            label: t.tabs.limits,
            content: <LimitsTab customerId={customerId} report={report} />,
          },
          {
            key: 'profile',
            label: t.tabs.profile,
            content: <ProfileTab answer={eligibility} fields={table?.fields ?? []} />,
          },
          {
            key: 'summaries',
            label: t.tabs.summaries,
            content: (
              <SummariesTab
                customerId={customerId}
                period={search.period ?? 'alltime'}
                onPeriod={(period) => change({ period })}
              />
            ),
          },
        ]}
      />
    </Page>
  );
}

interface AboutProps {
  readonly customerId: string;
  readonly report: CustomerEligibility | undefined;
}

/** Status, segments and open reservations, next to the heading. */
function About({ customerId, report }: AboutProps) {
  const reservations = useOperation(interactionListOperations.reservations, { params: { customerId } });
  const open = reservations.data?.data.filter(({ state }) => state === 'open').length ?? 0;
  return (
    <>
      <Copy text={customerId} what="customer ID" />
      {report?.known ? <RecordPin kind="customer" id={customerId} name={null} /> : null}
      {report === undefined ? null : (
        <>
          <Badge tone={report.known ? 'pass' : 'warn'}>{report.known ? t.known : t.unknown}</Badge>
          {report.known ? (
            <Link to={addresses.customer(customerId, { tab: 'profile' })}>
              <Badge tone="neutral">{t.segments(report.segments.length)}</Badge>
            </Link>
          ) : null}
        </>
      )}
      {open > 0 ? (
        <Link to={addresses.customer(customerId, { tab: 'limits' })}>
          <Badge tone="info">{t.reservations(open)}</Badge>
        </Link>
      ) : null}
    </>
  );
}

/** Identifying values from the customer's row. Column names are in the tooltip and for screen readers. */
function IdentifyingValues({ values }: { readonly values: readonly IdentifyingValue[] }) {
  return values.map(({ label, value }, at) => (
    <span key={label} title={label}>
      {at === 0 ? null : ' · '}
      <span className="hidden-text">{label} </span>
      {value}
    </span>
  ));
}
