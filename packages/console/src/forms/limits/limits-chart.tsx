import type { CustomerEligibility } from '@arbiter/contract/deciding/customer-tools';
import { interactionListOperations } from '@arbiter/contract/deciding/interaction-lists';
import { suppressionOperations } from '@arbiter/contract/deciding/suppressions';
import { useOperation } from '../../data/use-operation.ts';
import { customerTexts as t } from '../../messages/customers.ts';
import { Timeline } from '../../ui/charts/timeline.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { FailurePanel } from '../failure-panel.tsx';
import { daysBack, limitLanes } from './limit-lanes.ts';
import { useChannelNames } from './use-channel-names.ts';

/** Maximum number of contacts: more would be indistinguishable. */
const maxContacts = 100;

export interface LimitsChartProps {
  readonly customerId: string;
  readonly report: CustomerEligibility;
}

/** A customer's limits over time: contacts as dots, policy periods as brackets, suppressions as bars. */
export function LimitsChart({ customerId, report }: LimitsChartProps) {
  const format = useFormat();
  const { timeZone } = format.locale;
  const channels = useChannelNames();
  const from = new Date(Date.parse(report.evaluatedAt) - daysBack * 86_400_000).toISOString();
  const contacts = useOperation(interactionListOperations.history, {
    query: { customerId, type: 'impression', from, limit: maxContacts },
  });
  const reservations = useOperation(interactionListOperations.reservations, { params: { customerId } });
  const suppressions = useOperation(suppressionOperations.ofCustomer, { params: { customerId }, query: {} });
  if (contacts.data === undefined && contacts.failure !== null) {
    return (
      <FailurePanel failure={contacts.failure} operation={interactionListOperations.history} retry={contacts.refresh} />
    );
  }
  if (contacts.data === undefined || reservations.loading || suppressions.loading) return <Skeleton className="h-40" />;
  const chart = limitLanes({
    report,
    contacts: contacts.data.data,
    reservations: reservations.data?.data ?? [],
    suppressions: suppressions.data?.data ?? [],
    channels,
    timeZone,
    write: format.moment,
  });
  return (
    <Timeline
      title={t.limitsTitle}
      summary={t.limitsSummary(chart.contacts, chart.limits)}
      empty={t.limitsNone}
      lanes={chart.lanes}
      from={chart.from}
      to={chart.to}
      now={chart.now}
      foot={
        <>
          <span>{t.limitsLegend}</span>
          {contacts.data.data.length < maxContacts ? null : <span>{t.limitsPart(maxContacts)}</span>}
        </>
      }
    />
  );
}
