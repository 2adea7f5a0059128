import type { Builder } from '../plan/builder.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { PlanCreative, PlanOffer } from '../plan/offer.ts';
import type { AskedStage, CompiledPolicy, PolicyStage } from '../plan/policy.ts';
import type { CompiledRule } from '../plan/rule.ts';
import type { Run } from '../plan/run.ts';
import type { FlowNode, JsonObject } from '../plan/snapshot.ts';
import type { OutputStep, Step } from '../plan/stages.ts';
import type { KeyCheck, NodeIssues } from './node-keys.ts';

/** One node type (docs/design/api-decisioning.md 8): its keys for the validator and its work for the compiler. */
export interface NodeKind {
  readonly type: string;
  /** `any`: the phase of the node's position. */
  readonly phase: 1 | 2 | 3 | 'any';
  /** True: at most one in a flow. */
  readonly single: boolean;
  readonly keys: Readonly<Record<string, KeyCheck>>;
  readonly required: readonly string[];
  /** True: described, so that drafts are checked in full, and not run yet; a sound draft that has one is refused. */
  readonly unbuilt?: boolean;
  /** Rules over several keys; `config` has passed its key checks. */
  check?(config: JsonObject, issues: NodeIssues): void;
  /** Stage of phase 1. */
  step?(node: FlowNode, parts: PlanParts): Step;
  /** Reports what the node reads, where neither its stage nor its output does. */
  collect?(node: FlowNode, builder: Builder): void;
  /** Stage of phase 3. Score, rank and response are read by the compiler itself. */
  output?(node: FlowNode, parts: PlanParts): OutputStep;
}

/** What nodes are compiled from. */
export interface PlanParts {
  readonly builder: Builder;
  readonly offers: readonly PlanOffer[];
  readonly creatives: readonly PlanCreative[];
  readonly rules: readonly CompiledRule[];
  readonly policies: readonly CompiledPolicy[];
  /**
   * True: the flow's expectation of an offer depends on the channel, so it isn't known before creatives are matched.
   */
  readonly scoresByChannel: boolean;
  /** Gates of earlier nodes that wait for a creative; match_creatives runs them. */
  readonly waiting: ((run: Run) => void)[];
  /** True once match_creatives comes before the node being compiled. */
  matched: boolean;
  /** Match rules that an earlier node judges. */
  fitted: Set<CompiledRule>;
  /** Number of the list that the nodes work on: 0 that of the flow, others those of calls that merge or replace. */
  own: number;
  /** Lists of called flows that were merged into it. */
  merged: readonly MergedList[];
  /** For the whole route: lists so far, and what was asked of which. */
  readonly shared: { lists: number; readonly asked: AskedStage[] };
  /** True for a called flow that runs as a whole. */
  readonly isCalled: boolean;
  /** True once the mandatory list has its creatives. */
  mandatoryMatched: boolean;
  /** True when some call merges or replaces, so that candidates of one list may have come in with different ones. */
  readonly isPlural: boolean;
  /** What the nodes of this flow, and of flows that work on its list, ask in order. */
  readonly policyStages: PolicyStage[];
  /** Policies that filter nodes name: those nodes ask them, and no other does. */
  readonly filtered: ReadonlySet<CompiledPolicy>;
}

/** Candidates that came in with a called flow: they have their creatives, and these match rules judged them. */
export interface MergedList {
  readonly number: number;
  readonly fitted: ReadonlySet<CompiledRule>;
}

export function newParts(
  from: Pick<PlanParts, 'builder' | 'offers' | 'creatives' | 'rules' | 'policies' | 'scoresByChannel'> &
    Partial<Pick<PlanParts, 'policyStages' | 'filtered' | 'own' | 'shared' | 'isPlural' | 'isCalled'>>,
): PlanParts {
  return {
    policyStages: [],
    filtered: new Set(),
    own: 0,
    shared: { lists: 0, asked: [] },
    isPlural: false,
    isCalled: false,
    ...from,
    waiting: [],
    matched: false,
    mandatoryMatched: false,
    fitted: new Set(),
    merged: [],
  };
}

/** Returns the numbers of the lists whose candidates are now in the list; null when there's only one. */
export function listsNow(parts: PlanParts): ReadonlySet<number> | null {
  return parts.isPlural ? new Set([parts.own, ...parts.merged.map(({ number }) => number)]) : null;
}

/** The candidates that came in with these lists; null: all. */
export function candidatesFrom({ list }: Run, lists: ReadonlySet<number> | null): readonly Candidate[] {
  return lists === null ? list : list.filter(({ origin }) => lists.has(origin));
}
