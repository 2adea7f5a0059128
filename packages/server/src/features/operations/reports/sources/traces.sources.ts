import type { ReportRow } from '@arbiter/contract';
import type { Tx } from '../../../../db/tx.ts';
import { readRelated } from '../../../catalogue/catalogue-records/index.ts';
import {
  countTraces,
  readFates,
  readPolicyFigures,
  readScoreBins,
  readStageFigures,
  reasonsOfFate,
  type ScoreBin,
  type StageFigures,
} from '../../../deciding/decisions/index.ts';
import { round2, shareOf } from '../frame.rules.ts';
import { reasonLabel, stageLabel } from '../labels.ts';
import { column, type Source, type SourceQuery, type SourceResult, sourceResult } from './source.ts';
import { offersMeant } from './totals.service.ts';
import { traceNotes, traceWindow } from './trace-window.service.ts';

const stageParams = ['days', 'channelId', 'segmentId', 'decisionFlowKey'] as const;

async function byStage(tx: Tx, asked: SourceQuery, shape: (stage: StageFigures) => ReportRow): Promise<SourceResult> {
  const window = traceWindow(asked);
  const read = await countTraces(tx, window);
  const stages = await readStageFigures(tx, window);
  const rows = stages.map((stage) => ({
    stage: stageLabel(stage.stage),
    stageId: stage.stage,
    averageCandidates: round2(stage.averageCandidates),
    shareDropped: shareOf(Math.max(0, stage.candidates - stage.passed), stage.candidates),
    ...shape(stage),
  }));
  return sourceResult(rows, await traceNotes(tx, read));
}

const stageColumns = [
  column('stage', 'Stage', 'text'),
  column('averageCandidates', 'Average candidates', 'decimal'),
  column('shareDropped', 'Share dropped', 'ratio'),
];

const funnel: Source = {
  key: 'funnel',
  label: 'Decision funnel',
  description: 'Average number of candidates that reach each stage, and the share it drops.',
  params: stageParams,
  needsTraces: true,
  columns: () => stageColumns,
  chart: () => ({ kind: 'funnel', x: 'stage', y: ['averageCandidates'] }),
  read: (tx, asked) => byStage(tx, asked, () => ({})),
};

/** Reasons that are named. */
const reasonsShown = 3;

const tracesSummary: Source = {
  key: 'decision_traces_summary',
  label: 'Decision traces',
  description: 'The stages of decisions, with the most frequent reasons for drops.',
  params: stageParams,
  needsTraces: true,
  columns: () => [...stageColumns, column('topReasons', 'Most frequent reasons', 'text')],
  chart: () => ({ kind: 'funnel', x: 'stage', y: ['averageCandidates'] }),
  read: (tx, asked) =>
    byStage(tx, asked, ({ dropped }) => {
      const top = Object.entries(dropped)
        .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
        .slice(0, reasonsShown)
        .map(([reason, n]) => `${reasonLabel(reason)} (${n.toLocaleString('en')})`);
      return { topReasons: top.length === 0 ? null : top.join(', ') };
    }),
};

const fateNames = {
  selected: 'Selected',
  qualification: 'Qualification',
  suppression: 'Suppression',
  contact_policy: 'Contact policy',
  capacity: 'Capacity',
  scored_too_low: 'Scored too low',
} as const;

const whyNotRanked: Source = {
  key: 'why_not_ranked',
  label: 'Why not ranked',
  description: 'What happened to one offer in the decisions that considered it.',
  params: [...stageParams, 'offerId'],
  required: ['offerId'],
  needsTraces: true,
  columns: () => [
    column('fate', 'Fate', 'text'),
    column('decisions', 'Decisions', 'integer'),
    column('share', 'Share', 'ratio'),
  ],
  chart: () => ({ kind: 'bar', x: 'fate', y: ['decisions'] }),
  async read(tx, asked) {
    const window = traceWindow(asked);
    const read = await countTraces(tx, window);
    const found = await readFates(tx, window, (asked.params.offerId ?? '').toLowerCase());
    const notes = await traceNotes(tx, read);
    const whole = found.reduce((sum, { traces }) => sum + traces, 0);
    if (whole === 0) return sourceResult([], notes);
    const counted = new Map<string, number>();
    for (const { reason, traces } of found) {
      const fate =
        reason === null
          ? 'selected'
          : (Object.entries(reasonsOfFate).find(([, reasons]) => reasons.includes(reason))?.[0] ?? 'other');
      counted.set(fate, (counted.get(fate) ?? 0) + traces);
    }
    const fates = counted.has('other') ? { ...fateNames, other: 'Other reasons' } : fateNames;
    const rows = Object.entries(fates).map(([fateId, fate]) => {
      const decisions = counted.get(fateId) ?? 0;
      return { fate, fateId, decisions, share: shareOf(decisions, whole) };
    });
    return sourceResult(rows, notes);
  },
};

