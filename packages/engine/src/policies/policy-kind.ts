import type { ConfigShape } from '../compile/config-fields.ts';
import type { ConfigProblem, ConfigRemark } from '../compile/config-problems.ts';
import type { Builder } from '../plan/builder.ts';
import type { CompiledPolicy, PolicyBehaviour } from '../plan/policy.ts';
import type { Scope } from '../plan/scope.ts';
import type { JsonObject, ScopeAssignment, SnapshotPolicy } from '../plan/snapshot.ts';

/** One of the contract's 14 policy types (docs/design/api-catalogue.md 8.3). */
export interface PolicyKind extends ConfigShape {
  readonly ruleType: string;
  /**
   * Returns the problems that keep a config from being stored (docs/design/api-catalogue.md 8.4). The caller checks
   * references.
   */
  check(config: JsonObject): readonly ConfigProblem[];
  /** Returns the days of a customer's history that a config counts: 0 for none, infinite without a period. */
  historyDays(config: JsonObject): number;
  /** Returns what has no effect besides unknown keys, in a config that `check` accepts. */
  readonly remarks?: (config: JsonObject) => readonly ConfigRemark[];
  /** Returns what it applies to, if that isn't what the policy is assigned to. */
  scopes?(policy: SnapshotPolicy): readonly ScopeAssignment[];
  /** Called only with a config that `check` accepts. */
  compile(policy: SnapshotPolicy, scope: Scope, builder: Builder): PolicyBehaviour;
}

/** True when an allow_override can lift the policy. */
export function canBeLifted(policy: CompiledPolicy): boolean {
  return policy.bypassable && !policy.behaviour.final;
}
