import type { Candidate } from '../plan/candidate.ts';
import type { DropReason } from '../plan/drop-reason.ts';
import type { RemovingStage } from '../plan/empty-reason.ts';
import type { Run } from '../plan/run.ts';
import { isExamined } from '../why-not/probe.ts';

/**
 * Takes the candidates that have a reason out of the list. An offer has left when none of its candidates is left; it is
 * counted and traced once, with the reason of its first.
 */
export function closeStage(run: Run, type: RemovingStage, nodeId: string | null, more: StageExtras = none): void {
  const { list, trace } = run;
  if (run.probe !== null) keepExamined(run, list);
  if (run.survey !== null) noteRefusals(run, run.survey, type, nodeId);
  if (run.leaving === 0 && trace === null) return;
  run.leaving = 0;
  const before = run.offerCount;
  let kept = 0;
  let offers = 0;
  let start = 0;
  const dropped = trace === null ? null : new Map<string, number>();
  while (start < list.length) {
    const { offer } = list[start]!;
    let end = start;
    let survived = false;
    let first: Candidate | null = null;
    for (; end < list.length && list[end]!.offer === offer; end++) {
      const candidate = list[end]!;
      if (candidate.reason === null) {
        list[kept] = candidate;
        kept += 1;
        survived = true;
      } else {
        first ??= candidate;
        if (candidate.slot >= 0) run.slotRemover[candidate.slot] = type;
      }
    }
    if (survived) {
      offers += 1;
    } else if (first !== null) {
      recordDrop(run, first, type, nodeId);
      if (first.reason !== null) dropped?.set(first.reason, (dropped.get(first.reason) ?? 0) + 1);
    }
    start = end;
  }
  list.length = kept;
  if (offers < before) run.lastRemover = type;
  run.offerCount = offers;
  trace?.stage({
    stage: run.prefix + type,
    nodeId,
    candidates: before,
    passed: offers,
    topScore: more.topScore ?? null,
    method: more.method ?? null,
    dropped: dropped === null ? {} : Object.fromEntries(dropped),
    warnings: more.warnings ?? [],
  });
}

/** Keeps candidates whose gates must all be reported: the stage has noted what refused them. */
export function keepExamined(run: Run, list: readonly Candidate[]): void {
  const examination = run.probe?.examination ?? null;
  if (examination === null) return;
  let candidates = 0;
  let passed = 0;
  for (const candidate of list) {
    if (!isExamined(run, candidate)) continue;
    candidates += 1;
    if (candidate.reason === null) passed += 1;
    candidate.reason = null;
    candidate.gate = null;
  }
  examination.close(candidates, passed);
}

/** Traces what the stage refuses and keeps it, to be asked at the next gate too. */
function noteRefusals(run: Run, survey: Set<Candidate['offer']>, type: RemovingStage, nodeId: string | null): void {
  const refused = new Map<Candidate['offer'], Candidate | null>();
  for (const candidate of run.list) {
    const { offer, reason } = candidate;
    // One place that accepts the offer is enough.
    if (reason === null) refused.set(offer, null);
    else if (!refused.has(offer)) refused.set(offer, candidate);
  }
  for (const [offer, candidate] of refused) {
    if (candidate === null) continue;
    survey.add(offer);
    recordDrop(run, candidate, type, nodeId);
  }
  // A place that rejects an offer, next to one that accepts it, leaves as always.
  for (const candidate of run.list) {
    if ((refused.get(candidate.offer) ?? null) === null) continue;
    candidate.reason = null;
    candidate.gate = null;
  }
}

export interface StageExtras {
  readonly topScore?: number | null;
  readonly method?: string;
  readonly warnings?: readonly string[];
}

const none: StageExtras = {};

/** Counts an offer that left, and traces it. */
export function recordDrop(run: Run, candidate: Candidate, stage: string, nodeId: string | null): void {
  const { reason, gate } = candidate;
  if (reason === null || run.present?.has(candidate.offer)) return;
  run.noted?.add(candidate.offer);
  countDrop(run, reason);
  run.trace?.drop({
    offerId: candidate.offer.id,
    offerName: candidate.offer.row.name,
    stage: run.prefix + stage,
    nodeId,
    reason,
    ruleId: gate?.ruleId ?? null,
    policyId: gate?.policyId ?? null,
    detail: gate?.detail ?? null,
  });
}

export function countDrop(run: Run, reason: DropReason, count = 1): void {
  run.droppedByReason[reason] = (run.droppedByReason[reason] ?? 0) + count;
}

/** Counts the offers of candidates in offer order. */
export function countOffers(list: readonly Candidate[]): number {
  let count = 0;
  for (let at = 0; at < list.length; at++) if (at === 0 || list[at]!.offer !== list[at - 1]!.offer) count += 1;
  return count;
}
