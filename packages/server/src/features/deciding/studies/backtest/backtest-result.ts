import type { BacktestResult, BacktestSpec, NotEvaluableReason } from '@arbiter/contract';
import { type DiffTotals, figuresOf } from '@arbiter/lab';

/** A result without what differs between runs. */
export type StoredBacktest = Omit<BacktestResult, 'load' | 'verdict'>;

/** Returns the result of all chunks. */
export function resultOf(totals: DiffTotals, spec: BacktestSpec): StoredBacktest {
  const figures = figuresOf(totals, spec.limits, spec.maxNotEvaluableShare);
  const { drift, decisions, customers, otherReason, otherScores, excluded, lacking } = totals;
  const same = decisions - figures.changed;
  return {
    reasons: [...figures.reasons],
    ...{ decisions, customers, same, changed: figures.changed, changedShare: figures.changedShare, unchanged: same },
    byKind: figures.byKind,
    ...{ otherReason, otherScores },
    notEvaluable: excluded as Partial<Record<NotEvaluableReason, number>>,
    notReplayable: Object.values(excluded).reduce((sum, count) => sum + count, 0),
    notRecorded: [...lacking],
    drift: { ...drift },
    gained: figures.gained.map((row) => ({ ...row })),
    lost: figures.lost.map((row) => ({ ...row })),
    moved: figures.moved.map((row) => ({ ...row })),
    newlyEmpty: figures.newlyEmpty.map((row) => ({ ...row })),
    byChannel: figures.byChannel.map(({ id, ...row }) => ({ channelId: id, ...row })),
    byPlacement: figures.byPlacement.map(({ id, ...row }) => ({ placementId: id, ...row })),
    bySegment: figures.bySegment.map((row) => ({ ...row })),
    capsHit: figures.capsHit.map((row) => ({ ...row })),
    gates: figures.gates.map((row) => ({ ...row })),
    items: { ...figures.items },
    expected: { positives: { ...figures.expected.positives }, value: { ...figures.expected.value } },
    samples: figures.samples.map(({ decisionId, kind, before, after }) => ({
      ...{ kind, decisionId, requestId: decisionId },
      before: before.map((item) => ({ ...item })),
      after: after.map((item) => ({ ...item })),
    })),
    limits: figures.limits.map((limit) => ({ ...limit })),
    limitations: limitationsOf(spec),
  };
}

function limitationsOf({ mode, sampleShare }: BacktestSpec): string[] {
  return [
    mode === 'independent'
      ? 'Each decision is judged on its own, with the contacts that actually happened. The draft’s items don’t count toward the caps of later decisions.'
      : 'Items that were never actually shown have no responses. Items on explicit channels count as seen.',
    'Budgets, stock and volumes are the recorded ones.',
    'A backtest doesn’t measure how customers would have responded.',
    ...(sampleShare < 1 ? ['Only a sample of customers was judged.'] : []),
  ];
}
