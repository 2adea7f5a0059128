import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurn } from '../../../../test/form.ts';
import { compile, decide } from '../index.ts';
import { withBranches } from './test-branches.ts';
import { ask, check, greedyPlan } from './test-flips.ts';
import { chanceOf, inputAt, randomWorld } from './test-world.ts';

const questions = Number(process.env.WHY_NOT_QUESTIONS ?? 200);

test(
  `${questions} blocked offers of flows that branch, call and share placements: each flip works, and no smaller one does`,
  inTurn('flips of branches', 2),
  () => {
    const counts: Record<string, number> = {};
    const count = (name: string): void => {
      counts[name] = (counts[name] ?? 0) + 1;
    };
    let refused = 0;
    for (let seed = 1; refused < questions; seed++) {
      const chance = chanceOf(seed * 31);
      const world = withBranches(chance, randomWorld(chance));
      const plan = greedyPlan(world);
      const asked = compile(world.snapshot);
      const probe = { offerId: '', greedy: true, priority: null, score: null, examination: null };
      const { items } = decide(plan, inputAt(world, plan, world.now), { probe });
      const shown = new Set(items.map((item) => item.offerId));
      for (const { id } of world.snapshot.offers) {
        if (shown.has(id)) continue;
        refused += 1;
        const answer = ask(world, asked, id);
        const label = `seed ${seed}, ${id}`;
        assert.equal(answer.selected, false, label);
        for (const { stage, status, ruleType } of answer.gates)
          if (status === 'blocked') count(ruleType === null ? stage : `${stage} ${ruleType}`);
        for (const flip of answer.flips) {
          count(`flip ${flip.kind}`);
          for (const { type } of world.snapshot.flow.config.nodes)
            if (['conditional', 'call_flow', 'group'].includes(type)) count(`flip with ${type}`);
          check(world, plan, id, flip, `${label}, ${JSON.stringify(flip)}`);
        }
      }
    }
    const wanted = [
      ...['flip attribute', 'flip time', 'flip priority', 'flip score'],
      ...['flip with conditional', 'flip with call_flow', 'flip with group'],
      ...['qualify propensity_threshold', 'contact_policy budget_exhausted', 'inventory'],
    ];
    for (const name of wanted) assert.ok((counts[name] ?? 0) >= 3, `${name}: ${JSON.stringify(counts)}`);
  },
);
