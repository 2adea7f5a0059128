import type { ErrorEntry, ExperimentStatus } from '@arbiter/contract';

const moves: Readonly<Record<ExperimentStatus, readonly ExperimentStatus[]>> = {
  draft: ['active', 'archived'],
  active: ['paused', 'completed', 'archived'],
  paused: ['active', 'completed', 'archived'],
  completed: ['archived'],
  archived: [],
};

/** Whether an experiment's status may change so (docs/design/api-decisioning.md 16). */
export const canChangeStatus = (from: ExperimentStatus, to: ExperimentStatus): boolean =>
  from === to || moves[from].includes(to);

/** Whether the daily job judges an experiment now: it's due and has no verdict yet. */
export const isDue = (
  experiment: {
    readonly status: ExperimentStatus;
    readonly autoPromote: boolean;
    readonly autoPromoteVerdict: string | null;
    readonly startedAt: Date | null;
    readonly promoteAfterDays: number;
  },
  now: Date,
): boolean =>
  experiment.status === 'active' &&
  experiment.autoPromote &&
  experiment.autoPromoteVerdict === null &&
  experiment.startedAt !== null &&
  experiment.startedAt.getTime() + experiment.promoteAfterDays * dayMs <= now.getTime();

const dayMs = 86_400_000;

/** The shares and models of an experiment. */
export interface Arms {
  readonly championModelId: string;
  readonly trafficSplit: { readonly championPct: number };
  readonly challengers: readonly { readonly modelId: string; readonly trafficPct: number }[];
  readonly holdoutPercent: number;
}

const tolerance = 1e-9;

/** Returns what keeps an experiment from being stored with these models and shares. */
export function problemsOfArms({ championModelId, trafficSplit, challengers, holdoutPercent }: Arms): ErrorEntry[] {
  const problems: ErrorEntry[] = [];
  const seen = new Set<string>();
  for (const [at, { modelId }] of challengers.entries()) {
    const path = `/challengers/${at}/modelId`;
    const id = modelId.toLowerCase();
    if (id === championModelId.toLowerCase()) problems.push({ path, message: "can't be the champion" });
    else if (seen.has(id)) problems.push({ path, message: 'is listed more than once' });
    seen.add(id);
  }
  const sum =
    challengers.reduce((total, { trafficPct }) => total + trafficPct, trafficSplit.championPct) + holdoutPercent;
  if (Math.abs(sum - 100) > tolerance) {
    const message = `must add up to 100 with the shares of the challengers and the holdout, not ${sum}`;
    problems.push({ path: '/trafficSplit', message });
  }
  return problems;
}

/** True when the two have the same models in the same order. */
export const sameModels = (a: Arms, b: Arms): boolean =>
  a.championModelId === b.championModelId &&
  a.challengers.length === b.challengers.length &&
  a.challengers.every(({ modelId }, at) => modelId === b.challengers[at]?.modelId);
