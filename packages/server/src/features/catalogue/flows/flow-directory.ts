import type { OfferStatus } from '@arbiter/contract';
import { compareText, didYouMean, flowCalls, type SnapshotFlow, type SnapshotSubFlow } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { asFlowConfig, type PublishedFlowRow, selectPublishedFlows } from './flows.store.ts';

/** A flow as it runs: its last published version. */
export type RunnableFlow = SnapshotFlow;

/** The tenant's flows at one moment, for "which flow runs" (docs/design/api-decisioning.md 5). */
export interface FlowDirectory {
  /**
   * Returns the flow with this key, or with this id. Null: there is none. `runnable` null: it's inactive or was never
   * published.
   */
  find(keyOrId: string): { readonly runnable: RunnableFlow | null } | null;
  /** The flow with this id, when it can run. */
  runnableOf(id: string): RunnableFlow | null;
  /** `; did you mean base?` for a key that names none; empty when no flow of the tenant has one like it. */
  nearest(key: string): string;
  /** The flows that one may call, directly or through others, as far as they can run; by key. */
  calledBy(flow: RunnableFlow): readonly SnapshotSubFlow[];
  /** The default flow, else the runnable one updated last (ties by key). Null: none is runnable; see `ensureBaseFlow`. */
  fallback(): RunnableFlow | null;
  /** Returns all that can run: the fallback first, then most recently updated first. */
  runnable(): readonly RunnableFlow[];
  /** Offer statuses that a runnable flow's inventory may name: `active`, and others that it lists. */
  offerStatuses(): readonly OfferStatus[];
}

function runnable(row: PublishedFlowRow): RunnableFlow | null {
  if (row.status !== 'active' || row.version === null || row.config === null) return null;
  const { id, key, name, version, couplingOverride } = row;
  return { id, key, name, version, couplingOverride, config: asFlowConfig(row.config) };
}

/** Pure: rows updated last first, ties by key. */
export function flowDirectory(rows: readonly PublishedFlowRow[]): FlowDirectory {
  const flows = rows.map((row) => ({ row, runnable: runnable(row) }));
  const byKey = new Map(flows.map((flow) => [flow.row.key, flow]));
  const byId = new Map(flows.map((flow) => [flow.row.id, flow]));
  const standing = flows.filter((flow) => flow.runnable !== null);
  const chosen = standing.find((flow) => flow.row.isDefault) ?? standing[0];
  const find = (keyOrId: string) => byKey.get(keyOrId) ?? byId.get(keyOrId.toLowerCase()) ?? null;
  return {
    find,
    calledBy(flow) {
      const called = new Map<string, SnapshotSubFlow>();
      const open: SnapshotSubFlow[] = [flow];
      for (let caller = open.pop(); caller !== undefined; caller = open.pop()) {
        for (const { flow: name } of flowCalls(caller.config)) {
          const next = find(name)?.runnable ?? null;
          if (next === null || called.has(next.key)) continue;
          const { id, key, version, config } = next;
          called.set(key, { id, key, version, config });
          open.push(next);
        }
      }
      return [...called.values()].sort((a, b) => compareText(a.key, b.key));
    },
    runnableOf: (id) => byId.get(id)?.runnable ?? null,
    nearest: (key) => didYouMean(key, byKey.keys()),
    fallback: () => chosen?.runnable ?? null,
    runnable: () => [chosen, ...standing.filter((flow) => flow !== chosen)].flatMap((flow) => flow?.runnable ?? []),
    offerStatuses: () => [
      'active',
      ...otherStatuses.filter((status) => standing.some((flow) => names(flow.runnable, status))),
    ],
  };
}

/** Statuses of offers that the flow's inventory may name. */
export const offerStatusesOf = (flow: RunnableFlow): readonly OfferStatus[] => [
  'active',
  ...otherStatuses.filter((status) => names(flow, status)),
];

const otherStatuses = ['draft', 'paused'] as const satisfies readonly OfferStatus[];

function names(flow: RunnableFlow | null, status: OfferStatus): boolean {
  return (flow?.config.nodes ?? []).some(({ type, config }) => {
    const statuses = type === 'inventory' ? config?.includeStatuses : undefined;
    return Array.isArray(statuses) && statuses.includes(status);
  });
}

/** Reads all live flows of the tenant in one statement; cheap enough for every change of the catalogue. */
export async function readFlowDirectory(tx: Tx): Promise<FlowDirectory> {
  return flowDirectory(await selectPublishedFlows(tx));
}
