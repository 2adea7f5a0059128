import type { SnapshotExperiment } from '@arbiter/engine';
import type { ModelFacts } from '../models/index.ts';
import type { ExperimentFacts } from './experiments.store.ts';

/** An experiment as plans hold it, before they know whether it matters to them. */
export interface PlanExperiment extends SnapshotExperiment {
  /** Keys of its models. */
  readonly models: readonly string[];
}

/**
 * Returns experiments with the keys of their models, one of each key. Those that aren't running, or all of them while the
 * tenant has them disabled, only have a champion. Leaves out those whose champion is deleted.
 */
export function experimentsForPlans(
  experiments: readonly ExperimentFacts[],
  models: readonly Pick<ModelFacts, 'id' | 'key'>[],
  isEnabled: boolean,
): PlanExperiment[] {
  if (experiments.length === 0) return [];
  const keys = new Map(models.map(({ id, key }) => [id, key]));
  const newest = experiments.filter(({ key }, at) => experiments[at - 1]?.key !== key);
  return newest.flatMap((experiment): PlanExperiment[] => {
    const { id, key, status, deletedAt, championModelId, trafficSplit, challengers, holdoutPercent } = experiment;
    const champion = keys.get(championModelId);
    if (champion === undefined) return [];
    if (!isEnabled || status !== 'active' || deletedAt !== null) {
      const alone = { championPct: 100, challengers: [], holdoutPct: 0 };
      return [{ id, key, isRunning: false, champion, ...alone, models: [champion] }];
    }
    // A deleted challenger keeps its share, and its customers get the champion.
    const others = challengers.map(({ modelId, trafficPct }) => ({ model: keys.get(modelId) ?? modelId, trafficPct }));
    const shares = { championPct: trafficSplit.championPct, challengers: others, holdoutPct: holdoutPercent };
    return [{ id, key, isRunning: true, champion, ...shares, models: [champion, ...others.map(({ model }) => model)] }];
  });
}
