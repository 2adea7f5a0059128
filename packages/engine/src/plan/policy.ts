import type { Candidate } from './candidate.ts';
import type { Run } from './run.ts';
import type { Scope } from './scope.ts';
import type { Json } from './snapshot.ts';

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
  /** Returns which candidates in scope it could block in this decision. It needs no check for the others. */
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

/** Which candidates in scope a policy could block in this decision: none, all, or those of these offers. */
export type Reach = 'none' | 'all' | readonly number[];

/** The policies that one node asks, each list in order of evaluation. An override lifts blocks of its own stage only. */
export interface PolicyStage {
  readonly type: 'filter' | 'contact_policy';
  readonly blocking: readonly CompiledPolicy[];
  readonly overrides: readonly CompiledPolicy[];
}

/** A stage, and the lists that it asks about (`Candidate.origin`); null: there is but one. */
export interface AskedStage {
  readonly stage: PolicyStage;
  readonly lists: ReadonlySet<number> | null;
  /** False: a flow asks that has a list of its own, and the mandatory list is not in it. */
  readonly ofMandatory: boolean;
}

/** The overrides that can lift a policy, by stage that asks it: it is lifted when each of these stages lifts it. */
export type Lifters = readonly (readonly CompiledPolicy[])[];

/** The plan's policies, as the stages that ask about one list use them. */
export interface ListPolicies {
  readonly lifters: readonly Lifters[];
  readonly asked: ReadonlySet<CompiledPolicy>;
}
