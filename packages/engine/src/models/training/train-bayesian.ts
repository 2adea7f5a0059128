import { countOutcome, newCounts, stateOfCounts } from '../bayesian-counts.ts';
import { columnsOf } from './columns.ts';
import { quantileEdges } from './quantile-edges.ts';
import type { Trainer } from './trainer.ts';

const bins = 10;
/** Rows between two reports of progress. */
const rowsPerReport = 5_000;

/** Counts rows in ten quantile bins per number and one bin per category. */
export const bayesianTrainer: Trainer = {
  minRows: 20,
  fields: {},
  check: () => [],
  train(set, _params, _seed, onProgress) {
    const columns = columnsOf(set);
    const edges = columns.flatMap(({ name, isNumeric, values }) =>
      isNumeric
        ? [
            [
              name,
              quantileEdges(
                values.filter((value) => typeof value === 'number'),
                bins,
              ),
            ] as const,
          ]
        : [],
    );
    const counts = newCounts(Object.fromEntries(edges));
    const names = columns.map(({ name }) => name);
    set.rows.forEach(({ label, weight }, row) => {
      countOutcome(counts, names, (at) => columns[at]!.values[row]!, label, weight);
      if (row % rowsPerReport === 0) onProgress(row / set.rows.length);
    });
    onProgress(1);
    return stateOfCounts(counts, true);
  },
};