const bins = 20;

const scoreDistribution: Source = {
  key: 'score_distribution',
  label: 'Score distribution',
  description: 'Distribution of scores in 20 equal bins, groups with the most scores first.',
  params: ['days', 'limit', 'offerId', 'channelId', 'categoryId', 'segmentId', 'decisionFlowKey', 'groupBy'],
  groupings: ['offer', 'channel', 'category'],
  needsTraces: true,
  columns: ({ groupBy = 'offer' }) => [
    column('group', groupBy[0]?.toUpperCase() + groupBy.slice(1), 'text'),
    column('from', 'From', 'decimal'),
    column('to', 'To', 'decimal'),
    column('scores', 'Scores', 'integer'),
  ],
  chart: () => ({ kind: 'histogram', x: 'from', y: ['scores'] }),
  async read(tx, asked) {
    const window = traceWindow(asked);
    const read = await countTraces(tx, window);
    const notes = await traceNotes(tx, read);
    const found = await readScoreBins(tx, window, await offersMeant(tx, asked.params), bins);
    if (found === null) return sourceResult([], notes);
    const groups = await groupScores(tx, asked.params.groupBy ?? 'offer', found.rows);
    const width = (found.high - found.low) / bins;
    const edge = (at: number): number => Math.round((found.low + at * width) * 1e6) / 1e6;
    const shown = groups.toSorted((a, b) => b.scores - a.scores || ((a.id ?? '~') < (b.id ?? '~') ? -1 : 1));
    if (shown.length > asked.limit)
      notes.push(`Limited to the ${asked.limit} of ${shown.length} with the most scores.`);
    return sourceResult(
      shown.slice(0, asked.limit).flatMap(({ id, name, counts }) =>
        counts.map((scores, at) => ({
          group: name,
          groupId: id,
          from: edge(at),
          to: at === bins - 1 ? Math.round(found.high * 1e6) / 1e6 : edge(at + 1),
          scores,
        })),
      ),
      notes,
    );
  },
};

interface ScoreGroup {
  readonly id: string | null;
  readonly name: string | null;
  readonly scores: number;
  readonly counts: readonly number[];
}

async function groupScores(tx: Tx, groupBy: string, rows: readonly ScoreBin[]): Promise<ScoreGroup[]> {
  const ids = rows.map(({ offerId }) => offerId);
  const categories = groupBy === 'category' ? await readRelated(tx, 'offer', ids, ['categoryId']) : null;
  const idOf = ({ offerId, channelId }: ScoreBin): string | null => {
    if (groupBy === 'channel') return channelId;
    return categories === null ? offerId : (categories.get(offerId)?.categoryId ?? null);
  };
  const groups = Map.groupBy(rows, idOf);
  const kind = groupBy === 'channel' ? 'channel' : groupBy === 'category' ? 'category' : 'offer';
  const names = await readRelated(tx, kind, [...groups.keys()], ['name']);
  return [...groups].map(([id, list]) => {
    const counts = Array.from({ length: bins }, () => 0);
    for (const { bin, scores } of list) counts[bin] = (counts[bin] ?? 0) + scores;
    const name = id === null ? null : (names.get(id)?.name ?? id);
    return { id, name, counts, scores: counts.reduce((sum, n) => sum + n, 0) };
  });
}

const policyPressure: Source = {
  key: 'contact_policy_pressure',
  label: 'Contact policy pressure',
  description: 'How often each contact policy was checked for a candidate, and how often it blocked it.',
  params: ['days', 'limit', 'offerId', 'channelId', 'categoryId', 'segmentId', 'decisionFlowKey'],
  needsTraces: true,
  columns: () => [
    column('policy', 'Contact policy', 'text'),
    column('evaluated', 'Evaluated', 'integer'),
    column('blocked', 'Blocked', 'integer'),
    column('share', 'Share blocked', 'ratio'),
  ],
  chart: () => ({ kind: 'bar', x: 'policy', y: ['evaluated', 'blocked'] }),
  async read(tx, asked) {
    const window = traceWindow(asked);
    const read = await countTraces(tx, window);
    const figures = await readPolicyFigures(tx, window, await offersMeant(tx, asked.params));
    return sourceResult(
      figures.slice(0, asked.limit).map(({ policyId, policyName, evaluated, blocked }) => ({
        policy: policyName,
        policyId,
        evaluated,
        blocked,
        share: shareOf(blocked, evaluated),
      })),
      await traceNotes(tx, read),
    );
  },
};

/** Sources that read decision traces. */
export const traceSources = {
  funnel,
  decision_traces_summary: tracesSummary,
  why_not_ranked: whyNotRanked,
  score_distribution: scoreDistribution,
  contact_policy_pressure: policyPressure,
};
