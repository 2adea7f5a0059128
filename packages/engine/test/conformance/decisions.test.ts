import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  canonicalJson,
  compile,
  type Decision,
  type DecisionInput,
  decide,
  type Json,
  resultOf,
  type Snapshot,
} from '../../src/index.ts';
import { readCase } from './case.ts';
import { expectationsOf } from './expectations.ts';

const folder = new URL('../../conformance/decisions/', import.meta.url);

for (const file of readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort()) {
  describe(file, () => {
    const cases: readonly Json[] = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    for (const source of cases) {
      const read = readCase(source);
      it(read.name, () => {
        const plan = compile(read.snapshot);
        const input = read.input(plan);
        const decision = decide(plan, input);
        const traced = decide(plan, input, { trace: true });
        checkExpectation(read.expect, decision, traced);
        const bytes = canonicalJson(resultOf(decision));
        assert.equal(canonicalJson(resultOf(traced)), bytes, 'a trace changes nothing');
        assert.equal(canonicalJson(resultOf(decide(plan, input))), bytes, 'twice the same');
        const stages = new Set<string>();
        const observe = (stage: string, nodeId: string | null) => void stages.add(`${stage} ${nodeId}`);
        const observed = decide(plan, input, { trace: true, observe });
        assert.deepEqual(observed, traced, 'who looks on changes nothing');
        for (const { stage, nodeId } of observed.trace?.pipeline ?? []) {
          assert.ok(stages.has(`${stage} ${nodeId}`), `${stage} ${nodeId} was not observed`);
        }
        assert.equal(canonicalJson(resultOf(decide(plan, wider(input)))), bytes, 'more than the plan reads');
        for (const seed of [1, 2, 3]) {
          const shuffled = compile(shuffle(read.snapshot, seed));
          assert.equal(canonicalJson(resultOf(decide(shuffled, read.input(shuffled)))), bytes, 'lists shuffled');
        }
      });
    }
  });
}

/**
 * The same with values that the plan doesn't name, as records hold them. Not with further segments: relevance asks whether
 * the customer has any.
 */
function wider(input: DecisionInput): DecisionInput {
  const more = { unread_column: 'x', unread_number: 1, unread_list: ['a'] };
  const rows = Object.entries(input.enriched).map(
    ([node, list]) => [node, list.map((row) => row && { ...more, ...row })] as const,
  );
  return {
    ...input,
    profile: { ...more, ...input.profile },
    enriched: { ...Object.fromEntries(rows), unread_node: [more] },
  };
}

/** Compares every member of `expect`; numbers with 6 decimals. */
function checkExpectation(expect: { readonly [key: string]: Json }, decision: Decision, traced: Decision): void {
  const actual = expectationsOf(decision, traced);
  for (const [key, wanted] of Object.entries(expect)) {
    const read = actual[key];
    assert.ok(read !== undefined, `unknown expectation ${key}`);
    assert.deepEqual(JSON.parse(JSON.stringify(read() ?? null)), wanted, key);
  }
}

/** The snapshot with its lists in another order; schemas and nodes keep theirs, because it has a meaning. */
function shuffle(snapshot: Snapshot, seed: number): Snapshot {
  let state = seed;
  const mix = <T>(rows: readonly T[]): T[] => {
    const mixed = [...rows];
    for (let at = mixed.length - 1; at > 0; at--) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      const other = state % (at + 1);
      const held = mixed[at] as T;
      mixed[at] = mixed[other] as T;
      mixed[other] = held;
    }
    return mixed;
  };
  return {
    ...snapshot,
    channels: mix(snapshot.channels),
    placements: mix(snapshot.placements),
    categories: mix(snapshot.categories),
    subCategories: mix(snapshot.subCategories),
    offers: mix(snapshot.offers),
    creatives: mix(snapshot.creatives),
    rules: mix(snapshot.rules),
    policies: mix(snapshot.policies),
    ...(snapshot.models === undefined ? {} : { models: mix(snapshot.models) }),
    ...(snapshot.rankingProfiles === undefined ? {} : { rankingProfiles: mix(snapshot.rankingProfiles) }),
    ...(snapshot.otherOffers === undefined ? {} : { otherOffers: mix(snapshot.otherOffers) }),
    ...(snapshot.inactivePlacements === undefined ? {} : { inactivePlacements: mix(snapshot.inactivePlacements) }),
  };
}
