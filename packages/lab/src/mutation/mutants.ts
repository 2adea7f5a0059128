import {
  type FlowNode,
  type Json,
  openReferences,
  policyProblems,
  ruleProblems,
  type ScopeAssignment,
  type Snapshot,
  validateFlow,
} from '@arbiter/engine';
import type { SubjectType } from '../check/subject.ts';
import { changesOf, type MutantKind } from './config-changes.ts';

/** A record or node that is changed. `path`: JSON Pointer of the change into its file or flow config. */
export interface MutantPlace {
  readonly type: SubjectType | 'rankingProfile';
  readonly id: string;
  readonly name: string;
  readonly path: string;
}

/** One change of the catalogue, which at least one test should catch. */
export interface Mutant {
  readonly kind: MutantKind;
  readonly place: MutantPlace;
  readonly text: string;
  readonly snapshot: Snapshot;
}

const dropped = 'left out';

/** Yields the snapshot with each boundary, gate and weight changed once. Changes that no operation accepts are left out. */
export function* mutantsOf(snapshot: Snapshot): Generator<Mutant> {
  yield* ruleMutants(snapshot);
  yield* policyMutants(snapshot);
  yield* nodeMutants(snapshot);
  yield* offerMutants(snapshot);
  yield* placementMutants(snapshot);
  yield* creativeMutants(snapshot);
  yield* profileMutants(snapshot);
}

type Config = { readonly [key: string]: Json };

/** Yields the first acceptable alternative of each change to a config. */
function* configMutants(
  config: Json,
  place: MutantPlace,
  accepts: (after: Json) => boolean,
  apply: (after: Json) => Snapshot,
): Generator<Mutant> {
  for (const options of changesOf(config)) {
    const change = options.find(({ after }) => accepts(after));
    if (change === undefined) continue;
    const { kind, path, text, after } = change;
    yield { kind, place: { ...place, path: place.path + path }, text, snapshot: apply(after) };
  }
}

const replacedIn = <Item>(list: readonly Item[], item: Item, next: Item): Item[] =>
  list.map((each) => (each === item ? next : each));

function* ruleMutants(snapshot: Snapshot): Generator<Mutant> {
  for (const rule of snapshot.rules) {
    const { id, name, ruleType, config, scopes } = rule;
    if (!hasTarget(snapshot, scopes)) continue;
    const place = { type: 'qualificationRule', id, name, path: '' } as const;
    const rules = snapshot.rules.filter((each) => each !== rule);
    yield { kind: 'gate', place, text: dropped, snapshot: { ...snapshot, rules } };
    yield* configMutants(
      config,
      { ...place, path: '/config' },
      (after) => ruleProblems(ruleType, after as Config).length === 0,
      (after) => ({ ...snapshot, rules: replacedIn(snapshot.rules, rule, { ...rule, config: after as Config }) }),
    );
  }
}

/** Tests begin with unused budgets, so none can tell anything about these. */
const untestable: ReadonlySet<string> = new Set(['budget_exhausted']);

function* policyMutants(snapshot: Snapshot): Generator<Mutant> {
  for (const policy of snapshot.policies) {
    const { id, name, ruleType, config, scopes } = policy;
    if (untestable.has(ruleType) || !hasTarget(snapshot, scopes)) continue;
    const place = { type: 'contactPolicy', id, name, path: '' } as const;
    const policies = snapshot.policies.filter((each) => each !== policy);
    yield { kind: 'gate', place, text: dropped, snapshot: { ...snapshot, policies } };
    yield* configMutants(
      config,
      { ...place, path: '/config' },
      (after) => policyProblems(ruleType, after as Config).length === 0,
      (after) => ({
        ...snapshot,
        policies: replacedIn(snapshot.policies, policy, { ...policy, config: after as Config }),
      }),
    );
  }
}

/** Whether any offer of the plan is in scope. What no offer is in scope of, no decision shows. */
function hasTarget({ offers, creatives }: Snapshot, scopes: readonly ScopeAssignment[]): boolean {
  const isIn = ({ scope, scopeId }: ScopeAssignment): boolean => {
    if (scope === 'offer') return offers.some(({ id }) => id === scopeId);
    if (scope === 'category') return offers.some(({ categoryId }) => categoryId === scopeId);
    if (scope === 'subcategory') return offers.some(({ subCategoryId }) => subCategoryId === scopeId);
    if (scope === 'creative') return creatives.some(({ id }) => id === scopeId);
    return true;
  };
  return scopes.some(isIn);
}

const droppable: ReadonlySet<string> = new Set(['filter', 'conditional', 'extension_point', 'call_flow']);

function* nodeMutants(snapshot: Snapshot): Generator<Mutant> {
  const { flow, subFlows = [] } = snapshot;
  yield* nodesOf(flow, (config) => ({ ...snapshot, flow: { ...flow, config } }));
  for (const called of subFlows) {
    yield* nodesOf(called, (config) => ({
      ...snapshot,
      subFlows: replacedIn(subFlows, called, { ...called, config }),
    }));
  }
}

