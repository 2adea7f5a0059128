import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareOf } from '../../../test/form.ts';
import {
  canonicalJson,
  compile,
  type Decision,
  type DecisionInput,
  decide,
  type FlowNode,
  resultOf,
  type Snapshot,
  type ZoneClock,
} from '../src/index.ts';
import { nodeKinds } from '../src/nodes/node-kinds.ts';
import { chanceOf } from './corpus/chance.ts';
import { randomExternal, withBranches } from './corpus/random-branches.ts';
import { randomInput } from './corpus/random-input.ts';
import { randomSnapshot } from './corpus/random-plan.ts';
import { unpackInput } from './corpus/record.ts';

const dayMs = 86_400_000;
const zoneClock = (_zone: string, now: number): ZoneClock => {
  const dayStart = Math.floor(now / dayMs) * dayMs;
  const span = { dayStart, dayEnd: dayStart + dayMs, weekStart: dayStart - 3 * dayMs, weekEnd: dayStart + 4 * dayMs };
  const month = {
    monthStart: dayStart - 9 * dayMs,
    monthEnd: dayStart + 20 * dayMs,
    days30Start: dayStart - 29 * dayMs,
  };
  return { ...span, ...month, date: '2026-03-10', hour: 12, minute: 0, second: 0, weekday: 2, offsets: [[0, 0]] };
};

/** A catalogue with a flow without branches, and what two further decisions read. */
function made(label: string, at: number) {
  const chance = chanceOf('0'.repeat(32), `${label} ${at}`);
  const base = randomSnapshot(chance, () => []);
  const { subFlows: _flows, ...plain } = base;
  return { chance, snapshot: plain.flow.config.nodes.some(isBranch) ? null : plain };
}
const isBranch = ({ type }: FlowNode): boolean => ['conditional', 'call_flow', 'extension_point'].includes(type);

const withNodes = (snapshot: Snapshot, nodes: readonly FlowNode[]): Snapshot => ({
  ...snapshot,
  flow: { ...snapshot.flow, config: { ...snapshot.flow.config, nodes } },
});
const phaseOf = ({ type }: FlowNode): number => Number(nodeKinds.get(type)?.phase ?? 0);

/** The decision without the names of what ran and what removed the last candidate. */
function outcome(decision: Decision): string {
  return canonicalJson(resultOf({ ...decision, subFlows: null }));
}

/** Numbers of random catalogues. */
const catalogues = (label: string, count: number): readonly number[] => shareOf([...Array(count).keys()], label, 2);

function inputs(chance: ReturnType<typeof chanceOf>, snapshot: Snapshot, count = 3): DecisionInput[] {
  const plan = compile(snapshot);
  return Array.from({ length: count }, (_, at) => {
    const input = unpackInput(randomInput(chance, snapshot, plan, at, zoneClock));
    const external = randomExternal(chance, snapshot, plan);
    return external === undefined ? input : { ...input, external };
  });
}

test('skipped nodes decide like disabled nodes', () => {
  let asked = 0;
  for (const at of catalogues('skip', 250)) {
    const { chance, snapshot } = made('skip', at);
    if (snapshot === null) continue;
    const { nodes } = snapshot.flow.config;
    const last = nodes.findIndex((node) => phaseOf(node) === 2);
    if (last < 2) continue;
    const target = chance.int(2, last);
    const jump: FlowNode = {
      id: 'jump',
      type: 'conditional',
      config: { onTrue: { action: 'skip_to', nodeId: nodes[target]!.id }, onFalse: { action: 'drop_all' } },
    };
    const jumping = withNodes(snapshot, [nodes[0]!, jump, ...nodes.slice(1)]);
    const off = withNodes(
      snapshot,
      nodes.map((node, place) => (place > 0 && place < target ? { ...node, enabled: false } : node)),
    );
    const [jumpPlan, offPlan] = [compile(jumping), compile(off)];
    for (const input of inputs(chance, snapshot)) {
      assert.equal(outcome(decide(jumpPlan, input)), outcome(decide(offPlan, input)), `catalogue ${at}`);
      asked += 1;
    }
  }
  assert.ok(asked > 75, `${asked}`);
});

test('a narrowing call decides like the called nodes in its place', () => {
  let asked = 0;
  for (const at of catalogues('narrow', 250)) {
    const { chance, snapshot } = made('narrow', at);
    if (snapshot === null) continue;
    const called = withBranches(chance, snapshot).subFlows![0]!;
    const { nodes } = snapshot.flow.config;
    const call: FlowNode = { id: 'k', type: 'call_flow', config: { flowKey: called.key } };
    const place = chance.int(
      1,
      Math.max(
        1,
        nodes.findIndex((node) => phaseOf(node) === 2),
      ),
    );
    const inner = called.config.nodes
      .filter((node) => phaseOf(node) === 1 && node.type !== 'inventory')
      .map((node) => ({ ...node, id: `k/${node.id}` }));
    // Only a call can bring a second match_creatives.
    if ([...inner, ...nodes].filter(({ type }) => type === 'match_creatives').length > 1) continue;
    const calling = {
      ...withNodes(snapshot, [...nodes.slice(0, place), call, ...nodes.slice(place)]),
      subFlows: [called],
    };
    const inline = withNodes(snapshot, [...nodes.slice(0, place), ...inner, ...nodes.slice(place)]);
    const [callPlan, inlinePlan] = [compile(calling), compile(inline)];
    for (const input of inputs(chance, calling)) {
      assert.equal(outcome(decide(callPlan, input)), outcome(decide(inlinePlan, input)), `catalogue ${at}`);
      asked += 1;
    }
  }
  assert.ok(asked > 75, `${asked}`);
});

