import { configShapes } from '@arbiter/contract/catalogue/config-shapes.generated';
import { configFieldsOf, type FieldSpec, type SpecOptions } from '../../../forms/editing/field-spec.ts';
import { flowFieldTexts as t } from '../../../messages/flows/flow-fields.ts';

/** Records that node settings name, by JSON pointer; a type's own where they differ. */
const references: Readonly<Record<string, string>> = {
  '/config/categoryIds': 'category',
  '/config/subCategoryIds': 'subCategory',
  '/config/offerIds': 'offer',
  '/config/channelIds': 'channel',
  '/config/sources/-/schemaId': 'dataSchema',
  '/config/excludeJoinIds': 'schemaJoin',
  '/config/ruleIds': 'qualificationRule',
  '/config/policyIds': 'contactPolicy',
  '/config/contactPolicyIds': 'contactPolicy',
  '/config/onTrue/flowKey': 'flowKey',
  '/config/onFalse/flowKey': 'flowKey',
  '/config/modelKey': 'modelKey',
  '/config/shadowModelKeys': 'modelKey',
  '/config/overrides/-/modelKey': 'modelKey',
  '/config/overrides/-/channelId': 'channel',
  '/config/strategyProfileId': 'rankingProfile',
  '/config/strategyOverrides/-/profileId': 'rankingProfile',
  '/config/profileId': 'rankingProfile',
  '/config/championChallenger/experimentKey': 'experimentKey',
  '/config/championChallenger/champion/modelKey': 'modelKey',
  '/config/championChallenger/challengers/-/modelKey': 'modelKey',
  '/config/placements/-/placementId': 'placement',
  '/config/flowKey': 'flowKey',
};

const spec: SpecOptions = { references, help: t.help };

/** Returns the default of a choice, from its description: "Default `topN`". */
function defaultOf(field: FieldSpec, description: string): FieldSpec {
  const usual = /Default `(\w+)`/.exec(description)?.[1];
  return field.kind === 'choice' && usual !== undefined && field.options?.includes(usual) ? { ...field, usual } : field;
}

/** Returns the settings of a type of node, in the order of the contract. */
export function nodeFieldsOf(type: string): readonly FieldSpec[] {
  const shape = configShapes.nodes?.[type];
  if (shape === undefined) return [];
  const labels = { ...t.labels, ...t.ofType[type] };
  return configFieldsOf(shape, '/config', { ...spec, labels }).map((field) =>
    defaultOf(field, String(Reflect.get(Object(shape.fields[field.name]), 'description'))),
  );
}

/** Settings outside of "more". Types without an entry show all of their settings. */
const essentials: Readonly<Record<string, readonly string[]>> = {
  inventory: ['scope', 'categoryIds', 'subCategoryIds', 'offerIds', 'autoInclude'],
  enrich: ['sources', 'onMissing'],
  score: ['method', 'modelKey', 'formula', 'minScore', 'minPropensity'],
  optimize: ['profileId', 'weights', 'combine', 'blendFactor'],
  rank: ['method', 'topN', 'lambda', 'roundRobinBy', 'strategy', 'explorationRate', 'maxPerCategory'],
  group: ['allocation', 'placements'],
  response: ['responseFormat', 'limit'],
};

type NodeConfig = Readonly<Record<string, unknown>>;

const only =
  (key: string, value: string, usual = '') =>
  (config: NodeConfig) =>
    (config[key] ?? usual) === value;

/** Settings that have an effect only with certain values of others. */
const conditional: Readonly<Record<string, Readonly<Record<string, (config: NodeConfig) => boolean>>>> = {
  inventory: {
    categoryIds: only('scope', 'category'),
    subCategoryIds: only('scope', 'subcategory'),
    offerIds: ({ scope }) => scope === 'offers' || scope === 'manual',
    autoInclude: ({ scope }) => (scope ?? 'all') !== 'all',
  },
  qualify: { ruleIds: only('mode', 'selected') },
  contact_policy: { policyIds: only('mode', 'selected') },
  score: { formula: only('method', 'formula') },
  rank: {
    topN: only('method', 'topN', 'topN'),
    lambda: only('method', 'diversity'),
    similarity: only('method', 'diversity'),
    roundRobinBy: only('method', 'round_robin'),
    strategy: only('method', 'explore_exploit'),
    explorationRate: ({ method, strategy }) =>
      method === 'explore_exploit' && (strategy ?? 'epsilon_greedy') === 'epsilon_greedy',
    pool: only('method', 'explore_exploit'),
    minEvidence: only('pool', 'low_evidence'),
    temperature: only('strategy', 'softmax'),
    ucbC: only('strategy', 'ucb'),
    draws: only('strategy', 'thompson'),
    poolSize: only('method', 'explore_exploit'),
    fromRank: only('method', 'explore_exploit'),
  },
  optimize: { blendFactor: only('combine', 'blend', 'blend') },
  extension_point: {
    formula: only('kind', 'formula'),
    url: only('kind', 'webhook'),
    headers: only('kind', 'webhook'),
    timeoutMs: only('kind', 'webhook'),
    onError: ({ kind }) => (kind ?? 'none') !== 'none',
  },
};

/** Settings without an effect, and aliases of others. Shown only if the flow has them. */
const idle = new Set(['diversityLambda', 'lagrangian', 'allowPartial']);
const conditionKeys = new Set(['conditions', 'combinator']);

export interface NodeFields {
  /** Shown outside of "more". */
  readonly first: readonly FieldSpec[];
  /** Under "more". */
  readonly more: readonly FieldSpec[];
  /** Keys that the type doesn't know. */
  readonly unknown: readonly string[];
}

/** Returns the settings to show for a node. Those with a value are always shown. */
export function shownFields(type: string, config: NodeConfig): NodeFields {
  const all = nodeFieldsOf(type);
  const first = essentials[type];
  const isUseful = ({ name }: FieldSpec) => {
    if (config[name] !== undefined) return true;
    return !idle.has(name) && (conditional[type]?.[name]?.(config) ?? true);
  };
  // The editor of conditions has both of its keys.
  const useful = all.filter((field) => isUseful(field) && !conditionKeys.has(field.name));
  const known = new Set(all.map(({ name }) => name));
  return {
    first: useful.filter(({ name }) => first === undefined || first.includes(name)),
    more: useful.filter(({ name }) => first !== undefined && !first.includes(name)),
    unknown: Object.keys(config).filter((key) => !known.has(key)),
  };
}

/** Whether a type of node has conditions. */
export const hasConditions = (type: string): boolean => nodeFieldsOf(type).some(({ name }) => name === 'conditions');
