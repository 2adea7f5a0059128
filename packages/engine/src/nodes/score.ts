import { readList, readNumber, readObject, readObjects } from '../config-values.ts';
import type { PlanModels } from '../plan/models.ts';
import type { Exponents, Ladder, ScoreSettings, Scoring } from '../plan/scoring.ts';
import type {
  FlowConfig,
  FlowNode,
  Json,
  JsonObject,
  Snapshot,
  SnapshotCategory,
  SnapshotChannel,
  SnapshotExperiment,
} from '../plan/snapshot.ts';
import { compileChampions } from '../scoring/champions.ts';
import { compileExperiment } from '../scoring/experiments.ts';
import { scoreMethodNames, scoreMethods } from '../scoring/score-methods.ts';
import {
  compileStrategies,
  defaultExponents,
  formulaExponents,
  type ProfileWeights,
  profileWeights,
  strategySettings,
} from '../scoring/strategies.ts';
import {
  anyText,
  boolean,
  ids,
  integer,
  type KeyCheck,
  type NodeIssues,
  number,
  type ObjectShape,
  object,
  objects,
  oneOf,
  reference,
  taking,
} from './node-keys.ts';
import type { NodeKind } from './node-kind.ts';

const maxOverrides = 50;
const maxStrategies = 20;

const exponentKeys = {
  propensityWeight: number(0, 5),
  relevanceWeight: number(0, 5),
  impactWeight: number(0, 5),
  emphasisWeight: number(0, 5),
  upliftWeight: unbuiltUnless(0, number(0, 2)),
  clvWeight: unbuiltUnless(0, number(0, 2)),
};

const overrideKeys = {
  channelId: reference('channel'),
  channelType: anyText,
  method: oneOf(scoreMethodNames),
  modelKey: reference('model'),
  formula: object({ keys: exponentKeys }),
};

const strategyKeys = {
  scope: oneOf(['category', 'productType', 'channel']),
  value: anyText,
  profileId: reference('rankingProfile'),
};

const share: ObjectShape = {
  keys: { modelKey: reference('model'), weight: number(0, 100) },
  required: ['modelKey', 'weight'],
};

const championKeys: ObjectShape['keys'] = {
  enabled: boolean,
  experimentKey: reference('experiment'),
  champion: object(share),
  challengers: objects(5, share),
};

/** Keys of a score node, and of `flowConfig.scoring`, which replaces one (docs/design/api-decisioning.md 7, 8). */
export const scoreShape: ObjectShape = {
  keys: {
    method: oneOf(scoreMethodNames),
    modelKey: reference('model'),
    formula: object({ keys: exponentKeys }),
    propensitySource: oneOf(['auto', 'adaptive_first', 'model_first']),
    evidence: object({
      keys: {
        offerMin: integer(1, 10_000),
        categoryMin: integer(1, 10_000),
        globalMin: integer(1, 10_000),
        smoothing: number(0, 1000),
      },
    }),
    minPropensity: number(0, 1),
    minScore: number(0, Number.MAX_VALUE),
    strategyProfileId: reference('rankingProfile'),
    strategyOverrides: taking(
      { keys: strategyKeys, required: ['scope', 'value', 'profileId'], maxItems: maxStrategies },
      checkStrategies,
    ),
    overrides: taking({ keys: overrideKeys, maxItems: maxOverrides }, (value, path, issues) => {
      objects(maxOverrides, { keys: overrideKeys })(value, path, issues);
      readObjects(value).forEach((entry, at) => {
        if (((entry.channelId ?? null) === null) === ((entry.channelType ?? null) === null)) {
          issues.refuse(`${path}/${at}`, 'invalid_config', 'must have either channelId or channelType');
        }
      });
    }),
    championChallenger: taking({ keys: championKeys }, checkChampions),
    shadowModelKeys: ids(5, 'model'),
    computeShap: boolean,
  },
};

const strategyShape = objects(maxStrategies, { keys: strategyKeys, required: ['scope', 'value', 'profileId'] });

/** An entry that names a category or channel, by id or name, which does not exist would never act. */
function checkStrategies(value: Json, path: string, issues: NodeIssues): void {
  strategyShape(value, path, issues);
  readObjects(value).forEach((entry, at) => {
    const { scope } = entry;
    if (typeof entry.value !== 'string' || entry.value === '') return;
    if (scope === 'category' || scope === 'channel') {
      reference(scope === 'category' ? 'namedCategory' : 'namedChannel')(entry.value, `${path}/${at}/value`, issues);
    }
  });
}

/** A key that has no effect at one value and cannot be run yet at any other. */
function unbuiltUnless(harmless: Json, check: KeyCheck): KeyCheck {
  return taking(check.takes ?? {}, (value, path, issues) => {
    check(value, path, issues);
    if (value !== harmless) issues.unavailable(path, path.slice(path.lastIndexOf('/') + 1));
  });
}

/** Shares of customers by model; they sum to 100 (docs/design/api-decisioning.md 8). */
function checkChampions(value: Json, path: string, issues: NodeIssues): void {
  object({ keys: championKeys })(value, path, issues);
  const { enabled, experimentKey, champion, challengers } = readObject(value);
  if (enabled !== true) return;
  // The experiment has models and shares of its own.
  if ((experimentKey ?? null) !== null && (champion ?? null) === null && (challengers ?? null) === null) return;
  if ((champion ?? null) === null) issues.refuse(`${path}/champion`, 'invalid_config', 'is required');
  if (readObjects(challengers).length === 0) {
    issues.refuse(`${path}/challengers`, 'invalid_config', 'must have at least one challenger');
  }
  const weights = [readObject(champion), ...readObjects(challengers)].map(({ weight }) => readNumber(weight, 0));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (Math.abs(sum - 100) > 1e-9) issues.refuse(path, 'invalid_config', `weights must add up to 100, not ${sum}`);
}

