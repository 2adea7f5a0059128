import type { SnapshotModel } from '@arbiter/engine';
import type { ModelFacts } from './models.store.ts';

/**
 * Returns the model that a name means (docs/design/api-decisioning.md 20, Models): a key is the model itself, or its
 * family's champion once that replaced it; otherwise a family is its champion. Null: there is none.
 */
export function modelNamed(models: readonly ModelFacts[], name: string): ModelFacts | null {
  const championOf = (family: string | null): ModelFacts | null =>
    (family === null ? null : models.find((model) => model.family === family && model.registryStatus === 'champion')) ??
    null;
  const own = models.find(({ key }) => key === name);
  if (own === undefined) return championOf(name);
  return own.registryStatus === 'archived' ? (championOf(own.family) ?? own) : own;
}

/**
 * Returns models for a plan whose flow and rules use these names: the active ones, each once, by key. `keys`: models that
 * are meant by their own keys, whichever model replaced them.
 */
export function modelsForPlan(
  models: readonly ModelFacts[],
  names: readonly string[],
  keys: ReadonlySet<string> = new Set(),
): SnapshotModel[] {
  const found = new Map<ModelFacts, string[]>();
  for (const name of names) {
    const model = modelNamed(models, name);
    if (model === null || model.status !== 'active') continue;
    const known = found.get(model);
    if (known === undefined) found.set(model, [name]);
    else known.push(name);
  }
  for (const model of models) {
    if (keys.has(model.key) && model.status === 'active' && !found.has(model)) found.set(model, []);
  }
  return [...found]
    .sort(([a], [b]) => (a.key < b.key ? -1 : 1))
    .map(([{ id, key, modelType, config, predictors }, names]) => ({
      id,
      key,
      modelType,
      config,
      predictors,
      names: names.sort(),
    }));
}
