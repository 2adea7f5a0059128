import type { TraceStage } from '../deciding/decision-trace.ts';
import type { ExplainedDecision } from './explain.ts';

// A decision stage by stage. Pure functions of types: importing them loads no schemas.

/** One step of the funnel. */
export interface FunnelStep {
  /** `all`, `shown`, or stage and node; selects what was dropped there. */
  readonly key: string;
  /** `all`, `shown`, or the stage. */
  readonly stage: string;
  readonly nodeId: string | null;
  /** Remaining candidates after the step. */
  readonly count: number;
  readonly left: number;
  /** Drop reasons, most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  readonly durationMs: number | null;
  readonly warnings: readonly string[];
  readonly method: string | null;
  readonly skipped: boolean;
}

/** Stages that are always shown; others only if they dropped offers. */
const alwaysShown = new Set(['match_creatives', 'qualify', 'suppression', 'contact_policy', 'filter', 'score']);

/** Returns the key of the step that dropped an offer. */
export const stepKey = (stage: string, nodeId: string | null): string =>
  nodeId === null ? stage : `${stage}:${nodeId}`;

/** Returns the funnel steps; empty if the source has no stages. */
export function funnelOf({
  stages,
  summary,
  items,
}: Pick<ExplainedDecision, 'stages' | 'summary' | 'items'>): FunnelStep[] {
  if (stages.length === 0) return [];
  const entered = stages.find(({ stage }) => stage === 'inventory')?.candidates ?? stages[0]?.candidates ?? 0;
  const steps: FunnelStep[] = [
    { ...empty, key: 'all', stage: 'all', count: Math.max(entered, summary.candidateCount) + summary.mandatoryCount },
  ];
  for (const row of stages) {
    const left = Math.max(0, row.candidates - row.passed);
    if (left === 0 && !alwaysShown.has(row.stage) && row.warnings.length === 0) continue;
    steps.push(stepOf(row, left));
  }
  steps.push({ ...empty, key: 'shown', stage: 'shown', count: items.length });
  return steps;
}

const empty = {
  nodeId: null,
  left: 0,
  reasons: [],
  durationMs: null,
  warnings: [],
  method: null,
  skipped: false,
} as const;

function stepOf(row: TraceStage, left: number): FunnelStep {
  const reasons = Object.entries(row.dropped)
    .map(([reason, count]) => ({ reason, count }))
    .sort((a, b) => b.count - a.count);
  const { stage, nodeId, durationMs, warnings, method, skipped = false } = row;
  return {
    key: stepKey(stage, nodeId),
    stage,
    nodeId,
    count: row.passed,
    left,
    reasons,
    durationMs,
    warnings,
    method,
    skipped,
  };
}

/** Returns the width of a step's bar, relative to the widest. */
export function shareOf(step: FunnelStep, steps: readonly FunnelStep[]): number {
  const widest = Math.max(1, ...steps.map(({ count }) => count));
  return step.count / widest;
}
