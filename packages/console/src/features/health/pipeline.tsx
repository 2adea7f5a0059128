import { type DecisionPipeline, dashboardOperations } from '@arbiter/contract/operations/dashboards';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { healthTexts as t } from '../../messages/health.ts';
import { addresses } from '../../route/addresses.ts';
import { AsOf } from '../../ui/as-of.tsx';
import type { Drill } from '../../ui/drill.ts';
import { Metric } from '../../ui/metric.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { Speed } from './speed.tsx';

/** Decisions of the last day, stage by stage. */
export function Pipeline() {
  const answer = useOperation(
    dashboardOperations.decisionPipeline,
    { query: { windowHours: 24 } },
    { everyMs: 60_000 },
  );
  return (
    <Section title={t.pipeline} about={answer.asOf === null ? null : <AsOf at={answer.asOf} stale={answer.old} />}>
      <Loaded answer={answer} operation={dashboardOperations.decisionPipeline}>
        {(pipeline) => <Shown pipeline={pipeline} />}
      </Loaded>
    </Section>
  );
}

function Shown({ pipeline }: { pipeline: DecisionPipeline }) {
  const format = useFormat();
  const { decisions, failed, p50Ms, p95Ms, p99Ms, stages, tracesRead, notes, from } = pipeline;
  const sums = { reason: t.aggregate, isCaptioned: true } as const satisfies Drill;
  const ms = (value: number | null) => (value === null ? '–' : format.duration(value));
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-5">
        <Metric
          size="small"
          label={t.decisions}
          value={format.number(decisions)}
          drill={{ to: addresses.decisions({ from }) }}
        />
        <Metric
          size="small"
          label={t.failedCalls}
          value={format.number(failed)}
          tone={failed === 0 ? 'neutral' : 'block'}
          drill={sums}
        />
        <Speed median={ms(p50Ms)} p95={ms(p95Ms)} p99={ms(p99Ms)} drill={sums} />
      </div>
      {tracesRead === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        <section tabIndex={0} aria-label={t.stage} className="overflow-x-auto">
          <table className="w-full border-collapse text-dense">
            <thead>
              <tr className="border-line border-b text-caption text-soft">
                <th scope="col" className="py-2 pe-1 text-start font-medium sm:pe-4">
                  {t.stage}
                </th>
                {[t.averageMs, t.averageCandidates, t.filterRate].map((head) => (
                  <th key={head} scope="col" className="px-1 py-2 text-end font-medium last:pe-0 sm:px-4">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {stages.map(({ stage, averageMs, averageCandidates, filterRate }) => (
                <tr key={stage} className="border-line border-b last:border-b-0">
                  <th scope="row" className="py-2 pe-1 text-start font-normal sm:pe-4">
                    {t.stages[stage]}
                  </th>
                  <td className="px-1 py-2 text-end tabular-nums last:pe-0 sm:px-4">{ms(averageMs)}</td>
                  <td className="px-1 py-2 text-end tabular-nums last:pe-0 sm:px-4">
                    {averageCandidates === null ? '–' : format.number(averageCandidates, 1)}
                  </td>
                  <td className="px-1 py-2 text-end tabular-nums last:pe-0 sm:px-4">
                    {filterRate === null ? '–' : format.percent(filterRate)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <p className="text-caption text-faint">
        {tracesRead === 0 ? null : `${t.tracesRead(format.number(tracesRead))} `}
        {notes.join(' ')} {t.aggregate}.
      </p>
    </div>
  );
}
