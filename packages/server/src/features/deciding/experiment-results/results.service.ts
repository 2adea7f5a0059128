import type { ExperimentResults } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { getRecord, readRelated } from '../../catalogue/catalogue-records/index.ts';
import { type ExperimentRow, experimentSpec } from '../../catalogue/experiments/index.ts';
import { remarkArchived } from '../archived-months/index.ts';
import { type Arm, championVariant, evaluate, holdoutVariant } from './results.rules.ts';
import { countVariants } from './results.store.ts';

/** Returns the results of an experiment. Throws 404. */
export async function readResults(tx: Tx, id: string): Promise<ExperimentResults> {
  const experiment = await getRecord(tx, experimentSpec, id);
  const span = { from: experiment.startedAt, to: null };
  await remarkArchived(tx, ['interactions', 'impressions'], span, 'the results leave out');
  return resultsOf(tx, experiment);
}

/** Counts and compares the customers of an experiment, by the models that were tested. */
export async function resultsOf(tx: Tx, experiment: ExperimentRow): Promise<ExperimentResults> {
  const { id, key, status, metric, startedAt, endedAt, autoPromoteVerdict } = experiment;
  const { variants, srm } = evaluate(await armsOf(tx, experiment), await countVariants(tx, id, metric));
  return {
    experimentId: id,
    experimentKey: key,
    status,
    metric,
    startedAt: startedAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
    variants,
    srm,
    autoPromoteVerdict,
    calculatedAt: tx.now.toISOString(),
  };
}

/** The variants as they were tested: a challenger that took over has changed places with the champion since. */
async function armsOf(
  tx: Tx,
  { championModelId, testedChampionId, trafficSplit, challengers, holdoutPercent }: ExperimentRow,
): Promise<Arm[]> {
  const tested = challengers.map(({ modelId, trafficPct }) => ({
    modelId: modelId === testedChampionId ? championModelId : modelId,
    trafficPct,
  }));
  const models = await readRelated(
    tx,
    'algorithmModel',
    tested.map(({ modelId }) => modelId),
    ['key'],
  );
  return [
    { variant: championVariant, modelId: testedChampionId ?? championModelId, share: trafficSplit.championPct },
    ...tested.map(({ modelId, trafficPct }) => ({
      variant: models.get(modelId)?.key ?? modelId,
      modelId,
      share: trafficPct,
    })),
    ...(holdoutPercent > 0 ? [{ variant: holdoutVariant, modelId: null, share: holdoutPercent }] : []),
  ];
}
