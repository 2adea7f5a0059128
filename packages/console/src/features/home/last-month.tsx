import { type DecisionHealth, dashboardOperations } from '@arbiter/contract/operations/dashboards';
import { type ReportRow, reportSourceOperations } from '@arbiter/contract/operations/report-sources';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { monthTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { endAfter } from '../../route/days.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { AreaChart, LineChart } from '../../ui/charts/line.tsx';
import { startOf } from '../../ui/charts/zone-days.ts';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { responseDays } from './response-days.ts';

const days = 30;

/** What customers saw and did lately, and how much was decided, day by day. */
export function LastMonth() {
  const responses = useOperation(
    reportSourceOperations.data,
    { query: { type: 'daily_trend', days } },
    { everyMs: 300_000 },
  );
  const decisions = useOperation(dashboardOperations.decisionHealth, { query: { days } }, { everyMs: 60_000 });
  return (
    <Section
      title={t.section}
      about={decisions.asOf === null ? null : <AsOf at={decisions.asOf} stale={decisions.old} />}
    >
      <div className="grid gap-x-6 gap-y-4 lg:grid-cols-2">
        <Loaded answer={responses} operation={reportSourceOperations.data}>
          {({ rows }) => <Responses rows={rows} />}
        </Loaded>
        <Loaded answer={decisions} operation={dashboardOperations.decisionHealth}>
          {({ daily }) => <Decisions daily={daily} />}
        </Loaded>
      </div>
    </Section>
  );
}

function Responses({ rows }: { readonly rows: readonly ReportRow[] }) {
  const format = useFormat();
  const { timeZone } = format.locale;
  const { byDay, impressions, conversions, best } = responseDays(rows);
  const points = (key: 'impressions' | 'conversions') =>
    byDay.map((each) => ({ at: startOf(each.day, timeZone), value: each[key], drill: { reason: t.totals } }));
  return (
    <LineChart
      title={t.responses}
      summary={
        best === null
          ? t.noResponses
          : t.responsesSummary(
              format.number(impressions),
              format.number(conversions),
              format.date(startOf(best.day, timeZone)),
            )
      }
      series={[
        { name: t.impressions, points: points('impressions') },
        { name: t.conversions, points: points('conversions') },
      ]}
      daily
      height={160}
      write={(value) => format.number(value)}
    />
  );
}

function Decisions({ daily }: Pick<DecisionHealth, 'daily'>) {
  const format = useFormat();
  const { timeZone } = format.locale;
  const all = daily.reduce((sum, { decisions }) => sum + decisions, 0);
  const most = daily.reduce((best, day) => (day.decisions > best.decisions ? day : best), daily[0] ?? none);
  return (
    <AreaChart
      title={t.title}
      summary={
        all === 0
          ? t.none
          : t.summary(
              format.number(all),
              format.number(most.decisions),
              format.date(startOf(most.day, timeZone)),
              format.number(daily.at(-1)?.decisions ?? 0),
            )
      }
      name={t.decisions}
      daily
      height={160}
      write={(value) => format.number(value)}
      points={daily.map(({ day, decisions }) => ({
        at: startOf(day, timeZone),
        value: decisions,
        drill: { to: addresses.decisions({ from: day, to: endAfter(day) }) },
      }))}
    />
  );
}

const none = { day: '1970-01-01', decisions: 0 };
