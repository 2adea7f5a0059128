import { readNumber, readObject, readObjects } from '../config-values.ts';
import type { ModelVariant } from '../plan/decision.ts';
import type { PlanModels } from '../plan/models.ts';
import type { Run } from '../plan/run.ts';
import type { AssignedModel, Champions } from '../plan/scoring.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { u } from '../random/hash.ts';

/** Null when the config has none, or has them switched off. */
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
  return { flowKey, nodeId, label: `${flowKey}:${nodeId ?? 'scoring'}:`, shares };
}

/** The share that a customer falls into, the same in each decision; the champion in place of a challenger that cannot score. */
export function assignModel(run: Run, { label, shares }: Champions): AssignedModel {
  const x = u(label + run.request.customerId) * 100;
  let at = 0;
  for (let sum = shares[0]!.weight; x >= sum && at < shares.length - 1; sum += shares[at]!.weight) at += 1;
  const own = shares[at]!;
  const champion = shares[0]!;
  const fallback = at > 0 && !isUsable(run, own.model);
  // A breaker keeps the challenger from being asked; a paused one isn't a fault.
  if (fallback && own.model >= 0) run.degraded = true;
  const { name, model } = fallback ? champion : own;
  return { name, model, share: own.weight / 100, variant: at === 0 ? '__champion__' : own.name, fallback };
}

/** Asked before there is any candidate, so nothing is opened that draws. */
function isUsable(run: Run, number: number): boolean {
  if (number < 0) return false;
  return run.input.openBreakers?.includes(run.program.models.list[number]!.key) !== true;
}

export function variantOf(run: Run, { model, variant, fallback }: AssignedModel): ModelVariant {
  return { variant, modelKey: model < 0 ? null : run.program.models.list[model]!.key, fallback };
}
