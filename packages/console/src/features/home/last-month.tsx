import { type DecisionHealth, dashboardOperations } from '@arbiter/contract/dashboards';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { monthTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { AreaChart } from '../../ui/charts/line.tsx';
import { startOf } from '../../ui/charts/zone-days.ts';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';

const days = 30;

/** How much was decided lately, day by day. */
export function LastMonth() {
  const answer = useOperation(dashboardOperations.decisionHealth, { query: { days } }, { everyMs: 60_000 });
  return (
    <Section title={t.section} about={answer.asOf === null ? null : <AsOf at={answer.asOf} stale={answer.old} />}>
      <Loaded answer={answer} operation={dashboardOperations.decisionHealth}>
        {({ daily }) => <Days daily={daily} />}
      </Loaded>
    </Section>
  );
}

function Days({ daily }: Pick<DecisionHealth, 'daily'>) {
  const format = useFormat();
  const { timeZone } = format.locale;
  const all = daily.reduce((sum, { decisions }) => sum + decisions, 0);
  const most = daily.reduce((best, day) => (day.decisions > best.decisions ? day : best), daily[0] ?? none);
  if (all === 0) return <p className="text-soft">{t.none}</p>;
  return (
    <AreaChart
      title={t.title}
      summary={t.summary(
        format.number(all),
        format.number(most.decisions),
        format.date(startOf(most.day, timeZone)),
        format.number(daily.at(-1)?.decisions ?? 0),
      )}
      name={t.decisions}
      daily
      height={140}
      write={(value) => format.number(value)}
      points={daily.map(({ day, decisions }) => ({
        at: startOf(day, timeZone),
        value: decisions,
        drill: { to: addresses.decisions({ from: day, to: day }) },
      }))}
    />
  );
}

const none = { day: '1970-01-01', decisions: 0 };
