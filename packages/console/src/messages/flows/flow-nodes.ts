import type { FlowNodeType } from '@arbiter/contract/catalogue/flow-node-types';
import { conditionText, listText } from '../catalogue/conditions.ts';

/** Short summaries of flow nodes, shown after their names (docs/design/console.md, section 3.3). */

type NodeConfig = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is NodeConfig =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const objectOf = (value: unknown): NodeConfig => (isObject(value) ? value : {});
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
const sizeOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
const some = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** Labels of the node types. */
export const nodeNames: Readonly<Record<string, string>> = {
  inventory: 'Inventory',
  match_creatives: 'Match creatives',
  enrich: 'Enrich',
  qualify: 'Qualify',
  contact_policy: 'Contact policy',
  filter: 'Filter',
  conditional: 'Conditional',
  score: 'Score',
  optimize: 'Optimize',
  rank: 'Rank',
  group: 'Group',
  compute: 'Compute',
  set_properties: 'Set properties',
  response: 'Response',
  call_flow: 'Call flow',
  extension_point: 'Extension point',
} satisfies Record<FlowNodeType, string>;

export const phaseNames = { 1: 'Filter', 2: 'Score and rank', 3: 'Output' } as const;

/** Returns the name of a record by its ID, or null if it isn't loaded. */
export type Namer = (id: string) => string | null;

/** `category Retain`, `categories Retain and Grow`; or `4 categories` when a name is missing or there are more than three. */
function namesText(ids: readonly string[], namer: Namer, one: string, many: string): string {
  const names = ids.map(namer).filter((name) => name !== null);
  if (ids.length === 0 || names.length < ids.length || ids.length > 3) return some(ids.length, one, many);
  return `${ids.length === 1 ? one : many} ${listText(names)}`;
}

const chosen = (config: NodeConfig, key: string, what: string) =>
  config.mode === 'selected' ? `${sizeOf(config[key])} selected` : `all ${what}`;

function branchText(branch: unknown): string | null {
  const { action, nodeId, flowKey } = objectOf(branch);
  if (action === 'skip_to') return `skip to ${textOf(nodeId) ?? '?'}`;
  if (action === 'drop_all') return 'drop all offers';
  return action === 'call_flow' ? `call ${textOf(flowKey) ?? '?'}` : null;
}

function scoreText(config: NodeConfig): string {
  const method = textOf(config.method)?.replaceAll('_', ' ') ?? 'no method';
  const parts = [method];
  const model = textOf(config.modelKey);
  if (model !== null) parts.push(model);
  const split = objectOf(config.championChallenger);
  if (split.enabled === true) {
    const shares = [
      objectOf(split.champion),
      ...(Array.isArray(split.challengers) ? split.challengers.map(objectOf) : []),
    ];
    parts.push(shares.map(({ weight }) => numberOf(weight) ?? '?').join('/'));
  }
  const least = numberOf(config.minScore);
  if (least !== null && least > 0) parts.push(`minimum score ${least}`);
  return parts.join(', ');
}

function rankText(config: NodeConfig): string {
  const method = textOf(config.method) ?? 'topN';
  const parts: string[] = [];
  if (method === 'topN') parts.push(config.topN == null ? 'best first' : `best ${config.topN}`);
  if (method === 'diversity') parts.push(`diversity λ ${numberOf(config.lambda ?? config.diversityLambda) ?? 0.7}`);
  if (method === 'round_robin') parts.push(`round robin by ${textOf(config.roundRobinBy) ?? 'category'}`);
  if (method === 'explore_exploit') {
    parts.push(`explore ${Math.round((numberOf(config.explorationRate) ?? 0.1) * 100)}%`);
    parts.push((textOf(config.strategy) ?? 'epsilon_greedy').replaceAll('_', ' '));
  }
  const perCategory = numberOf(config.maxPerCategory) ?? 0;
  if (perCategory > 0) parts.push(`at most ${perCategory} per category`);
  return parts.join(', ');
}

type Summary = (config: NodeConfig, namer: Namer) => string;

