import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurn, randomRuns } from '../../../../test/form.ts';
import { compile, decide, whyNot } from '../index.ts';
import { ask, check, greedyPlan } from './test-flips.ts';
import { chanceOf, inputAt, randomWorld, type World } from './test-world.ts';

const wanted = randomRuns(2_000);

test(`${wanted} blocked offers: each flip works, and no smaller one does`, inTurn('flips', 2), () => {
  const kinds: Record<string, number> = {};
  const sizes: Record<number, number> = {};
  let refused = 0;
  let truncated = 0;
  for (let seed = 1; refused < wanted; seed++) {
    const world = randomWorld(chanceOf(seed));
    const plan = greedyPlan(world);
    // Asked of the plan that explores: greedy makes the same of it.
    const asked = compile(world.snapshot);
    const shown = new Set(decide(plan, inputAt(world, plan, world.now)).items.map((item) => item.offerId));
    for (const { id } of world.snapshot.offers) {
      if (shown.has(id)) continue;
      refused += 1;
      const answer = ask(world, asked, id);
      const label = `seed ${seed}, ${id}`;
      assert.equal(answer.selected, false, label);
      if (answer.search.truncated) truncated += 1;
      assert.ok(answer.flips.length <= 10, label);
      const blocked = answer.gates.filter(({ status }) => status === 'blocked');
      assert.equal(
        answer.verdict === 'blocked',
        blocked.some(({ stage }) => stage !== 'admission'),
        label,
      );
      if (answer.gates.some(({ detail }) => JSON.stringify(detail)?.includes('"final":true'))) {
        assert.deepEqual(answer.flips, [], label);
      }
      for (const flip of answer.flips) {
        kinds[flip.kind] = (kinds[flip.kind] ?? 0) + 1;
        if (flip.kind === 'attribute') sizes[flip.changes.length] = (sizes[flip.changes.length] ?? 0) + 1;
        check(world, plan, id, flip, `${label}, ${JSON.stringify(flip)}`);
      }
    }
  }
  assert.ok(truncated < refused / 10, `${truncated} of ${refused} searches did not come to their end`);
  // Each kind and size occurred often enough to mean something.
  for (const kind of ['attribute', 'time', 'priority', 'score'])
    assert.ok((kinds[kind] ?? 0) >= wanted / 40, JSON.stringify(kinds));
  for (const size of [1, 2, 3]) assert.ok((sizes[size] ?? 0) >= wanted / 200, JSON.stringify(sizes));
});

test('reports the rank of an offer in the response', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const world = randomWorld(chanceOf(seed));
    const plan = greedyPlan(world);
    for (const { offerId, rank } of decide(plan, inputAt(world, plan, world.now)).items) {
      const answer = ask(world, compile(world.snapshot), offerId);
      assert.deepEqual([answer.selected, answer.verdict, answer.rank, answer.flips], [true, 'eligible', rank, []]);
    }
  }
});

test("a question doesn't affect later decisions", () => {
  for (let seed = 1; seed <= 30; seed++) {
    const world = randomWorld(chanceOf(seed));
    const [asked, untouched] = [compile(world.snapshot), compile(world.snapshot)];
    const input = inputAt(world, asked, world.now);
    for (const { id } of world.snapshot.offers) ask(world, asked, id);
    const [after, without] = [decide(asked, input, { trace: true }), decide(untouched, input, { trace: true })];
    assert.deepEqual(after, without, `seed ${seed}`);
  }
});

/** Independent tests of small worlds: what a value must be, and which values are proposed for it. */
const oracleTests = {
  'a gte 5': {
    config: { attribute: 'attributes.a', operator: 'gte', value: 5 },
    holds: (v: unknown) => typeof v === 'number' && v >= 5,
    proposes: [5],
  },
  'a gt 5': {
    config: { attribute: 'attributes.a', operator: 'gt', value: 5 },
    holds: (v: unknown) => typeof v === 'number' && v > 5,
    proposes: [6],
  },
  'a lt 3.25': {
    config: { attribute: 'attributes.a', operator: 'lt', value: 3.25 },
    holds: (v: unknown) => typeof v === 'number' && v < 3.25,
    proposes: [3.24],
  },
  'a in 1, 7': {
    config: { attribute: 'attributes.a', operator: 'in', value: [1, 7] },
    holds: (v: unknown) => v === 1 || v === 7,
    proposes: [1, 7],
  },
  'b eq x': {
    config: { attribute: 'attributes.b', operator: 'eq', value: 'x' },
    holds: (v: unknown) => v === 'x',
    proposes: ['x'],
  },
  'b in x, y': {
    config: { attribute: 'attributes.b', operator: 'in', value: ['x', 'y'] },
    holds: (v: unknown) => v === 'x' || v === 'y',
    proposes: ['x', 'y'],
  },
  'b neq y': {
    config: { attribute: 'attributes.b', operator: 'neq', value: 'y' },
    holds: (v: unknown) => v !== undefined && v !== 'y',
    proposes: [],
  },
  'c exists': {
    config: { attribute: 'attributes.c', operator: 'exists' },
    holds: (v: unknown) => v !== undefined,
    proposes: ['x'],
  },
  'c between 2 and 4': {
    config: { attribute: 'attributes.c', operator: 'between', value: [2, 4] },
    holds: (v: unknown) => typeof v === 'number' && v >= 2 && v <= 4,
    proposes: [2],
  },
} as const;

