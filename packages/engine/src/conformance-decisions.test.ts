import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readCase } from './conformance-case.ts';
import {
  canonicalJson,
  compile,
  type Decision,
  type DecisionInput,
  decide,
  type Json,
  resultOf,
  round6,
  type Snapshot,
} from './index.ts';

const folder = new URL('../conformance/decisions/', import.meta.url);

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
 * The same with values that the plan does not name, as records hold them. Not with further segments: relevance asks whether
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

/** Every member of `expect` is compared; numbers with 6 decimals. */
function checkExpectation(expect: { readonly [key: string]: Json }, decision: Decision, traced: Decision): void {
  const { items, summary } = decision;
  const actual: { readonly [key: string]: () => unknown } = {
    items: () => items.map((item) => item.offerId),
    creatives: () => items.map((item) => item.creativeId),
    placements: () => items.map((item) => item.placementId),
    scores: () => items.map((item) => round6(item.score)),
    sources: () => items.map((item) => item.propensitySource),
    propensities: () => items.map((item) => round6(item.scoreComponents.propensity)),
    fits: () => items.map((item) => round6(item.scoreComponents.fitMultiplier)),
    components: () =>
      items.map(({ scoreComponents: c }) => [c.relevance, c.impact, c.emphasis].map((value) => round6(value))),
    methods: () => items.map((item) => item.selection.method),
    estimated: () => items.map((item) => item.selection.estimated),
    subFlows: () => decision.subFlows?.map(({ key, version }) => `${key} ${version}`),
    skipped: () => traced.trace?.pipeline.filter(({ skipped }) => skipped === true).map(({ nodeId }) => nodeId),
    stageNodes: () => traced.trace?.pipeline.map(({ nodeId }) => nodeId),
    effects: () => items.map((item) => item.effect),
    personalization: () => items.map((item) => item.personalization),
    content: () => items.map((item) => item.content),
    properties: () => decision.properties,
    emptyReason: () => decision.emptyReason,
    controlGroup: () => decision.controlGroup,
    creativeShares: () => decision.assignment.creative.map((share) => round6(share)),
    holdoutShare: () => decision.assignment.holdout,
    coupling: () => summary.channelCoupling,
    slots: () => decision.placementResults?.map(({ items: positions }) => positions.map((at) => items[at]?.offerId)),
    placementReasons: () => decision.placementResults?.map((row) => [row.placementId, row.emptyReason]),
    dropped: () => summary.droppedByReason,
    counts: () => [
      summary.candidateCount,
      summary.mandatoryCount,
      summary.afterCreatives,
      summary.afterQualification,
      summary.afterSuppression,
      summary.afterContactPolicy,
      summary.afterScoring,
      summary.finalCount,
    ],
    drops: () =>
      traced.trace?.dropped.map(({ offerId, stage, reason, ruleId, policyId, detail }) => {
        const row: Record<string, Json> = { offerId, stage, reason, detail };
        if (ruleId !== null) row.ruleId = ruleId;
        if (policyId !== null) row.policyId = policyId;
        return row;
      }),
    policyRows: () =>
      traced.trace?.contactPolicyResults.map((row) => {
        const { offerId, policyId, status, reason, overriddenBy, detail } = row as { readonly [key: string]: Json };
        return { offerId, policyId, status, reason, overriddenBy, detail };
      }),
    ruleRows: () =>
      traced.trace?.qualificationResults.map((row) => {
        const { offerId, ruleId, status, reason, detail } = row as { readonly [key: string]: Json };
        return { offerId, ruleId, status, reason, detail };
      }),
    ranked: () => traced.trace?.scoringResults.map((row) => (row as { readonly offerId: string }).offerId),
    stages: () => traced.trace?.pipeline.map(({ stage, candidates, passed }) => [stage, candidates, passed]),
  };
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
  };
}
