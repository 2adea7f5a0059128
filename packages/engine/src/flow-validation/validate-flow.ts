import { deepestChain, enrichOrder } from '../compile/enrich-order.ts';
import { readList, readObject, readObjects } from '../config-values.ts';
import { exploreKey } from '../delivery/explore.ts';
import { modelKinds } from '../models/model-kinds.ts';
import { type ModelPlace, modelsOfScoring } from '../models/plan-models.ts';
import { checkWebhook } from '../nodes/extension-point.ts';
import { checkKeys, integer, type NodeIssues, object, type ReferenceKind } from '../nodes/node-keys.ts';
import { nodeKinds } from '../nodes/node-kinds.ts';
import { scoreShape } from '../nodes/score.ts';
import type { FlowNode, Json, JsonObject } from '../plan/snapshot.ts';
import { scoreMethodNames } from '../scoring/score-methods.ts';
import { listWords, shortenWord } from '../words/word-texts.ts';
import { checkCalls } from './check-calls.ts';
import { checkStructure } from './check-structure.ts';
import type { FlowCheck, FlowIssue, FlowWarning } from './flow-issues.ts';
import { type FlowReferences, openReferences } from './flow-references.ts';
import { readFlow, unknownKey } from './read-flow.ts';

/**
 * Checks a flow config v2 (docs/design/api-decisioning.md 7, 8). `use: 'draft'` leaves out the rules of class U.
 * When the shape is wrong (class S), the other classes are not checked. Never throws.
 */
export function validateFlow(
  config: unknown,
  references: FlowReferences,
  { use }: { readonly use: 'draft' | 'publish' },
): FlowCheck {
  const errors: FlowIssue[] = [];
  const warnings: FlowWarning[] = [];
  const flow = readFlow(config, errors, warnings);
  if (flow !== null && errors.length === 0) {
    const unavailable: FlowIssue[] = [];
    const found: FlowFindings = { errors, warnings, unavailable };
    checkStructure(flow.nodes, use, errors);
    checkNodes(flow.nodes, references, found);
    checkEnrichChains(flow.nodes, references, errors);
    checkFlowConfig(flow.flowConfig, references, found);
    checkStrategy(flow.nodes, flow.flowConfig, errors);
    checkCalls(config, references.flows, references.ownKey, use, errors);
    warnings.push(...banditWarnings(flow.nodes, flow.flowConfig, references));
    // Errors come first, so whoever fixes them knows that the rest will pass once it can be run.
    if (errors.length === 0) errors.push(...unavailable);
    if (use === 'publish') {
      checkUse(flow.nodes, flow.flowConfig, errors);
      errors.push(...unusableModels(flow.nodes, flow.flowConfig, references));
    }
  }
  return { valid: errors.length === 0, errors, warnings };
}

/** Returns ids and keys that a flow names, so that a caller can look them up before validating. */
export function flowReferences(config: unknown): readonly { readonly kind: ReferenceKind; readonly id: string }[] {
  const found = new Map<string, { readonly kind: ReferenceKind; readonly id: string }>();
  validateFlow(
    config,
    {
      ...openReferences,
      has(kind, id) {
        found.set(`${kind} ${id}`, { kind, id });
        return true;
      },
    },
    { use: 'draft' },
  );
  return [...found.values()];
}

/** Collects findings about a config. */
interface FlowFindings {
  readonly errors: FlowIssue[];
  readonly warnings: FlowWarning[];
  /** Valid, but can't be run yet. */
  readonly unavailable: FlowIssue[];
}

function checkNodes(nodes: readonly FlowNode[], references: FlowReferences, found: FlowFindings): void {
  const bareNames = new Set(references.customFieldKeys);
  nodes.forEach((node, at) => {
    const kind = nodeKinds.get(node.type);
    if (kind === undefined) return;
    // Hooks run before compute nodes, wherever they are.
    const names = node.type === 'extension_point' ? references.customFieldKeys : bareNames;
    const place = { bareNames: names, phase1: kind.phase === 1 };
    const issues = issuesAt(`/nodes/${at}/config`, node.id, references, place, found);
    const config = node.config ?? {};
    if (node.enabled === false) {
      if (node.type === 'extension_point') checkWebhook(config, issues);
      return;
    }
    const before = found.errors.length;
    checkKeys(config, kind, '', issues);
    if (found.errors.length === before) kind.check?.(config, issues);
    if (kind.unbuilt === true) {
      found.unavailable.push(unavailableAt(`/nodes/${at}/type`, node.id, `the node type ${node.type}`));
    }
    if (node.type === 'compute') {
      for (const { key } of readObjects(config.formulaExtras)) if (typeof key === 'string') bareNames.add(key);
    }
  });
}

/**
 * Each node of a chain waits for the previous one's rows, so chains have a maximum length (docs/design/api-catalogue.md
 * 20).
 */
function checkEnrichChains(nodes: readonly FlowNode[], references: FlowReferences, errors: FlowIssue[]): void {
  const enrich = nodes.filter(({ type, enabled }) => type === 'enrich' && enabled !== false);
  for (const [at, { depth }] of enrichOrder(enrich, references.columnsOf).entries()) {
    if (depth <= deepestChain) continue;
    const node = enrich[at]!;
    errors.push({
      path: `/nodes/${nodes.indexOf(node)}/config/lookupFrom`,
      nodeId: node.id,
      code: 'invalid_config',
      message: `is number ${depth} in a chain of enrich nodes that each look up what the previous one read; the limit is ${deepestChain}`,
      class: 'P',
    });
  }
}

/** Keys of `flowConfig`. */
export const flowConfigKeys = { defaultLimit: integer(1, 50), scoring: object(scoreShape), explore: exploreKey };