test('any calls, skips and hooks: ranks, scores, probabilities and gates hold, and the bytes repeat', () => {
  const ran = new Map<string, number>();
  for (const at of catalogues('any', 300)) {
    const { chance, snapshot } = made('any', at);
    if (snapshot === null) continue;
    const stop = { name: 'Stop', ruleType: 'do_not_contact', config: {}, priority: 1, createdAt: 0 };
    const stopped = snapshot.offers[0]!.id;
    const policies = [...snapshot.policies, { ...stop, id: 'stop', scopes: [{ scope: 'offer', scopeId: stopped }] }];
    const branching = withBranches(chance, { ...snapshot, policies });
    const plan = compile(branching);
    for (const input of inputs(chance, branching, 5)) {
      const decision = decide(plan, input, { trace: true });
      const { items } = decision;
      assert.deepEqual(
        items.map(({ rank }) => rank),
        items.map((_item, place) => place + 1),
      );
      for (const { offerId, score, selection } of items) {
        assert.notEqual(offerId, stopped);
        assert.ok(Number.isFinite(score) && score >= 0);
        assert.ok(selection.probability > 0 && selection.probability <= 1);
      }
      if (!input.request.deduplicate || input.request.placements === null) {
        const shown = items.map(({ offerId, placementId, creativeId }) => `${offerId} ${placementId} ${creativeId}`);
        assert.equal(new Set(shown).size, shown.length);
      }
      const bytes = canonicalJson(resultOf(decision));
      assert.equal(canonicalJson(resultOf(decide(plan, input))), bytes, `catalogue ${at}: again, without a trace`);
      assert.equal(
        canonicalJson(resultOf(decide(compile(shuffled(branching)), input))),
        bytes,
        `catalogue ${at}: shuffled`,
      );
      for (const { stage } of decision.trace!.pipeline) ran.set(stage, (ran.get(stage) ?? 0) + 1);
      for (const reason of Object.keys(decision.summary.droppedByReason)) ran.set(reason, (ran.get(reason) ?? 0) + 1);
    }
  }
  // A test that reaches nothing would show nothing.
  for (const wanted of [
    ...['conditional', 'call_flow', 'extension_point', 'sub_flow_unavailable', 'call_flow:inner/qualify'],
    ...['call_flow:outer/inventory', 'call_flow:inner/score', 'call_flow:outer/rank'],
  ]) {
    assert.ok((ran.get(wanted) ?? 0) >= 2, `${wanted}: ${ran.get(wanted) ?? 0}`);
  }
});

test('merge shows at least what the caller alone would show, and replace only what the called flow lets pass', () => {
  let asked = 0;
  for (const at of catalogues('lists', 200)) {
    const { chance, snapshot } = made('lists', at);
    if (snapshot === null) continue;
    const { offers } = snapshot;
    const half = Math.ceil(offers.length / 2);
    const only = (list: readonly { readonly id: string }[]): FlowNode => ({
      id: 'i',
      type: 'inventory',
      config: { scope: 'offers', offerIds: list.map(({ id }) => id) },
    });
    const score: FlowNode = { id: 's', type: 'score', config: { method: 'priority_weighted' } };
    const response: FlowNode = { id: 'z', type: 'response', config: {} };
    const flowConfig = { defaultLimit: 50 };
    const call = (mode: string): FlowNode => ({ id: 'k', type: 'call_flow', config: { flowKey: 'called', mode } });
    const called = {
      id: 'id',
      key: 'called',
      version: 1,
      config: { version: 2 as const, nodes: [only(offers.slice(half)), score] },
    };
    const flow = (...nodes: FlowNode[]): Snapshot => ({
      ...snapshot,
      tenant: { ...snapshot.tenant, maxOffersPerDecision: 50, holdoutPercentage: 0 },
      flow: { ...snapshot.flow, config: { version: 2, nodes: [...nodes, score, response], flowConfig } },
      // Caps of one answer depend on what else is in it.
      policies: [],
    });
    const all = flow(only(offers));
    const plain = compile(all);
    const merged = compile({ ...flow(only(offers.slice(0, half)), call('merge')), subFlows: [called] });
    const replaced = compile({ ...flow(only(offers.slice(0, half)), call('replace')), subFlows: [called] });
    const second = compile(flow(only(offers.slice(half))));
    for (const input of inputs(chance, all)) {
      const shown = (plan: typeof plain): unknown => {
        const { items } = decide(plan, { ...input, quotaLeft: undefined });
        return items.map(({ offerId, creativeId, score: own, scoreComponents }) => [
          offerId,
          creativeId,
          own,
          scoreComponents.fitMultiplier,
        ]);
      };
      // Two halves that are qualified apart are one whole: each match rule lowers a fit once.
      assert.deepEqual(shown(merged), shown(plain), `catalogue ${at}`);
      assert.deepEqual(shown(replaced), shown(second), `catalogue ${at}`);
      asked += 1;
    }
  }
  assert.ok(asked > 75, `${asked}`);
});

/** The lists of the snapshot the other way round; schemas and nodes keep their order, because it has a meaning. */
function shuffled(snapshot: Snapshot): Snapshot {
  const { channels, placements, categories, subCategories, offers, creatives, rules, policies } = snapshot;
  return {
    ...snapshot,
    channels: channels.toReversed(),
    placements: placements.toReversed(),
    categories: categories.toReversed(),
    subCategories: subCategories.toReversed(),
    offers: offers.toReversed(),
    creatives: creatives.toReversed(),
    rules: rules.toReversed(),
    policies: policies.toReversed(),
  };
}
