import { type DecisionHealth, dashboardOperations } from '@arbiter/contract/operations/dashboards';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { healthTexts as t } from '../../messages/health.ts';
import { addresses } from '../../route/addresses.ts';
import { endAfter } from '../../route/days.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { BarChart } from '../../ui/charts/bars.tsx';
import { startOf } from '../../ui/charts/zone-days.ts';
import type { Drill } from '../../ui/drill.ts';
import { Metric } from '../../ui/metric.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';

/** Decisions of the last week: rates of problems, and the days. */
export function LastDays() {
  const answer = useOperation(dashboardOperations.decisionHealth, { query: { days: 7 } }, { everyMs: 300_000 });
  return (
    <Section title={t.days} about={answer.asOf === null ? null : <AsOf at={answer.asOf} stale={answer.old} />}>
      <Loaded answer={answer} operation={dashboardOperations.decisionHealth}>
        {(health) => <Shown health={health} />}
      </Loaded>
    </Section>
  );
}

function Shown({ health }: { health: DecisionHealth }) {
  const format = useFormat();
  const { decisions, failed, errorRate, emptyRate, degradedRate, policyBlockRate, daily } = health;
  const sums = { reason: t.aggregate, isCaptioned: true } as const satisfies Drill;
  const rates = [
    [t.errorRate, errorRate],
    [t.emptyRate, emptyRate],
    [t.degradedRate, degradedRate],
    [t.policyBlockRate, policyBlockRate],
  ] as const;
  const dayText = (day: string) => format.date(startOf(day, format.locale.timeZone));
  const most = daily.reduce((best, day) => (day.decisions > best.decisions ? day : best), daily[0] ?? none);
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
        {rates.map(([label, rate]) => (
          <Metric
            key={label}
            size="small"
            label={label}
            value={rate === null ? '–' : format.percent(rate)}
            tone={label === t.errorRate && failed > 0 ? 'block' : 'neutral'}
            drill={sums}
          />
        ))}
      </div>
      <p className="text-caption text-faint">{t.aggregate}.</p>
      {decisions === 0 ? (
        <p>{t.byDayNone}</p>
      ) : (
        <BarChart
          title={t.byDay}
          summary={t.byDaySummary(format.number(decisions), format.number(most.decisions), dayText(most.day))}
          of={t.day}
          measure={t.decisions}
          write={(value) => format.number(value)}
          rows={daily.map(({ day, decisions: value }) => ({
            key: day,
            label: dayText(day),
            fileLabel: [day],
            value,
            drill: { to: addresses.decisions({ from: day, to: endAfter(day) }) },
          }))}
        />
      )}
    </div>
  );
}

const none = { day: '1970-01-01', decisions: 0 };
