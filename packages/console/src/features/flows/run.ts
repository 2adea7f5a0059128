import type { NodeRun } from '../../flow-canvas/index.ts';

/** What the nodes of a flow did in a simulation for a customer. */
export interface FlowRun {
  readonly byNode: ReadonlyMap<string, NodeRun>;
  /** Dropped offers, by the node that dropped them. */
  readonly dropped: readonly DroppedOffer[];
  /** Stages outside of nodes: suppressions, admission. */
  readonly between: readonly { readonly stage: string; readonly entered: number; readonly passed: number }[];
  readonly shown: readonly { readonly offerId: string; readonly name: string; readonly score: number | null }[];
  /** Why the simulation wasn't possible, from the server. */
  readonly hint: string | null;
  /** True: the counts of nodes are customers of a segment, not offers for one customer. */
  readonly isPopulation?: true;
}

export interface DroppedOffer {
  readonly offerId: string;
  readonly name: string;
  readonly nodeId: string | null;
  readonly stage: string;
  readonly reason: string;
}

type RunValues = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is RunValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const rowsOf = (value: unknown): readonly RunValues[] => (Array.isArray(value) ? value.filter(isObject) : []);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Reads the answer of a simulation with its `meta` (docs/design/api-decisioning.md 11). */
export function readRun(answer: { readonly meta?: unknown; readonly decisions: readonly unknown[] }): FlowRun {
  const meta = isObject(answer.meta) ? answer.meta : {};
  const stages = rowsOf(meta.stages);
  const byNode = new Map<string, NodeRun>();
  for (const stage of stages) {
    const nodeId = textOf(stage.nodeId);
    // Stages of a called flow come after the call and have the names of its own nodes.
    if (nodeId === null || byNode.has(nodeId)) continue;
    byNode.set(nodeId, {
      entered: countOf(stage.candidates),
      passed: countOf(stage.passed),
      dropped: Object.entries(isObject(stage.dropped) ? stage.dropped : {})
        .map(([reason, count]) => [reason, countOf(count)] as const)
        .sort((a, b) => b[1] - a[1]),
      topScore: typeof stage.topScore === 'number' ? stage.topScore : null,
      skipped: stage.skipped === true,
      warnings: Array.isArray(stage.warnings) ? stage.warnings.map(String) : [],
    });
  }
  return {
    byNode,
    dropped: rowsOf(meta.dropped).map((row) => ({
      offerId: textOf(row.offerId) ?? '',
      name: textOf(row.offerName) ?? textOf(row.offerId) ?? '',
      nodeId: textOf(row.nodeId),
      stage: textOf(row.stage) ?? '',
      reason: textOf(row.reason) ?? '',
    })),
    between: stages
      .filter((stage) => textOf(stage.nodeId) === null)
      .map((stage) => ({
        stage: textOf(stage.stage) ?? '',
        entered: countOf(stage.candidates),
        passed: countOf(stage.passed),
      })),
    shown: rowsOf(answer.decisions).map((item) => ({
      offerId: textOf(item.offerId) ?? '',
      name: textOf(item.offerName) ?? textOf(item.offerId) ?? '',
      score: typeof item.score === 'number' ? item.score : null,
    })),
    hint: textOf(meta.hint),
  };
}
