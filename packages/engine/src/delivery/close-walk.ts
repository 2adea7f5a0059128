import type { Candidate } from '../plan/candidate.ts';
import type { Delivery, Grouping } from '../plan/ranking.ts';
import type { Run } from '../plan/run.ts';
import { countDrop, recordDrop } from '../stages/close-stage.ts';
import { cutByRank } from './allocate.ts';

/** Counts and traces the offers that reached the walk and are not in the answer. */
export function closeWalk(run: Run, delivery: Delivery): void {
  if (run.trace === null && run.target.slots === null) countWalk(run);
  else traceWalk(run, delivery);
}

/** One candidate per offer and nothing to trace: only the counts. */
function countWalk(run: Run): void {
  let cut = 0;
  for (let of = 0; of < 2; of++) {
    const list = of === 0 ? run.mandatory : run.list;
    for (let at = 0; at < list.length; at++) {
      const { reason, taken } = list[at]!;
      if (taken) continue;
      if (reason === null) {
        cut += 1;
      } else {
        countDrop(run, reason);
        run.lastRemover = 'admission';
      }
    }
  }
  if (cut > 0) countDrop(run, 'cut', cut);
}

function traceWalk(run: Run, delivery: Delivery): void {
  const taken = new Set<Candidate['offer']>();
  for (const items of delivery) for (const { candidate } of items) taken.add(candidate.offer);
  const losses = closeOffers(run, taken);
  if (losses.cut > 0) countDrop(run, 'cut', losses.cut);
  if (run.trace !== null) traceWalkStages(run, run.trace, delivery, taken.size, losses);
}

/** Offers that reached the walk and aren't in the answer. */
interface Losses {
  /** Offers that reached the walk. */
  admitted: number;
  /** Offers without a place, while nothing is traced. */
  cut: number;
  /** By stage and reason. */
  readonly dropped: Map<string, Map<string, number>>;
}

/** The group node, where it allocated. */
const allocatingGroup = (run: Run): Grouping | null => (run.target.slots === null ? null : run.program.group);

/** Gives each offer that isn't in the answer one reason, whatever number of candidates it has. */
function closeOffers(run: Run, taken: ReadonlySet<Candidate['offer']>): Losses {
  const losses: Losses = { admitted: 0, cut: 0, dropped: new Map() };
  for (const list of [run.mandatory, run.list]) {
    for (let at = 0; at < list.length; ) {
      const { offer } = list[at]!;
      losses.admitted += 1;
      let worst: Candidate | null = null;
      for (; at < list.length && list[at]!.offer === offer; at++) {
        const candidate = list[at]!;
        candidate.reason ??= 'cut';
        if (candidate.slot >= 0 && !candidate.taken) noteRemoval(run, candidate);
        if (worst === null || (worst.reason === 'cut' && candidate.reason !== 'cut')) worst = candidate;
      }
      if (worst !== null && !taken.has(offer)) noteLoss(run, worst, losses);
    }
  }
  return losses;
}

function noteLoss(run: Run, candidate: Candidate, losses: Losses): void {
  const { reason } = candidate;
  if (reason === 'cut' && run.trace === null) {
    losses.cut += 1;
    return;
  }
  const group = allocatingGroup(run);
  const left = group === null || candidate.gate === cutByRank ? rankStage : groupStage;
  const stage = reason === 'cut' ? left : 'admission';
  if (stage === 'admission') run.lastRemover = 'admission';
  const nodeId = stage === rankStage ? run.program.rank.nodeId : stage === groupStage ? group!.nodeId : null;
  recordDrop(run, candidate, stage, nodeId);
  if (reason === null) return;
  const reasons = losses.dropped.get(stage) ?? new Map<string, number>();
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  losses.dropped.set(stage, reasons);
}

function traceWalkStages(
  run: Run,
  trace: NonNullable<Run['trace']>,
  delivery: Delivery,
  taken: number,
  { admitted, dropped }: Losses,
): void {
  const { rank } = run.program;
  const group = allocatingGroup(run);
  const admission = dropped.get('admission');
  const lost = admission === undefined ? 0 : [...admission.values()].reduce((sum, number) => sum + number, 0);
  if (admission !== undefined) {
    trace.stage({
      stage: 'admission',
      nodeId: null,
      candidates: admitted,
      passed: admitted - lost,
      topScore: null,
      method: null,
      dropped: Object.fromEntries(admission),
      warnings: [],
    });
  }
  const cutHere = dropped.get(rankStage) ?? new Map<string, number>();
  const ranked = group === null ? taken : admitted - lost - (cutHere.get('cut') ?? 0);
  trace.stage({
    stage: rankStage,
    nodeId: rank.nodeId,
    candidates: admitted - lost,
    passed: ranked,
    topScore: topScore(run, delivery),
    method: run.rankMethod,
    dropped: Object.fromEntries(cutHere),
    warnings: [],
  });
  if (group === null) return;
  trace.stage({
    stage: groupStage,
    nodeId: group.nodeId,
    candidates: ranked,
    passed: taken,
    topScore: topScore(run, delivery),
    method: group.allocation,
    dropped: Object.fromEntries(dropped.get(groupStage) ?? []),
    warnings: [],
  });
}

const rankStage = 'rank';
const groupStage = 'group';

/** For an empty placement, what limits removed explains more than what found no room. */
function noteRemoval({ slotRemover, program }: Run, { slot, reason, gate }: Candidate): void {
  if (reason !== 'cut') slotRemover[slot] = 'admission';
  else if (slotRemover[slot] !== 'admission') {
    slotRemover[slot] = program.group === null || gate === cutByRank ? rankStage : groupStage;
  }
}

function topScore({ scratch }: Run, delivery: Delivery): number | null {
  let top: number | null = null;
  for (const items of delivery) {
    for (const { candidate, mandatory } of items) {
      const score = mandatory ? 1 : scratch.columns.score[candidate.at]!;
      if (top === null || score > top) top = score;
    }
  }
  return top;
}