test('finds exactly the smallest sets of proposals, in order, as brute force does', () => {
  const names = Object.keys(oracleTests) as (keyof typeof oracleTests)[];
  for (let seed = 1; seed <= 400; seed++) {
    const chance = chanceOf(seed * 7919);
    const chosen = names.filter(() => chance.flip(0.45));
    const attributes: Record<string, string | number> = {
      ...(chance.flip(0.6) ? { a: chance.pick([1, 4, 5, 6, 9]) } : {}),
      ...(chance.flip(0.6) ? { b: chance.pick(['x', 'y', 'z']) } : {}),
      ...(chance.flip(0.6) ? { c: chance.pick([1, 3, 9]) } : {}),
    };
    const base = randomWorld(chanceOf(1), 3);
    const [offer] = base.snapshot.offers;
    const offers = [{ ...offer!, emergencyExcluded: false, schedule: null, eligibility: null }];
    const { flow } = base.snapshot;
    const nodes = flow.config.nodes
      .filter(({ type }) => type !== 'filter')
      .map((node) => (node.type === 'score' ? { ...node, config: { method: 'priority_weighted' } } : node));
    const world: World = {
      ...base,
      snapshot: {
        ...base.snapshot,
        flow: { ...flow, config: { ...flow.config, nodes } },
        offers,
        policies: [],
        rules: chosen.map((name, at) => ({
          id: `rule-${at}`,
          name,
          ruleType: 'attribute_condition',
          config: oracleTests[name].config,
          scopes: [{ scope: 'global', scopeId: null }],
          priority: 50,
          stage: 'eligibility',
          createdAt: at,
        })),
      },
      suppressions: [],
      soldOut: [],
      request: { ...base.request, limit: 5, attributes },
    };
    const plan = compile(world.snapshot);
    const isIn = (values: Readonly<Record<string, unknown>>): boolean =>
      chosen.every((name) => oracleTests[name].holds(values[oracleTests[name].config.attribute.slice(-1)]));
    const proposals = new Map<string, { readonly path: string; readonly to: string | number }>();
    for (const name of chosen) {
      const { config, holds, proposes } = oracleTests[name];
      const value = attributes[config.attribute.slice(-1)];
      if (holds(value)) continue;
      for (const to of name === 'c between 2 and 4' && typeof value === 'number' && value > 4 ? [4] : proposes) {
        if (to !== value) proposals.set(`${config.attribute} ${JSON.stringify(to)}`, { path: config.attribute, to });
      }
    }
    const all = [...proposals.entries()].sort(([x], [y]) => (x < y ? -1 : 1)).map(([, proposal]) => proposal);
    const expected: string[] = [];
    const minimal: number[] = [];
    const sets = Array.from({ length: 2 ** all.length - 1 }, (_, at) => at + 1);
    const members = (bits: number) => all.filter((_proposal, at) => (bits & (1 << at)) !== 0);
    const indexes = (bits: number) => all.map((_proposal, at) => at).filter((at) => (bits & (1 << at)) !== 0);
    const inOrder = sets.sort(
      (x, y) =>
        members(x).length - members(y).length ||
        (indexes(x)
          .map((at) => String.fromCharCode(65 + at))
          .join('') <
        indexes(y)
          .map((at) => String.fromCharCode(65 + at))
          .join('')
          ? -1
          : 1),
    );
    for (const bits of inOrder) {
      const some = members(bits);
      if (some.length > 3 || new Set(some.map(({ path }) => path)).size < some.length) continue;
      if (minimal.some((found) => (found & bits) === found)) continue;
      if (!isIn({ ...attributes, ...Object.fromEntries(some.map(({ path, to }) => [path.slice(-1), to])) })) continue;
      minimal.push(bits);
      expected.push(JSON.stringify(some.map(({ path, to }) => [path, to])));
    }
    const answer = ask(world, plan, offers[0]!.id);
    assert.equal(answer.selected, isIn(attributes), `seed ${seed}`);
    const found = answer.flips
      .filter(({ kind }) => kind === 'attribute')
      .map(({ changes }) => JSON.stringify(changes.map(({ path, to }) => [path, to])));
    assert.deepEqual(
      found,
      answer.selected ? [] : expected.slice(0, 10),
      `seed ${seed}: ${chosen.join('; ')} of ${JSON.stringify(attributes)}`,
    );
  }
});

test('stops the search on request, and returns what it has found', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const world = randomWorld(chanceOf(seed));
    const plan = compile(world.snapshot);
    const input = inputAt(world, plan, world.now);
    const shown = new Set(decide(greedyPlan(world), input).items.map((item) => item.offerId));
    const refused = world.snapshot.offers.find(({ id }) => !shown.has(id));
    if (refused === undefined) continue;
    const full = ask(world, plan, refused.id);
    for (const most of [0, 1, 5]) {
      let left = most;
      const answer = whyNot(plan, {
        offerId: refused.id,
        input,
        greedy: true,
        columnHolds: () => null,
        hiddenAttributes: new Set(),
        later: null,
        shouldContinue: () => left-- > 0,
      });
      assert.ok(answer.search.executions <= most);
      assert.deepEqual(answer.gates, full.gates, 'gates are told all the same');
    }
  }
});