export const score: NodeKind = { type: 'score', phase: 2, single: true, keys: scoreShape.keys, required: [] };

const ones: Exponents = { propensity: 1, relevance: 1, impact: 1, emphasis: 1 };

/** What a score stage is compiled with. */
export interface ScoringParts {
  /** Key of the stage's flow, by which champions and challengers share customers. */
  readonly flowKey: string;
  readonly channels: readonly SnapshotChannel[];
  readonly categories: readonly SnapshotCategory[];
  readonly profiles: ProfileWeights;
  /** Ranking profile of flows that name no exponents. */
  readonly defaultProfileId: string | null;
  readonly models: PlanModels;
  readonly experiments: readonly SnapshotExperiment[];
}

/** `channels`: those of the plan, in its order; `flowKey`: that of a called flow, when it is one's stage. */
export const scoringParts = (
  snapshot: Snapshot,
  channels: readonly SnapshotChannel[],
  models: PlanModels,
  flowKey: string = snapshot.flow.key,
): ScoringParts => ({
  flowKey,
  channels,
  categories: snapshot.categories,
  profiles: profileWeights(snapshot),
  defaultProfileId: snapshot.tenant.defaultArbitrationProfileId ?? null,
  models,
  experiments: snapshot.experiments ?? [],
});

/** True: on some channels other models score than on the others. */
export function differsByChannel(node: FlowNode | null, { flowConfig }: FlowConfig): boolean {
  const { overrides } = node === null ? readObject(readObject(flowConfig).scoring) : (node.config ?? {});
  return readObjects(overrides).some(({ modelKey }) => typeof modelKey === 'string');
}

/** Returns a flow's score stage. A score node without a method takes the flow's (docs/design/api-decisioning.md 7). */
export function readScoring(node: FlowNode | null, { flowConfig }: FlowConfig, parts: ScoringParts): Scoring {
  const ofFlow = readObject(readObject(flowConfig).scoring);
  const config = node === null ? ofFlow : { ...node.config, method: node.config?.method ?? ofFlow.method ?? null };
  return compileScoring(node?.id ?? null, config, parts);
}

/** The score stage of a score node's config, or of `flowConfig.scoring`. */
function compileScoring(nodeId: string | null, config: JsonObject, parts: ScoringParts): Scoring {
  const { channels, profiles, models } = parts;
  const exponents = defaultExponents(config, profiles, parts.defaultProfileId) ?? ones;
  const settings = readSettings(config, null, exponents, models);
  const overrides = readObjects(config.overrides);
  const onChannels = channels.map((channel) => {
    const found = overrides.find(
      ({ channelId, channelType }) =>
        (typeof channelId === 'string' && channelId.toLowerCase() === channel.id) ||
        channelType === channel.channelType,
    );
    const own = found === undefined ? null : formulaExponents(found.formula);
    return {
      settings: found === undefined ? settings : readSettings(found, settings, own ?? exponents, models),
      hasOwnExponents: own !== null,
    };
  });
  const byChannel = onChannels.map((on) => on.settings);
  for (const { ladder } of [settings, ...byChannel]) if (ladder.model >= 0) models.asked.add(ladder.model);
  const champions = compileChampions(parts.flowKey, nodeId, readObject(config.championChallenger), models);
  const experiment = compileExperiment(parts.experiments, config, models);
  const sharing = experiment?.shares ?? champions?.shares ?? null;
  for (const { model } of sharing ?? []) if (model >= 0) models.asked.add(model);
  const strategies = compileStrategies(config, profiles, parts);
  const usual = { settings, hasOwnExponents: false };
  return {
    flowKey: parts.flowKey,
    nodeId,
    settings,
    byChannel,
    byOffer:
      strategies.length === 0
        ? null
        : strategySettings(strategies, channels.length, (channel) => onChannels[channel] ?? usual),
    champions,
    experiment,
    shadows: (readList(config.shadowModelKeys) ?? []).map(models.numberOf).filter((number) => number >= 0),
    banditNeedsPropensity: [settings, ...byChannel].some(({ method, ladder }) => {
      const numbers = sharing === null ? [ladder.model] : sharing.map(({ model }) => model);
      return method.name !== 'propensity' && numbers.some((model) => models.list[model]?.program.isRandom === true);
    }),
    overridden: overrides.length > 0 || strategies.length > 0,
    explains: config.computeShap === true,
    minPropensity: readNumber(config.minPropensity, 0),
    minScore: readNumber(config.minScore, 0),
  };
}

function readSettings(
  config: JsonObject,
  base: ScoreSettings | null,
  exponents: Exponents,
  models: PlanModels,
): ScoreSettings {
  const name = typeof config.method === 'string' ? config.method : (base?.method.name ?? 'priority_weighted');
  const method = scoreMethods.get(name);
  if (method === undefined) throw new Error(`the score method ${name} is not available`);
  return { method, exponents, ladder: readLadder(config, base?.ladder ?? null, models) };
}

function readLadder(config: JsonObject, base: Ladder | null, models: PlanModels): Ladder {
  const modelKey = typeof config.modelKey === 'string' ? config.modelKey : (base?.modelKey ?? null);
  const model = models.numberOf(modelKey);
  if (base !== null) return { ...base, modelKey, model };
  const { offerMin, categoryMin, globalMin, smoothing } = readObject(config.evidence);
  return {
    modelKey,
    model,
    adaptiveFirst: config.propensitySource === 'adaptive_first',
    offerMin: readNumber(offerMin, 50),
    categoryMin: readNumber(categoryMin, 20),
    globalMin: readNumber(globalMin, 10),
    smoothing: readNumber(smoothing, 10),
  };
}
