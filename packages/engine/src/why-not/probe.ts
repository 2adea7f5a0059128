import type { Candidate } from '../plan/candidate.ts';
import type { PlanOffer } from '../plan/offer.ts';
import type { Probe } from '../plan/probe.ts';
import type { Run } from '../plan/run.ts';

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
