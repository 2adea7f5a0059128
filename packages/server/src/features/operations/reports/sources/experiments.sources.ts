import type { ReportRow } from '@arbiter/contract';
import type { Tx } from '../../../../db/tx.ts';
import { findRecords } from '../../../catalogue/catalogue-records/index.ts';
import { type ExperimentRow, experimentSpec, selectExperiments } from '../../../catalogue/experiments/index.ts';
import { archivedMonths } from '../../../deciding/archived-months/index.ts';
import { countImpressions, resultsOf } from '../../../deciding/experiment-results/index.ts';
import { column, type Source, sourceResult } from './source.ts';

const percent = (value: number): string => (value * 100).toFixed(1);

async function rowsOf(tx: Tx, experiment: ExperimentRow, isAlone: boolean): Promise<ReportRow[]> {
  const { variants } = await resultsOf(tx, experiment);
  const impressions = await countImpressions(tx, experiment.id);
  return variants.map(({ variant, exposed, converted, rate, ciLower, ciUpper, absoluteUplift, pValue }) => ({
    variant: isAlone ? variant : `${experiment.key}: ${variant}`,
    customers: exposed,
    impressions: impressions.get(variant) ?? 0,
    conversions: converted,
    rate,
    uplift: absoluteUplift,
    interval: ciLower === null || ciUpper === null ? null : `${percent(ciLower)}% to ${percent(ciUpper)}%`,
    p: pValue,
  }));
}

const experimentResults: Source = {
  key: 'experiment_results',
  label: 'Experiment results',
  description:
    'Exposed and converted customers by variant, compared with the champion. Without `experimentId`, of all experiments that have started.',
  params: ['limit', 'experimentId'],
  columns: () => [
    column('variant', 'Variant', 'text'),
    column('customers', 'Customers', 'integer'),
    column('impressions', 'Impressions', 'integer'),
    column('conversions', 'Conversions', 'integer'),
    column('rate', 'Conversion rate', 'ratio'),
    column('uplift', 'Uplift', 'ratio'),
    column('interval', 'Interval', 'text'),
    column('p', 'p', 'decimal'),
  ],
  chart: () => ({ kind: 'bar', x: 'variant', y: ['rate'] }),
  async read(tx, { params: { experimentId }, limit }) {
    const ids = (await selectExperiments(tx)).flatMap(({ id, deletedAt }) => (deletedAt === null ? [id] : []));
    const requestedIds = experimentId === undefined ? ids : ids.filter((id) => id === experimentId.toLowerCase());
    const started = (await findRecords(tx, experimentSpec, 'id', requestedIds)).filter(
      ({ startedAt }) => startedAt !== null,
    );
    const rows: ReportRow[] = [];
    for (const experiment of started) {
      if (rows.length < limit) rows.push(...(await rowsOf(tx, experiment, experimentId !== undefined)));
    }
    if (rows.length === 0) return sourceResult([], ['No experiment has started yet.']);
    const starts = started.flatMap(({ startedAt }) => (startedAt === null ? [] : [startedAt.getTime()]));
    const span = { from: new Date(Math.min(...starts)), to: null };
    const months = await archivedMonths(tx, ['interactions', 'impressions'], span);
    return sourceResult(rows.slice(0, limit), [
      'A customer counts once, from the first impression under the experiment.',
      ...(months.length === 0 ? [] : [`Archived history of ${months.join(', ')} is left out.`]),
    ]);
  },
};

/** Sources of experiments. */
export const experimentSources = { experiment_results: experimentResults };
