import { reportSourceOperations } from '@arbiter/contract/operations/report-sources';
import { useOperation } from '../../../data/use-operation.ts';
import { Loaded } from '../../../forms/loaded.tsx';
import { policyStudioTexts as t } from '../../../messages/outlook/policy-studio.ts';
import { addresses } from '../../../route/addresses.ts';
import { endAfter } from '../../../route/days.ts';
import { AsOf } from '../../../ui/as-of.tsx';
import { BarChart } from '../../../ui/charts/bars.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';

const days = 7;
const most = 50;

/** How often each policy blocked what it checked, in the traces of the last days. */
export function Pressure() {
  const format = useFormat();
  const answer = useOperation(
    reportSourceOperations.data,
    { query: { type: 'contact_policy_pressure', days, limit: most } },
    { everyMs: 300_000 },
  );
  return (
    <Section title={t.pressure} about={answer.asOf === null ? null : <AsOf at={answer.asOf} stale={answer.old} />}>
      <Loaded answer={answer} operation={reportSourceOperations.data}>
        {({ rows, notes, period }) => {
          const range = period === null ? {} : { from: period.from, to: endAfter(period.to) };
          const policies = rows
            .map((row) => ({ id: String(row.policyId), name: String(row.policy), share: Number(row.share) }))
            .toSorted((one, other) => other.share - one.share);
          const [first] = policies;
          return (
            <BarChart
              title={t.pressureTitle}
              summary={
                first === undefined
                  ? ''
                  : first.share > 0
                    ? t.pressureSummary(first.name, format.percent(first.share, 1))
                    : t.pressureNone
              }
              empty={t.noPressure}
              measure={t.shareBlocked}
              of={t.policy}
              write={(share) => format.percent(share, 1)}
              rows={policies.map(({ id, name, share }) => ({
                ...{ key: id, label: name, value: share },
                drill: { to: addresses.decisions({ policyId: id, ...range }) },
                tone: 'block' as const,
              }))}
              foot={[t.pressureFoot, ...notes].map((note) => <span key={note}>{note}</span>)}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}
