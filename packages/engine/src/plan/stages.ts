import type { Candidate } from './candidate.ts';
import type { RanFlow } from './decision.ts';
import type { Lifters, ListPolicies } from './policy.ts';
import type { Walked } from './ranking.ts';
import type { Run } from './run.ts';
import type { Json } from './snapshot.ts';

/** The stages of one way through a plan, but for those that every way has. */
export interface Phases {
  readonly phase1: readonly Step[];
  /** Between scoring and optimize, and between that and rank. */
  readonly toOptimize: readonly Step[];
  readonly toRank: readonly Step[];
  /** True: some of these may change scores. */
  readonly rescores: boolean;
  /** By position in `program.policies`: the overrides that can lift the policy. */
  readonly lifters: readonly Lifters[];
  /** The same by list; null: no called flow has a list of its own. */
  readonly byList: ReadonlyMap<number, ListPolicies> | null;
  /** Flows that are called on this way and can run, in the order of their first call. */
  readonly subFlows: readonly RanFlow[];
}

/** The stages of a plan with conditionals, compiled for each route when a request first takes it. */
export interface Branching {
  phasesFor(run: Run): Phases;
}

/** One stage of phase 1, ready to run. */
export interface Step {
  /** Node type, or one of the engine's own stages. */
  readonly type: string;
  /** Null for stages that the flow did not write down. */
  readonly nodeId: string | null;
  run(run: Run): void;
  /** Put before its type in traces: `call_flow:<key>/` in a called flow; absent elsewhere. */
  readonly prefix?: string;
}

/** A stage between rank and output. An item that it removes leaves its place empty. */
export interface AfterRank {
  readonly type: string;
  readonly nodeId: string;
  run(run: Run, walked: Walked): Walked;
}

/** One stage of phase 3. */
export interface OutputStep {
  readonly type: string;
  readonly nodeId: string;
  /** Called once for each item taken. */
  item(run: Run, item: OutputItem): void;
  /** Called once per answer. */
  answer(run: Run, properties: Record<string, Json>): void;
}

/** An item while its output is built. */
export interface OutputItem {
  readonly candidate: Candidate;
  readonly rank: number;
  readonly personalization: Record<string, Json>;
  /** Bare names of formulas: custom fields, then compute keys as they come. */
  readonly names: Record<string, Json>;
  readonly errors: FormulaError[];
}

/** Entry of `personalization._errors`. */
export type FormulaError = {
  readonly name: string;
  readonly kind: string;
  readonly formula: string;
  readonly error: string;
};
