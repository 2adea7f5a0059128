import type { Candidate } from '../plan/candidate.ts';
import type { DropReason, Gate } from '../plan/drop-reason.ts';
import type { Run } from '../plan/run.ts';
import { isExamined } from '../why-not/probe.ts';

/** Marks a candidate that leaves at the end of the stage; the first reason stays. */
export function leave(run: Run, candidate: Candidate, reason: DropReason, gate: Gate | null = null): void {
  if (run.probe !== null && isExamined(run, candidate)) run.probe.examination?.left(reason, gate);
  if (candidate.reason !== null) return;
  candidate.reason = reason;
  candidate.gate = gate;
  run.leaving += 1;
}

/** Counts a candidate that a policy of this type removes. */
export function countBlock(run: Run, ruleType: string): void {
  run.policyBlocks ??= {};
  run.policyBlocks[ruleType] = (run.policyBlocks[ruleType] ?? 0) + 1;
}

/** Points the scope of formulas and conditions at a candidate. */
export function focus(run: Run, candidate: Candidate): void {
  const { scope } = run;
  const creative = candidate.creative;
  scope.offer = candidate.offer.view;
  scope.creative = creative === null ? null : creative.view;
  scope.channel = creative === null ? run.target.channelView : creative.channelView;
  scope.names = candidate.offer.customFields;
}

/** Tie break of docs/design/api-decisioning.md 1 no. 3: true when `a` comes before `b`. */
export function standsBefore({ scratch }: Run, a: Candidate, b: Candidate): boolean {
  const { score } = scratch.columns;
  const ofA = score[a.at]!;
  const ofB = score[b.at]!;
  if (ofA !== ofB) return ofA > ofB;
  if (a.priority !== b.priority) return a.priority > b.priority;
  if (a.ordinal !== b.ordinal) return a.ordinal < b.ordinal;
  return a.slot < b.slot;
}