function checkFlowConfig(flowConfig: JsonObject, references: FlowReferences, found: FlowFindings): void {
  const place = { bareNames: references.customFieldKeys, phase1: false };
  const issues = issuesAt('/flowConfig', null, references, place, found);
  checkKeys(flowConfig, { keys: flowConfigKeys }, '', issues);
}

/** Thompson draws propensities, which a flow that scores by priority does not have (`strategy_needs_propensity`). */
function checkStrategy(nodes: readonly FlowNode[], flowConfig: JsonObject, errors: FlowIssue[]): void {
  const enabled = (type: string) => nodes.findIndex((node) => node.type === type && node.enabled !== false);
  const rankAt = enabled('rank');
  const rank = nodes[rankAt];
  if (rank?.config?.method !== 'explore_exploit' || rank.config.strategy !== 'thompson') return;
  const method = nodes[enabled('score')]?.config?.method ?? readObject(flowConfig.scoring).method;
  if (method !== 'priority_weighted') return;
  errors.push({
    path: `/nodes/${rankAt}/config/strategy`,
    nodeId: rank.id,
    code: 'strategy_needs_propensity',
    message: 'thompson needs a score method that computes propensities',
    class: 'P',
  });
}

function unavailableAt(path: string, nodeId: string | null, what: string): FlowIssue {
  return { path, nodeId, code: 'not_available', message: `${what} is not available in this version`, class: 'P' };
}

interface ModelUse extends ModelPlace {
  readonly nodeId: string | null;
  /** What the model scores for; null when the flow doesn't say. */
  readonly method: Json;
}

/** Models that the flow scores with, where it names them. */
function modelUses(nodes: readonly FlowNode[], flowConfig: JsonObject): ModelUse[] {
  const scoring = readObject(flowConfig.scoring);
  const uses = (config: JsonObject, prefix: string, nodeId: string | null, method: Json): ModelUse[] =>
    modelsOfScoring(config).map((place) => ({ ...place, path: prefix + place.path, nodeId, method }));
  const flowMethod = scoring.method ?? null;
  return [
    ...nodes.flatMap(({ id, type, enabled, config = {} }, at) =>
      type === 'score' && enabled !== false ? uses(config, `/nodes/${at}/config`, id, config.method ?? flowMethod) : [],
    ),
    ...uses(scoring, '/flowConfig/scoring', null, flowMethod),
  ];
}

/** A bandit doesn't determine an answer's order when something else has a part in it. */
function banditWarnings(nodes: readonly FlowNode[], flowConfig: JsonObject, references: FlowReferences): FlowWarning[] {
  return modelUses(nodes, flowConfig).flatMap(({ path, name, nodeId, method, shadow }) => {
    const kind = modelKinds.get(references.modelNamed(name)?.modelType ?? '');
    if (shadow || method === null || method === 'propensity' || !kind?.isBandit) return [];
    const message = `the model ${shortenWord(name)} draws its scores at random; its probabilities are exact with the method propensity only`;
    return [{ path, nodeId, code: 'bandit_needs_propensity', message, nearest: null }];
  });
}

function unusableModels(nodes: readonly FlowNode[], flowConfig: JsonObject, references: FlowReferences): FlowIssue[] {
  return modelUses(nodes, flowConfig).flatMap(({ path, name, nodeId }) => {
    const model = references.modelNamed(name);
    if (model === null || model.isActive) return [];
    return [
      { path, nodeId, code: 'model_not_usable', message: `the model ${shortenWord(name)} is not active`, class: 'U' },
    ];
  });
}

function checkUse(nodes: readonly FlowNode[], flowConfig: JsonObject, errors: FlowIssue[]): void {
  nodes.forEach((node, at) => {
    if (node.type !== 'inventory' || node.enabled === false) return;
    const key = listKeys.get(`${node.config?.scope}`);
    if (key === undefined || (readList(node.config?.[key]) ?? []).length > 0) return;
    errors.push({
      path: `/nodes/${at}/config/${key}`,
      nodeId: node.id,
      code: 'empty_scope',
      message: `scope ${node.config?.scope} needs at least one ID`,
      class: 'U',
    });
  });
  const score = nodes.find((node) => node.type === 'score' && node.enabled !== false);
  const method: Json | undefined = score?.config?.method ?? readObject(flowConfig.scoring).method;
  if (typeof method === 'string') return;
  errors.push({
    path: score === undefined ? '/flowConfig/scoring/method' : `/nodes/${nodes.indexOf(score)}/config/method`,
    nodeId: score?.id ?? null,
    code: 'scoring_not_configured',
    message: `the flow has no score method; set one of ${listWords(scoreMethodNames)}`,
    class: 'U',
  });
}

const listKeys: ReadonlyMap<string, string> = new Map([
  ['category', 'categoryIds'],
  ['subcategory', 'subCategoryIds'],
  ['offers', 'offerIds'],
  ['manual', 'offerIds'],
]);

function issuesAt(
  prefix: string,
  nodeId: string | null,
  references: FlowReferences,
  place: Pick<NodeIssues, 'bareNames' | 'phase1'>,
  { errors, warnings, unavailable }: FlowFindings,
): NodeIssues {
  return {
    ...place,
    webhooks: references.webhooks,
    unavailable: (path, what) => void unavailable.push(unavailableAt(prefix + path, nodeId, what)),
    refuse: (path, code, message) => void errors.push({ path: prefix + path, nodeId, code, message, class: 'P' }),
    unknownKey: (path, nearest) => void warnings.push(unknownKey(prefix + path, nodeId, nearest)),
    exists: (kind, id) => references.has(kind, id),
  };
}
