import type { PlanOffer } from '../compile/catalogue.ts';
import type { Candidate, Run } from '../run.ts';
import type { Examination } from './examination.ts';

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

/** True while the decision tells all the gates of this candidate's offer. */
export function isExamined({ probe }: Run, candidate: Candidate): boolean {
  return probe !== null && probe.examination !== null && probe.offerId === candidate.offer.id;
}

/** Gives the candidates of the offer the priority that the probe asks for, as if the offer had been changed. */
export function alterPriority(run: Run, { offerId, priority }: Probe): void {
  if (priority === null) return;
  let altered: PlanOffer | null = null;
  for (const list of [run.list, run.mandatory]) {
    for (const candidate of list) {
      if (candidate.offer.id !== offerId) continue;
      altered ??= withPriority(candidate.offer, priority);
      candidate.offer = altered;
      candidate.offerPriority = priority;
      candidate.priority = priority;
    }
  }
}

function withPriority(offer: PlanOffer, priority: number): PlanOffer {
  return { ...offer, priority, row: { ...offer.row, priority }, view: { ...offer.view, priority } };
}

/** Before the answer is filled: sets the score that the probe asks for and removes what was only examined. */
export function settleProbe(run: Run, { offerId, score, examination }: Probe): void {
  if (examination !== null) {
    const isOther = ({ offer }: Candidate): boolean => offer.id !== offerId;
    run.list = run.list.filter(isOther);
    run.mandatory = run.mandatory.filter(isOther);
  }
  if (score === null) return;
  for (const { offer, at } of run.list) if (offer.id === offerId) run.scratch.columns.score[at] = score;
}
