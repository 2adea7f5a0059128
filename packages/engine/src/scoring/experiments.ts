import { readObject } from '../config-values.ts';
import type { ExperimentUse } from '../plan/decision.ts';
import type { AssignedVariant, DecisionInput } from '../plan/input.ts';
import type { PlanModels } from '../plan/models.ts';
import type { Run } from '../plan/run.ts';
import type { AssignedModel, Experiment, ExperimentShare } from '../plan/scoring.ts';
import type { JsonObject, SnapshotExperiment } from '../plan/snapshot.ts';
import { u } from '../random/hash.ts';
import { isUsable, shareAt } from './shares.ts';

const championVariant = '__champion__';
const holdoutVariant = '__holdout__';

/**
 * Returns the experiment that shares the customers of a score stage (docs/design/api-decisioning.md 20, Experiments):
 * the one that its config names, else the running one whose champion scores there; null: none.
 */
export function compileExperiment(
  experiments: readonly SnapshotExperiment[],
  config: JsonObject,
  models: PlanModels,
): Experiment | null {
  const { enabled, experimentKey, champion } = readObject(config.championChallenger);
  const named = enabled === true ? experiments.find(({ key }) => key === experimentKey) : undefined;
  const name = enabled === true ? (readObject(champion).modelKey ?? config.modelKey) : config.modelKey;
  const found = named ?? experiments.find((each) => each.isRunning && each.champion === ownKey(models, name));
  if (found === undefined) return null;
  const { id, key, isRunning } = found;
  const championModel = { name: found.champion, model: models.numberOfKey(found.champion) };
  const shares: ExperimentShare[] = [
    { variant: championVariant, ...championModel, weight: found.championPct },
    ...found.challengers.map(({ model, trafficPct }) => ({
      variant: model,
      name: model,
      model: models.numberOfKey(model),
      weight: trafficPct,
    })),
  ];
  if (found.holdoutPct > 0) {
    shares.push({ variant: holdoutVariant, name: holdoutVariant, model: -1, weight: found.holdoutPct });
  }
  return { id, key, isRunning, champion: championModel, shares };
}

/** Key of the model that a name means; the name itself for a model that isn't usable. */
function ownKey(models: PlanModels, name: unknown): string | null {
  if (typeof name !== 'string') return null;
  return models.list[models.numberOf(name)]?.key ?? name;
}

/**
 * The customer's variant: the one that was assigned before, else the share in which `u(key:customerId)` lies. Customers
 * keep a variant whatever happens to the shares.
 */
function variantFor(
  { key, shares }: Pick<Experiment, 'key' | 'shares'>,
  { request: { customerId }, experiments }: Pick<DecisionInput, 'request' | 'experiments'>,
): AssignedVariant {
  if (experiments !== undefined && Object.hasOwn(experiments, key)) return experiments[key]!;
  const { variant, weight } = shares[shareAt(shares, u(`${key}:${customerId}`) * 100)]!;
  return { variant, share: weight / 100 };
}

/** True: the customer is in the holdout of the experiment. */
export const isHeldOut = (experiment: Experiment, input: DecisionInput): boolean =>
  experiment.isRunning && variantFor(experiment, input).variant === holdoutVariant;

/** What the decision tells of the experiment, to be stored and counted. */
export function useOf(experiment: Experiment, input: DecisionInput): ExperimentUse {
  const { variant, share } = variantFor(experiment, input);
  return { id: experiment.id, key: experiment.key, variant, share };
}

/**
 * The model of the customer's variant. The champion scores for everyone while the experiment isn't running, and in place
 * of a challenger that can't score or has left the experiment.
 */
export function assignInExperiment(run: Run, experiment: Experiment): AssignedModel {
  const { key, champion, shares, isRunning } = experiment;
  if (!isRunning) {
    return {
      ...champion,
      share: null,
      variant: championVariant,
      fallback: false,
      isHoldout: false,
      experimentKey: key,
    };
  }
  const use = useOf(experiment, run.input);
  noteUse(run, use);
  const { variant, share } = use;
  const assigned = { share, variant, experimentKey: key };
  if (variant === holdoutVariant) return { ...assigned, name: null, model: -1, fallback: false, isHoldout: true };
  const own = shares.find((each) => each.variant === variant);
  const fallback = variant !== championVariant && (own === undefined || !isUsable(run, own.model));
  if (fallback && own !== undefined && own.model >= 0) run.degraded = true;
  const { name, model } = fallback || own === undefined ? champion : own;
  return { ...assigned, name, model, fallback, isHoldout: false };
}

/** Several score stages may share one experiment. */
function noteUse(run: Run, use: ExperimentUse): void {
  run.experiments ??= [];
  if (!run.experiments.some(({ key }) => key === use.key)) run.experiments.push(use);
}
