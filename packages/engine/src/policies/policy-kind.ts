import type { Builder } from '../compile/builder.ts';
import type { ConfigShape } from '../compile/config-fields.ts';
import type { ConfigProblem, ConfigRemark, JsonObject } from '../compile/config-problems.ts';
import type { Scope } from '../compile/scopes.ts';
import type { Candidate, Run } from '../run.ts';
import type { Json, ScopeAssignment, SnapshotPolicy } from '../snapshot.ts';
import type { Reach } from './counted-set.ts';

/** One of the contract's 14 policy types (docs/design/api-catalogue.md 8.3). */
export interface PolicyKind extends ConfigShape {
  readonly ruleType: string;
  /**
   * Returns the problems that keep a config from being stored (docs/design/api-catalogue.md 8.4). The caller checks
   * references.
   */
  check(config: JsonObject): readonly ConfigProblem[];
  /** Returns what has no effect besides unknown keys, in a config that `check` accepts. */
  readonly remarks?: (config: JsonObject) => readonly ConfigRemark[];
  /** Returns what it applies to, if that isn't what the policy is assigned to. */
  scopes?(policy: SnapshotPolicy): readonly ScopeAssignment[];
  /** Called only with a config that `check` accepts. */
  compile(policy: SnapshotPolicy, scope: Scope, builder: Builder): PolicyBehaviour;
}

export interface PolicyBehaviour {
  /** `override`: never blocks, but lifts blocks of its stage. */
  readonly role: 'block' | 'override';
  /** True: no allow_override lifts it, even if `bypassable` is true. */
  readonly final: boolean;
  /** True: mandatory offers obey it even when it is bypassable. */
  readonly bindsMandatory: boolean;
  /** True when it compares what only a creative tells (its channel, the creative itself). */
  readonly needsCreative: boolean;
  /** True when items that are not in scope are counted too. */
  readonly countsAll: boolean;
  /** Returns which candidates in scope it could block in this decision. The others needn't be asked. */
  reach(run: Run): Reach;
  /** Asked only for candidates in scope. */
  blocks(run: Run, candidate: Candidate): boolean;
  /** Text and detail fields of a block (of the lift, for an override). */
  explain(run: Run, candidate: Candidate): PolicyVerdict;
  /** Counts an item that was taken into the answer; true when a limit is used up now. Null: it counts nothing. */
  readonly take: ((run: Run, candidate: Candidate) => boolean) | null;
  /** True: it does not depend on the clock, so that waiting does not help. */
  readonly timeless?: boolean;
}

export interface PolicyVerdict {
  readonly reason: string;
  readonly detail: Json;
}

/** A policy bound to the plan. */
export interface CompiledPolicy {
  readonly position: number;
  readonly id: string;
  readonly name: string;
  readonly ruleType: string;
  readonly scope: Scope;
  /** False: an allow_override does not lift it, and a mandatory offer does not either. */
  readonly bypassable: boolean;
  readonly behaviour: PolicyBehaviour;
}

/** True when an allow_override can lift the policy. */
export function canBeLifted(policy: CompiledPolicy): boolean {
  return policy.bypassable && !policy.behaviour.final;
}
