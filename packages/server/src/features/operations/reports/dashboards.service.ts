import { type DecisionHealth, type DecisionPipeline, pipelineStages } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import {
  countTraces,
  type MinuteSums,
  readMinuteSums,
  readQuantiles,
  readStageFigures,
  type StageFigures,
} from '../../deciding/decisions/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { boundsOf, frameOf, round2, shareOf } from './frame.rules.ts';
import { traceNotes } from './sources/trace-window.service.ts';

const hourMs = 3_600_000;

type Part = (typeof pipelineStages)[number];

/** The part of a decision that a flow's node belongs to. Unlisted ones select. */
const partOf: Readonly<Record<string, Part>> = {
  inventory: 'inventory',
  match_creatives: 'inventory',
  enrich: 'inventory',
  qualify: 'qualification',
  suppression: 'contact_policy',
  contact_policy: 'contact_policy',
  filter: 'scoring',
  score: 'scoring',
};

/** Stages of called flows have the flow's key before them. */
const partOfStage = ({ stage }: StageFigures): Part => partOf[stage.slice(stage.lastIndexOf('/') + 1)] ?? 'selection';

const none: MinuteSums = { decisions: 0, failed: 0, empty: 0, degraded: 0, candidates: 0, policyBlocked: 0 };

/** Returns decision figures of the last hours, part by part (docs/design/api-access.md 11). */
export async function decisionPipeline(tx: Tx, windowHours: number): Promise<DecisionPipeline> {
  const from = new Date(tx.now.getTime() - windowHours * hourMs);
  const to = new Date(tx.now.getTime() + 1);
  const [sums = none] = await readMinuteSums(tx, [from, to], null);
  const window = { from, to, flowKey: null, channelId: null, segmentId: null };
  const tracesRead = await countTraces(tx, window);
  const parts = Map.groupBy(await readStageFigures(tx, window), partOfStage);
  return {
    windowHours,
    from: from.toISOString(),
    to: tx.now.toISOString(),
    decisions: sums.decisions,
    failed: sums.failed,
    ...(await readQuantiles(tx, from, to)),
    stages: pipelineStages.map((stage) => showPart(stage, parts.get(stage) ?? [], tracesRead)),
    tracesRead,
    notes: await traceNotes(tx, tracesRead),
  };
}

function showPart(stage: Part, figures: readonly StageFigures[], traces: number): DecisionPipeline['stages'][number] {
  const timed = figures.filter(({ averageMs }) => averageMs !== null);
  const spentMs = timed.reduce((sum, { averageMs, runs }) => sum + (averageMs ?? 0) * runs, 0);
  const [first] = figures;
  const candidates = figures.reduce((sum, each) => sum + each.candidates, 0);
  const passed = figures.reduce((sum, each) => sum + each.passed, 0);
  return {
    stage,
    averageMs: timed.length === 0 || traces === 0 ? null : Math.round((spentMs / traces) * 1000) / 1000,
    averageCandidates: first === undefined ? null : round2(first.averageCandidates),
    filterRate: shareOf(Math.max(0, candidates - passed), candidates),
  };
}

/** Returns decision figures over some days of the tenant's zone. */
export async function decisionHealth(tx: Tx, days: number): Promise<DecisionHealth> {
  const frame = frameOf((await readSettings(tx)).timezone, tx.now, days);
  const bounds = boundsOf(frame);
  const spans = new Map((await readMinuteSums(tx, bounds, null)).map((row) => [row.span, row]));
  const daily = frame.days.map((day, at) => ({ day, sums: spans.get(at) ?? none }));
  const whole = daily.reduce((sum, { sums }) => added(sum, sums), none);
  const { decisions, failed, empty, degraded, candidates, policyBlocked } = whole;
  return {
    days,
    from: frame.from.toISOString(),
    to: tx.now.toISOString(),
    decisions,
    failed,
    errorRate: shareOf(failed, decisions + failed),
    empty,
    emptyRate: shareOf(empty, decisions),
    degraded,
    degradedRate: shareOf(degraded, decisions),
    candidates,
    policyBlocked,
    policyBlockRate: shareOf(policyBlocked, candidates),
    ...(await readQuantiles(tx, frame.from, new Date(tx.now.getTime() + 1))),
    daily: daily.map(({ day, sums }) => ({
      day,
      decisions: sums.decisions,
      failed: sums.failed,
      empty: sums.empty,
      degraded: sums.degraded,
    })),
  };
}

const added = (a: MinuteSums, b: MinuteSums): MinuteSums => ({
  decisions: a.decisions + b.decisions,
  failed: a.failed + b.failed,
  empty: a.empty + b.empty,
  degraded: a.degraded + b.degraded,
  candidates: a.candidates + b.candidates,
  policyBlocked: a.policyBlocked + b.policyBlocked,
});
