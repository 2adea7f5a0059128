import type { ConditionTest } from './condition.ts';
import type { DropReason, Gate } from './drop-reason.ts';
import type { Json } from './snapshot.ts';
import type { PolicyRow, QualificationRow } from './trace.ts';

/**
 * A question about one offer that a decision is made for (docs/adr/0040): what to change for it, and whether it passes every
 * gate that refuses it, so that all can be reported. Decisions without one pay one null test per stage.
 */
export interface Probe {
  readonly offerId: string;
  /** True: nothing is left to chance; the best pick replaces each draw. */
  readonly greedy: boolean;
  /** Priority of the offer in place of its own; null: its own. */
  readonly priority: number | null;
  /** Its score, replacing that of the score node and later ones; null: keep theirs. */
  readonly score: number | null;
  /** True: no other offer is a candidate. An offer that's refused alone is also refused with others. */
  readonly alone?: boolean;
  /** Notes the gates, and lets the offer pass them; null: gates act. */
  readonly examination: Examination | null;
}

/**
 * Takes down the gates that an offer meets, one after the other: all of them, since here a gate that refuses it does not
 * end its way (docs/design/api-decisioning.md 12).
 */
export interface Examination {
  /** The stage that works now. */
  enter(stage: string, nodeId: string | null): void;
  /** The stage has asked about `candidates` of the offer, one per placement, and admitted `passed` of them. */
  close(candidates: number, passed: number): void;
  /** A gate refused a candidate of the offer. Rules and policies tell of themselves by their rows. */
  left(reason: DropReason, gate: Gate | null): void;
  qualification(row: QualificationRow): void;
  policy(row: PolicyRow): void;
  /** Completes the gate that reported last. */
  shut(how: Shut): void;
  /** Proposes what would satisfy a refusing gate; `lowers`: one that lowers the score and lets the offer pass. */
  propose(wishes: readonly Wish[], lowers?: boolean): void;
  /** `isBlocked`: the offer did not reach ranking. */
  result(isBlocked: boolean): ExaminedOffer;
}

export interface ExaminedOffer {
  /** In the order met. Gates asked once per placement appear once. */
  readonly gates: readonly GateRow[];
  /** Wishes of the gates that refuse; for a ranked offer, of the gates that lowered its score. */
  readonly wishes: readonly Wish[];
  /** False: some gate that refuses does not depend on the clock. */
  readonly opensByTime: boolean;
  /** True: a gate refuses that nothing may be suggested against. */
  readonly isFinal: boolean;
  /** False: the flow never had the offer among its candidates. */
  readonly isCandidate: boolean;
}

/** One gate's verdict on the offer. */
export interface GateRow {
  /** Node type, or the engine's own stage, that asked it. */
  readonly stage: string;
  readonly nodeId: string | null;
  readonly status: 'passed' | 'blocked' | 'skipped';
  /** Rule or policy; null for a gate that is neither. */
  readonly id: string | null;
  /** Null for a stage without a verdict on the offer. */
  readonly name: string | null;
  readonly ruleType: string | null;
  readonly reason: string | null;
  readonly detail: Json;
}

/** What a refusing gate reports about itself. */
export interface Shut {
  /** True: waiting does not open it. */
  readonly always?: boolean;
  /** True: nothing may be suggested against it. */
  readonly final?: boolean;
}

/** A value that would satisfy some gate, before it's known what its place can hold. */
export interface Wish {
  readonly path: readonly string[];
  /** `days`: that many days back, counted as the rules on dates count. */
  readonly operator: ConditionTest['operator'] | 'days';
  readonly wanted: Json;
  readonly actual: Json;
}
