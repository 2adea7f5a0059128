import { readList, readObject, readObjects } from '../config-values.ts';
import type { Builder } from '../plan/builder.ts';
import type { PlanModel, PlanModels } from '../plan/models.ts';
import type { FlowConfig, Json, JsonObject, Snapshot, SnapshotRule } from '../plan/snapshot.ts';
import { modelKinds } from './model-kinds.ts';

/** Stands among `gates` for whatever model the flow scores with. */
export const flowModel = -2;

/** Returns the models of a snapshot and what they read. A model that can't be read isn't usable. */
export function compileModels(snapshot: Pick<Snapshot, 'models'>, readPaths: Builder['readPaths']): PlanModels {
  const { models = [] } = snapshot;
  const list: PlanModel[] = [];
  const numbers = new Map<string, number>();
  for (const model of models.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const kind = modelKinds.get(model.modelType);
    if (kind === undefined || kind.check(model.config).length > 0) continue;
    const program = kind.compile(model);
    readPaths(program.paths);
    for (const name of model.names) numbers.set(name, list.length);
    list.push({
      number: list.length,
      id: model.id,
      key: model.key,
      type: model.modelType,
      learns: kind.learn !== null,
      hasState: kind.state !== null,
      program,
      emptyState: kind.state?.empty(model.config) ?? null,
    });
  }
  return {
    list,
    numberOf: (name) => (name === null ? -1 : (numbers.get(name) ?? -1)),
    numberOfKey: (key) => list.findIndex((model) => model.key === key),
    asked: new Set(),
    gates: new Set(),
  };
}

/** Where a score node, or `flowConfig.scoring`, names a model. */
export interface ModelPlace {
  /** Relative to the config. */
  readonly path: string;
  readonly name: string;
  /** True: it is scored for traces alone. */
  readonly shadow: boolean;
}

/** Models that a score node, or `flowConfig.scoring`, may score with. */
export function modelsOfScoring(config: JsonObject): ModelPlace[] {
  const places: ModelPlace[] = [];
  const add = (path: string, name: Json | undefined, shadow = false): void => {
    if (typeof name === 'string') places.push({ path, name, shadow });
  };
  add('/modelKey', config.modelKey);
  readObjects(config.overrides).forEach(({ modelKey }, at) => {
    add(`/overrides/${at}/modelKey`, modelKey);
  });
  const { champion, challengers, enabled } = readObject(config.championChallenger);
  if (enabled === true) {
    add('/championChallenger/champion/modelKey', readObject(champion).modelKey);
    readObjects(challengers).forEach(({ modelKey }, at) => {
      add(`/championChallenger/challengers/${at}/modelKey`, modelKey);
    });
  }
  for (const [at, name] of (readList(config.shadowModelKeys) ?? []).entries()) {
    add(`/shadowModelKeys/${at}`, name, true);
  }
  return places;
}

/** Keys of experiments that score nodes of a flow, or its `flowConfig.scoring`, name. */
export function experimentsNamed({ flowConfig, nodes }: FlowConfig): string[] {
  const scored = nodes.filter(({ type, enabled }) => type === 'score' && enabled !== false);
  const configs = [readObject(readObject(flowConfig).scoring), ...scored.map(({ config }) => config ?? {})];
  return configs.flatMap(({ championChallenger }) => {
    const { enabled, experimentKey } = readObject(championChallenger);
    return enabled === true && typeof experimentKey === 'string' ? [experimentKey] : [];
  });
}

/** Names of models, keys or families, that decisions of a flow may score with, each once, sorted. */
export function modelsNamed(config: FlowConfig, rules: readonly Pick<SnapshotRule, 'ruleType' | 'config'>[]): string[] {
  const names = new Set<string>();
  const scoring = readObject(readObject(config.flowConfig).scoring);
  for (const { name } of modelsOfScoring(scoring)) names.add(name);
  for (const node of config.nodes) {
    if (node.type !== 'score' || node.enabled === false) continue;
    for (const { name } of modelsOfScoring(node.config ?? {})) names.add(name);
  }
  for (const rule of rules) {
    if (rule.ruleType !== 'propensity_threshold') continue;
    const name = rule.config.modelKey ?? rule.config.model;
    if (typeof name === 'string') names.add(name);
  }
  return [...names].sort();
}
