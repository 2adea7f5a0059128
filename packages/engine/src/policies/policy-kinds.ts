import { type ConfigShape, flagField } from '../compile/config-fields.ts';
import { type ConfigProblem, type ConfigRemark, readConfig, unknownKeys } from '../compile/config-problems.ts';
import { compileScope, isVacant } from '../compile/scopes.ts';
import type { Builder } from '../plan/builder.ts';
import type { CompiledPolicy, PolicyBehaviour } from '../plan/policy.ts';
import type { JsonObject, SnapshotPolicy } from '../plan/snapshot.ts';
import { allowOverride } from './allow-override.ts';
import { budgetExhausted } from './budget-exhausted.ts';
import { readRolling } from './cap-limits.ts';
import { categorySuppression } from './category-suppression.ts';
import { cooldown } from './cooldown.ts';
import { perWords } from './counted-set.ts';
import { crossChannelCap } from './cross-channel-cap.ts';
import { customerTotalCap } from './customer-total-cap.ts';
import { doNotContact } from './do-not-contact.ts';
import { frequencyCap } from './frequency-cap.ts';
import { metricCondition } from './metric-condition.ts';
import { mutualExclusion } from './mutual-exclusion.ts';
import { offerCategoryCap } from './offer-category-cap.ts';
import { outcomeBased } from './outcomes/outcome-based.ts';
import type { PolicyKind } from './policy-kind.ts';
import { segmentExclusion } from './segment-exclusion.ts';
import { timeWindow } from './time-window.ts';

/** Policy types: one file and one line each. */
const evaluatedKinds = {
  frequency_cap: frequencyCap,
  cooldown,
  time_window: timeWindow,
  mutual_exclusion: mutualExclusion,
  cross_channel_cap: crossChannelCap,
  customer_total_cap: customerTotalCap,
  offer_category_cap: offerCategoryCap,
  allow_override: allowOverride,
  budget_exhausted: budgetExhausted,
  do_not_contact: doNotContact,
  segment_exclusion: segmentExclusion,
  outcome_based: outcomeBased,
  category_suppression: categorySuppression,
  metric_condition: metricCondition,
} satisfies Readonly<Record<string, PolicyKind>>;

type PolicyType = keyof typeof evaluatedKinds;

const kinds: readonly PolicyKind[] = Object.values(evaluatedKinds);
const kindByType = new Map(kinds.map((kind) => [kind.ruleType, kind]));

/** Keys that the config of a policy may have, by policy type. */
export const policyKeys: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  kinds.map((kind) => [kind.ruleType, keysOf(kind)]),
);

const bypassable = flagField(
  true,
  "False: the policy can't be lifted by allow_override, and mandatory offers must obey it. do_not_contact can never be lifted.",
);

const withBypassable = ({ fields, required }: ConfigShape): ConfigShape => ({
  fields: { ...fields, bypassable },
  required,
});

/** The configs of all policy types, for the documentation of the API. */
export const policyShapes = Object.fromEntries(kinds.map((kind) => [kind.ruleType, withBypassable(kind)])) as Readonly<
  Record<PolicyType, ConfigShape>
>;

function keysOf({ fields }: ConfigShape): string[] {
  return [...Object.keys(fields), 'bypassable'];
}

/**
 * Returns the problems of a policy's type or config on write (docs/design/api-catalogue.md 8.4). The caller checks
 * references.
 */
export function policyProblems(ruleType: string, config: JsonObject): readonly ConfigProblem[] {
  const kind = kindByType.get(ruleType);
  if (kind === undefined) return [{ path: '', message: `${ruleType} is not a policy type` }];
  const problems = kind.check(config);
  // A wrong value of these is refused also where it has no effect (docs/design/api-catalogue.md 8.4).
  const reader = readConfig(config);
  reader.word('per', perWords);
  readRolling(config.windows, reader);
  const reportedPaths = new Set(problems.map(({ path }) => path));
  return [...problems, ...reader.problems.filter(({ path }) => !reportedPaths.has(path))];
}

/**
 * Returns what has no effect in a policy's config: unknown keys, and settings that can't do anything. For a config
 * without problems.
 */
export function policyRemarks(ruleType: string, config: JsonObject): readonly ConfigRemark[] {
  const kind = kindByType.get(ruleType);
  if (kind === undefined) return [];
  return [...unknownKeys(config, keysOf(kind)), ...(kind.remarks?.(config) ?? [])];
}

/** Returns the days of a customer's history that a policy counts: 0 for none, infinite without a period. */
export const policyHistoryDays = (ruleType: PolicyType, config: JsonObject): number =>
  kindByType.get(ruleType)!.historyDays(config);

/** True when caps of these policies need the categories of offers outside the plan (`snapshot.otherOffers`). */
export function needsOfferCategories(policies: readonly SnapshotPolicy[]): boolean {
  return policies.some(
    ({ ruleType, scopes, config }) =>
      config.per === 'category' ||
      ruleType === 'category_suppression' ||
      (ruleType === 'offer_category_cap' && config.filterByCategory === true) ||
      scopes.some(({ scope }) => scope === 'category' || scope === 'subcategory'),
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
    const kind = kindByType.get(policy.ruleType);
    const sound = kind !== undefined && kind.check(policy.config).length === 0;
    const scope = compileScope((sound ? kind.scopes?.(policy) : undefined) ?? policy.scopes, builder.index);
    if (isVacant(scope)) continue;
    const position = compiled.length;
    compiled.push({
      position,
      id: policy.id,
      name: policy.name,
      ruleType: policy.ruleType,
      scope,
      // A policy that can't be evaluated can't be lifted either.
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
  countsAll: false,
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
