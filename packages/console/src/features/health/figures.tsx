import { dropTexts } from '@arbiter/contract/explanation/texts';
import { type MetricsSummary, metricsSummaryOperations } from '@arbiter/contract/operations/metrics-summary';
import { can } from '../../data/can.ts';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { healthTexts as t } from '../../messages/health.ts';
import { addresses } from '../../route/addresses.ts';
import { AsOf } from '../../ui/as-of.tsx';
import type { Drill } from '../../ui/drill.ts';
import { Facts } from '../../ui/facts.tsx';
import { later } from '../../ui/later.tsx';
import { Link } from '../../ui/link.tsx';
import { Metric } from '../../ui/metric.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { figuresOf, largestBound } from './figures.ts';
import { Speed } from './speed.tsx';

/** A separate chunk with the charts. */
const AnswerTimes = later(() => import('./answer-times.tsx').then((module) => module.AnswerTimes));

const everyMs = 30_000;
/** Maximum number of reasons to list. */
const most = 6;

/** Number and speed of decisions, as this server counts them for the tenant. */
export function DecisionFigures() {
  const permission = can(metricsSummaryOperations.get);
  const answer = useOperation(metricsSummaryOperations.get, {}, { enabled: permission.allowed, everyMs });
  return (
    <Section title={t.figures} about={answer.asOf === null ? null : <AsOf at={answer.asOf} stale={answer.old} />}>
      {permission.allowed ? (
        <Loaded answer={answer} operation={metricsSummaryOperations.get}>
          {(metrics) => <Shown metrics={metrics} />}
        </Loaded>
      ) : (
        <p className="text-soft">{t.forAdmins}</p>
      )}
    </Section>
  );
}

/** Reasons come from the engine; one that the console doesn't know is shown as sent. */
const titleOf = (reason: string): string =>
  new Map(Object.entries(dropTexts)).get(reason)?.title ?? reason.replaceAll('_', ' ');

function Shown({ metrics }: { metrics: MetricsSummary }) {
  const format = useFormat();
  const { answered, failed, median, p95, p99, looked, drops } = figuresOf(metrics);
  if (answered + failed === 0) return <p className="text-soft">{t.figuresNone}</p>;
  const most99 = largestBound(metrics);
  const within = (ms: number | null): string =>
    ms === null ? '–' : Number.isFinite(ms) ? format.duration(ms) : t.slower(format.duration(most99));
  const drill = { reason: t.notDecisions, isCaptioned: true } as const satisfies Drill;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-dense text-soft">{t.figuresLead}</p>
      <div className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-5">
        <Metric size="small" label={t.answered} value={format.number(answered)} drill={drill} />
        <Metric
          size="small"
          label={t.notAnswered}
          value={format.number(failed)}
          tone={failed === 0 ? 'neutral' : 'warn'}
          drill={drill}
        />
        <Speed median={within(median)} p95={within(p95)} p99={within(p99)} drill={drill} />
      </div>
      <p className="text-caption text-faint">
        {t.latencySays}. {t.notDecisions}.
      </p>
      {median === null || p95 === null ? null : (
        <AnswerTimes metrics={metrics} summary={t.timesSummary(within(median), within(p95))} />
      )}
      {looked === 0 || drops.length === 0 ? null : (
        <div>
          <h3 className="pb-1 text-caption text-soft">{t.drops}</h3>
          <Facts
            facts={drops.slice(0, most).map(({ reason, count }) => ({
              label: titleOf(reason),
              value: (
                <>
                  <Link className="underline" to={addresses.decisions({ reason })}>
                    {format.number(count)}
                  </Link>{' '}
                  · {t.dropsOf(format.percent(count / looked))}
                </>
              ),
            }))}
          />
        </div>
      )}
    </div>
  );
}
