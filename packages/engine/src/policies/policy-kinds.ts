import type { Builder } from '../compile/builder.ts';
import type { ConfigProblem, ConfigRemark, JsonObject } from '../compile/config-problems.ts';
import { compileScope, isVacant } from '../compile/scopes.ts';
import type { SnapshotPolicy } from '../snapshot.ts';
import { allowOverride } from './allow-override.ts';
import { cooldown } from './cooldown.ts';
import { doNotContact } from './do-not-contact.ts';
import { frequencyCap } from './frequency-cap.ts';
import type { CompiledPolicy, PolicyBehaviour, PolicyKind } from './policy-kind.ts';
import { segmentExclusion } from './segment-exclusion.ts';

/** Policy types that can be evaluated: one file and one line each. */
const kinds: readonly PolicyKind[] = [frequencyCap, cooldown, doNotContact, allowOverride, segmentExclusion];
const kindByType = new Map(kinds.map((kind) => [kind.ruleType, kind]));

/** Policy types that may be stored; the contract's other types are refused on write until they are built. */
export const policyTypes: readonly string[] = kinds.map((kind) => kind.ruleType);

/** What is wrong with a policy's type or config on write (docs/design/api-catalogue.md 8.4); references are the caller's part. */
export function policyProblems(ruleType: string, config: JsonObject): readonly ConfigProblem[] {
  const kind = kindByType.get(ruleType);
  return kind === undefined ? [{ path: '', message: `policy type ${ruleType} is not available` }] : kind.check(config);
}

/** What has no effect in a policy's config: unknown keys, and what cannot act. For a config without problems. */
export function policyRemarks(ruleType: string, config: JsonObject): readonly ConfigRemark[] {
  return kindByType.get(ruleType)?.remarks(config) ?? [];
}

/** True when caps of these policies need the categories of offers outside the plan (`snapshot.otherOffers`). */
export function needsOfferCategories(policies: readonly SnapshotPolicy[]): boolean {
  return policies.some(
    ({ scopes, config }) =>
      config.per === 'category' || scopes.some(({ scope }) => scope === 'category' || scope === 'subcategory'),
  );
}

/** Active policies in order of evaluation: priority, highest first, then oldest, then id. Vacant ones are left out. */
export function* compilePolicies(
  policies: readonly SnapshotPolicy[],
  builder: Builder,
): Generator<void, CompiledPolicy[]> {
  const compiled: CompiledPolicy[] = [];
  for (const policy of policies.toSorted(byOrder)) {
    yield;
    const scope = compileScope(policy.scopes, builder.index);
    if (isVacant(scope)) continue;
    const position = compiled.length;
    const kind = kindByType.get(policy.ruleType);
    const sound = kind !== undefined && kind.check(policy.config).length === 0;
    compiled.push({
      position,
      id: policy.id,
      name: policy.name,
      ruleType: policy.ruleType,
      scope,
      // One that cannot be evaluated is lifted by nothing either.
      bypassable: sound && policy.config.bypassable !== false,
      behaviour: sound ? kind.compile(policy, scope, builder) : closed,
    });
  }
  return compiled;
}

/** A policy that cannot be evaluated blocks (docs/design/api-catalogue.md 8.3). */
const closed: PolicyBehaviour = {
  role: 'block',
  final: false,
  bindsMandatory: true,
  needsCreative: false,
  reach: () => 'all',
  blocks(run) {
    run.policyErrors += 1;
    return true;
  },
  explain: () => ({ reason: 'policy_error', detail: { error: 'policy_error' } }),
  take: null,
};

function byOrder(a: SnapshotPolicy, b: SnapshotPolicy): number {
  return b.priority - a.priority || a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
