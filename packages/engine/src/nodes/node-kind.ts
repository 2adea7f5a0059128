import type { Builder } from '../compile/builder.ts';
import type { PlanCreative, PlanOffer } from '../compile/catalogue.ts';
import type { JsonObject } from '../compile/config-problems.ts';
import { isObject } from '../json-object.ts';
import type { CompiledPolicy } from '../policies/policy-kind.ts';
import type { PolicyStage } from '../policies/policy-stage.ts';
import type { CompiledRule } from '../qualification/rule-kind.ts';
import type { Run } from '../run.ts';
import type { FlowNode, Json } from '../snapshot.ts';
import type { KeyCheck, NodeIssues } from './node-keys.ts';
import type { OutputStep } from './output-step.ts';
import type { Step } from './step.ts';

/** One node type (docs/design/api-decisioning.md 8): its keys for the validator and its work for the compiler. */
export interface NodeKind {
  readonly type: string;
  /** `any`: the phase of the place where it stands. */
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
  /** Gates of earlier nodes that wait for a creative; match_creatives runs them. */
  readonly waiting: ((run: Run) => void)[];
  /** True once match_creatives stands before the node that is compiled. */
  matched: boolean;
  /** Match rules that an earlier node judges. */
  readonly fitted: Set<CompiledRule>;
  /** What the nodes ask, in their order. */
  readonly policyStages: PolicyStage[];
  /** Policies that filter nodes name: those nodes ask them, and no other does. */
  readonly filtered: ReadonlySet<CompiledPolicy>;
}

export function readWord<W extends string>(value: Json | undefined, words: readonly W[]): W | undefined {
  return words.find((word) => word === value);
}

/** Ids of records in their one spelling, lower case: a flow may name them in any (docs/design/api-access.md 1). */
export function readIds(value: Json | undefined): readonly string[] {
  return (readList(value) ?? []).map((id) => id.toLowerCase());
}

export function readList(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((entry): entry is string => typeof entry === 'string');
}

export function readNumber(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

export function readObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function readObjects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((entry: Json): entry is JsonObject => isObject(entry)) : [];
}
