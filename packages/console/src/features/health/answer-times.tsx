import type { MetricsSummary } from '@arbiter/contract/operations/metrics-summary';
import { healthTexts as t } from '../../messages/health.ts';
import { BarChart } from '../../ui/charts/bars.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { answerTimesOf } from './figures.ts';

/** How many decisions took how long. The steps are those that the server counts in: each is about twice the one before. */
export function AnswerTimes({ metrics, summary }: { readonly metrics: MetricsSummary; readonly summary: string }) {
  const format = useFormat();
  const written = (ms: number) => format.duration(ms);
  return (
    <BarChart
      title={t.answerTimes}
      summary={summary}
      of={t.answerTime}
      measure={t.answers}
      write={(value) => format.number(value)}
      fileHead={t.timeHead}
      rows={answerTimesOf(metrics).map(({ from, to, count }) => ({
        key: String(to),
        label: !Number.isFinite(to)
          ? t.timeOver(written(from))
          : from === 0
            ? t.timeUpTo(written(to))
            : t.timeBetween(written(from), written(to)),
        fileLabel: [from, Number.isFinite(to) ? to : null],
        value: count,
        drill: { reason: t.notDecisions },
      }))}
    />
  );
}
