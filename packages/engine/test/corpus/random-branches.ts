import type { DecisionInput, FlowNode, Json, Plan, Snapshot } from '../../src/index.ts';
import { nodeKinds } from '../../src/nodes/node-kinds.ts';
import type { Chance } from './chance.ts';
import { randomNodes } from './random-flow.ts';

/** The same flow with conditionals, calls of two further flows, and extension points among its nodes. */
export function withBranches(chance: Chance, snapshot: Snapshot): Snapshot {
  const inner = randomNodes(chance, snapshot, false);
  const outer = randomNodes(chance, snapshot, false);
  const nested = chance.flip(0.3) ? [callOf(chance, 'call', 'inner')] : [];
  const { config } = snapshot.flow;
  return {
    ...snapshot,
    flow: { ...snapshot.flow, config: { ...config, nodes: branched(chance, config.nodes) } },
    subFlows: [
      { id: 'id-inner', key: 'inner', version: 2, config: { version: 2, ...inner } },
      {
        id: 'id-outer',
        key: 'outer',
        version: 1,
        config: { version: 2, ...outer, nodes: placed(1, outer.nodes, nested) },
      },
    ],
  };
}

/** Responses of the plan's webhooks. */
export function randomExternal(chance: Chance, { offers }: Snapshot, { webhooks }: Plan): DecisionInput['external'] {
  if (webhooks.length === 0) return undefined;
  return Object.fromEntries(
    webhooks.map(({ nodeId }) => [
      nodeId,
      chance.flip(0.3)
        ? { error: chance.pick(['timeout', 'status_500']) }
        : {
            candidates: chance.some(offers, 0.6).map(({ id }) => ({
              offerId: id,
              score: chance.flip(0.5) ? chance.int(0, 100) / 100 : null,
              drop: chance.flip(0.2),
            })),
          },
    ]),
  );
}

function branched(chance: Chance, nodes: readonly FlowNode[]): readonly FlowNode[] {
  let branches = nodes;
  if (chance.flip(0.3)) branches = placed(1, branches, [hook(chance, 'pre_score')]);
  if (chance.flip(0.4))
    branches = placed(1, branches, [callOf(chance, 'call1', chance.pick(['inner', 'outer', 'gone']))]);
  if (chance.flip(0.7)) branches = placed(1, branches, [conditional(chance, 'branch2', branches)]);
  if (chance.flip(0.5)) branches = placed(1, branches, [conditional(chance, 'branch1', branches)]);
  if (branches.some(({ type }) => type === 'score')) {
    if (chance.flip(0.25))
      branches = behind(branches, 'score', callOf(chance, 'call2', chance.pick(['inner', 'outer'])));
    if (chance.flip(0.3)) branches = behind(branches, 'score', hook(chance, 'score_override'));
    if (chance.flip(0.3) && branches.some(({ type }) => type === 'rank')) {
      branches = behind(branches, 'rank', hook(chance, 'post_rank'));
    }
  }
  if (chance.flip(0.15) && branches.some(({ type }) => type === 'compute')) {
    branches = behind(branches, 'compute', callOf(chance, 'call3', chance.pick(['inner', 'outer'])));
  }
  return branches;
}

/** After the first node, which is the inventory, or after the given number of nodes. */
const placed = (at: number, nodes: readonly FlowNode[], more: readonly FlowNode[]): readonly FlowNode[] => [
  ...nodes.slice(0, at),
  ...more,
  ...nodes.slice(at),
];

const behind = (nodes: readonly FlowNode[], type: string, node: FlowNode): readonly FlowNode[] =>
  placed(nodes.findIndex((each) => each.type === type) + 1, nodes, [node]);

const callOf = (chance: Chance, id: string, flowKey: string): FlowNode => ({
  id,
  type: 'call_flow',
  config: { flowKey, mode: chance.pick(['narrow', 'narrow', 'merge', 'replace']) },
});

function conditional(chance: Chance, id: string, nodes: readonly FlowNode[]): FlowNode {
  const first = nodes.filter(({ type }) => nodeKinds.get(type)?.phase === 1 && type !== 'inventory');
  const second = nodes.find(({ type }) => nodeKinds.get(type)?.phase === 2);
  const targets = [...first, ...(second === undefined ? [] : [second])];
  const action = (): Json => {
    const word = chance.pick(['continue', 'skip_to', 'skip_to', 'call_flow', 'call_flow', 'drop_all']);
    if (word === 'skip_to' && targets.length > 0) return { action: word, nodeId: chance.pick(targets).id };
    if (word === 'call_flow') return { action: word, flowKey: chance.pick(['inner', 'outer', 'id-outer']) };
    return { action: word === 'drop_all' && chance.flip(0.3) ? word : 'continue' };
  };
  const conditions: readonly Json[] = [
    { field: 'customer.age', operator: 'gt', value: 40 },
    { field: 'request.context.page', operator: 'eq', value: 'x' },
    { field: 'customer.acc_tier', operator: 'eq', value: 'gold' },
    { field: 'channel.channelType', operator: 'neq', value: 'web' },
  ];
  return {
    id,
    type: 'conditional',
    config: {
      conditions: chance.some(conditions, 0.4),
      combinator: chance.pick(['AND', 'OR']),
      onTrue: action(),
      onFalse: action(),
    },
  };
}

function hook(chance: Chance, name: 'pre_score' | 'score_override' | 'post_rank'): FlowNode {
  const formulas = {
    pre_score: ['offer.priority > 30', 'customer.age / (offer.priority - 50)', 'fee > 5'],
    score_override: ['score.total * 2', '1 / score.rank', 'score.relevance - 0.5'],
    post_rank: ['0 - score.total', 'customer.age - offer.priority', 'score.rank == 2 ? null : 1'],
  };
  const kind = chance.pick(['none', 'formula', 'formula', 'webhook']);
  return {
    id: `hook-${name}`,
    type: 'extension_point',
    config: {
      hook: name,
      kind,
      ...(kind === 'formula' ? { formula: chance.pick(formulas[name]) } : {}),
      ...(kind === 'webhook' ? { url: 'https://hooks.example.com/' } : {}),
      ...(chance.flip(0.3) ? { onError: chance.pick(['continue', 'drop']) } : {}),
    },
  };
}