const summaries: Readonly<Record<string, Summary>> = {
  inventory(config, namer) {
    const scope = textOf(config.scope) ?? 'all';
    const added = config.autoInclude === true ? ', new ones added automatically' : '';
    if (scope === 'category')
      return `${namesText(textsOf(config.categoryIds), namer, 'category', 'categories')}${added}`;
    if (scope === 'subcategory') {
      return `${namesText(textsOf(config.subCategoryIds), namer, 'sub-category', 'sub-categories')}${added}`;
    }
    return scope === 'all' ? 'all active offers' : `${some(sizeOf(config.offerIds), 'offer')}${added}`;
  },
  match_creatives(config) {
    const needs = config.requireCreative === false ? 'creative optional' : 'creative required';
    const mode = textOf(config.placementMatchMode) ?? 'any';
    const channels = sizeOf(config.channelIds);
    return `${needs}, placement ${mode}${channels > 0 ? `, ${some(channels, 'channel')}` : ''}`;
  },
  enrich(config) {
    const missing = config.onMissing === 'drop_all' ? 'drop all if missing' : 'continue if missing';
    return `${some(sizeOf(config.sources), 'source')} by ${textOf(config.lookupKey) ?? 'customer_id'}, ${missing}`;
  },
  qualify: (config) => chosen(config, 'ruleIds', 'rules'),
  contact_policy: (config) => chosen(config, 'policyIds', 'policies'),
  filter(config) {
    const policies = sizeOf(config.contactPolicyIds);
    const parts = [conditionText(config), policies > 0 ? some(policies, 'policy', 'policies') : null];
    return parts.filter((part) => part !== null).join(', ') || 'no filter';
  },
  conditional(config) {
    const condition = conditionText(config) ?? 'always';
    const [yes, no] = [branchText(config.onTrue), branchText(config.onFalse)];
    return [yes === null ? `${condition}` : `${condition} → ${yes}`, no === null ? null : `else ${no}`]
      .filter((part) => part !== null)
      .join(', ');
  },
  score: scoreText,
  optimize(config, namer) {
    const weights = Object.keys(objectOf(config.weights));
    const profile = textOf(config.profileId);
    const of = profile === null ? listText(weights) : (namer(profile) ?? 'a ranking profile');
    return config.combine === 'replace' ? `by ${of}` : `blend ${numberOf(config.blendFactor) ?? 0.5} of ${of}`;
  },
  rank: rankText,
  group(config, namer) {
    const placements = (Array.isArray(config.placements) ? config.placements : [])
      .map((one) => textOf(objectOf(one).placementId))
      .filter((id) => id !== null);
    const where =
      placements.length === 0 ? 'requested placements' : namesText(placements, namer, 'placement', 'placements');
    return `${where}, ${textOf(config.allocation) ?? 'optimal'}`;
  },
  compute(config) {
    const keys = (Array.isArray(config.formulaExtras) ? config.formulaExtras : [])
      .map((one) => textOf(objectOf(one).key))
      .filter((key) => key !== null);
    return keys.length === 0 ? 'computed fields only' : listText(keys);
  },
  set_properties: (config) => some(sizeOf(config.properties), 'key'),
  response(config) {
    const limit = numberOf(config.limit);
    return `${textOf(config.responseFormat) ?? 'standard'}${limit === null ? '' : `, at most ${limit}`}`;
  },
  call_flow: (config) => `${textOf(config.flowKey) ?? 'no flow'}, ${textOf(config.mode) ?? 'narrow'}`,
  extension_point(config) {
    const kind = textOf(config.kind) ?? 'none';
    const wait = kind === 'webhook' ? ` ${numberOf(config.timeoutMs) ?? 200} ms` : '';
    return kind === 'none'
      ? `${textOf(config.hook) ?? 'no hook'}, does nothing`
      : `${textOf(config.hook) ?? '?'} ${kind}${wait}`;
  },
} satisfies Record<FlowNodeType, Summary>;

const nameless: Namer = () => null;

/** Returns a summary of a node. Unknown types are shown as they are. */
export function nodeSummary(type: string, config: NodeConfig, namer: Namer = nameless): string {
  return summaries[type]?.(config, namer) ?? (type === '' ? 'no type' : type.replaceAll('_', ' '));
}

/** Returns the label of a node type. Unknown types are shown as they are. */
export const nodeName = (type: string): string => nodeNames[type] ?? (type === '' ? 'Node' : type);
