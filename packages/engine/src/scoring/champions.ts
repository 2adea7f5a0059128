import { readNumber, readObject, readObjects } from '../config-values.ts';
import type { ModelVariant } from '../plan/decision.ts';
import type { PlanModels } from '../plan/models.ts';
import type { Run } from '../plan/run.ts';
import type { AssignedModel, Champions, Scoring } from '../plan/scoring.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { u } from '../random/hash.ts';
import { assignInExperiment } from './experiments.ts';
import { isUsable, shareAt } from './shares.ts';

/** Null when the config has none, or has them turned off. */
export function compileChampions(
  flowKey: string,
  nodeId: string | null,
  config: JsonObject,
  models: PlanModels,
): Champions | null {
  const { enabled, champion, challengers } = readObject(config);
  if (enabled !== true) return null;
  const shares = [readObject(champion), ...readObjects(challengers)].map(({ modelKey, weight }) => {
    const name = String(modelKey);
    return { name, model: models.numberOf(name), weight: readNumber(weight, 0) };
  });
  return { label: `${flowKey}:${nodeId ?? 'scoring'}:`, shares };
}

/** The model of a score stage that shares the customers; null: its settings decide. */
export function assignedModel(run: Run, { experiment, champions }: Scoring): AssignedModel | null {
  if (run.holdout) return null;
  if (experiment !== null) return assignInExperiment(run, experiment);
  return champions === null ? null : assignModel(run, champions);
}

/** The share that a customer falls into, the same in each decision; the champion in place of a challenger that cannot score. */
function assignModel(run: Run, { label, shares }: Champions): AssignedModel {
  const at = shareAt(shares, u(label + run.request.customerId) * 100);
  const own = shares[at]!;
  const champion = shares[0]!;
  const fallback = at > 0 && !isUsable(run, own.model);
  // A breaker keeps the challenger from being asked; a paused one isn't a fault.
  if (fallback && own.model >= 0) run.degraded = true;
  const { name, model } = fallback ? champion : own;
  const variant = at === 0 ? '__champion__' : own.name;
  return { name, model, share: own.weight / 100, variant, fallback, isHoldout: false, experimentKey: null };
}

/** Null: nobody was assigned. */
export function variantOf(
  run: Run,
  { model, share, variant, fallback, experimentKey }: AssignedModel,
): ModelVariant | null {
  if (share === null) return null;
  return { experimentKey, variant, modelKey: model < 0 ? null : run.program.models.list[model]!.key, fallback };
}