function* nodesOf(
  { id: flowId, config }: Pick<Snapshot['flow'], 'id' | 'config'>,
  apply: (config: Snapshot['flow']['config']) => Snapshot,
): Generator<Mutant> {
  const nodes = config.nodes;
  const problems = (changed: Snapshot['flow']['config']) =>
    validateFlow(changed, openReferences, { use: 'publish' }).errors.length;
  const before = problems(config);
  const withNode = (node: FlowNode, next: FlowNode) => ({ ...config, nodes: replacedIn(nodes, node, next) });
  for (const [at, node] of nodes.entries()) {
    if (node.enabled === false) continue;
    const name = node.name ?? node.id;
    const place = { type: 'flowNode', id: `${flowId} ${node.id}`, name, path: `/nodes/${at}` } as const;
    if (droppable.has(node.type)) {
      yield { kind: 'gate', place, text: dropped, snapshot: apply(withNode(node, { ...node, enabled: false })) };
    }
    const next = (after: Json) => withNode(node, { ...node, config: after as Config });
    yield* configMutants(
      node.config ?? {},
      { ...place, path: `${place.path}/config` },
      (after) => problems(next(after)) <= before,
      (after) => apply(next(after)),
    );
  }
  const settings = { type: 'decisionFlow', id: flowId, name: 'flow settings', path: '/flowConfig' } as const;
  const next = (after: Json) => ({ ...config, flowConfig: after as Config });
  yield* configMutants(
    config.flowConfig ?? {},
    settings,
    (after) => problems(next(after)) <= before,
    (after) => apply(next(after)),
  );
}

const maxHour = 24;

/** Hours end with the day. */
const hasHours = (after: Json): boolean => {
  const { startHour = 0, endHour = 0 } = after as Config;
  return [startHour, endHour].every((hour) => typeof hour !== 'number' || (hour >= 0 && hour <= maxHour));
};

function* offerMutants(snapshot: Snapshot): Generator<Mutant> {
  for (const offer of snapshot.offers) {
    const { id, name, status } = offer;
    if (status !== 'active') continue;
    for (const part of ['schedule', 'eligibility', 'frequencyCaps'] as const) {
      const config = offer[part];
      if (config === undefined || config === null || Object.keys(config).length === 0) continue;
      const place = { type: 'offer', id, name, path: `/${part}` } as const;
      const apply = (after: Json): Snapshot => ({
        ...snapshot,
        offers: replacedIn(snapshot.offers, offer, { ...offer, [part]: after }),
      });
      yield { kind: 'gate', place, text: dropped, snapshot: apply(part === 'frequencyCaps' ? {} : null) };
      yield* configMutants(config, place, hasHours, apply);
    }
    if (!offer.emergencyExcluded) continue;
    const place = { type: 'offer', id, name, path: '/emergencyExcluded' } as const;
    const offers = replacedIn(snapshot.offers, offer, { ...offer, emergencyExcluded: false });
    yield { kind: 'gate', place, text: 'true → false', snapshot: { ...snapshot, offers } };
  }
}

function* placementMutants(snapshot: Snapshot): Generator<Mutant> {
  for (const placement of snapshot.placements) {
    const { targeting, id, name } = placement;
    if (targeting === undefined || targeting === null) continue;
    const place = { type: 'placement', id, name, path: '/targeting' } as const;
    const { targeting: _dropped, ...open } = placement;
    const placements = replacedIn(snapshot.placements, placement, open);
    yield { kind: 'gate', place, text: dropped, snapshot: { ...snapshot, placements } };
    yield* configMutants(
      targeting,
      place,
      () => true,
      (after) => ({
        ...snapshot,
        placements: replacedIn(snapshot.placements, placement, { ...placement, targeting: after }),
      }),
    );
  }
}

function* creativeMutants(snapshot: Snapshot): Generator<Mutant> {
  for (const creative of snapshot.creatives) {
    const { id, name, constraints, weight, offerId, channelId } = creative;
    const place = { type: 'creative', id, name, path: '/constraints' } as const;
    yield* configMutants(
      { ...constraints },
      place,
      () => true,
      (after) => ({
        ...snapshot,
        creatives: replacedIn(snapshot.creatives, creative, { ...creative, constraints: after as typeof constraints }),
      }),
    );
    const rivals = snapshot.creatives.filter((each) => each.offerId === offerId && each.channelId === channelId);
    if (rivals.length < 2 || weight === 0) continue;
    const creatives = replacedIn(snapshot.creatives, creative, { ...creative, weight: 0 });
    const text = `${weight} → 0`;
    yield { kind: 'weight', place: { ...place, path: '/weight' }, text, snapshot: { ...snapshot, creatives } };
  }
}

/** Returns the weights of a changed ranking profile. */
function weightsIn(changed: Json): Record<string, number> {
  const weights: object = Reflect.get(Object(changed), 'weights');
  return Object.fromEntries(Object.entries(weights).map(([objective, weight]) => [objective, Number(weight)]));
}

function* profileMutants(snapshot: Snapshot): Generator<Mutant> {
  const { rankingProfiles = [] } = snapshot;
  for (const profile of rankingProfiles) {
    const { id, weights } = profile;
    const place = { type: 'rankingProfile', id, name: id, path: '' } as const;
    yield* configMutants(
      { weights },
      place,
      (after) => {
        const next = Object.values(weightsIn(after));
        return next.some((weight) => weight > 0) && next.every((weight) => weight <= 1);
      },
      (after) => ({
        ...snapshot,
        rankingProfiles: replacedIn(rankingProfiles, profile, { id, weights: weightsIn(after) }),
      }),
    );
  }
}
