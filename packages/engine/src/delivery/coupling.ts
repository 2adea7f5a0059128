import type { CouplingRow } from '../plan/decision.ts';
import type { Delivery } from '../plan/ranking.ts';
import type { Run } from '../plan/run.ts';
import type { RequestedPlacement } from '../plan/target.ts';
import { recordDrop } from '../stages/close-stage.ts';

/**
 * Coupling of a multi-placement answer (docs/design/api-decisioning.md 10): on a channel that is atomic, one requested
 * placement left empty empties all its requested placements. The flow's override beats the channel's mode.
 */
export function couple(
  run: Run,
  delivery: Delivery,
): { readonly delivery: Delivery; readonly rows: readonly CouplingRow[] } {
  const { requested } = run.target;
  if (requested === null) return { delivery, rows: [] };
  const override = run.plan.flow.couplingOverride;
  const rows: CouplingRow[] = [];
  const emptied = new Set<number>();
  const isEmpty = ({ slot }: RequestedPlacement): boolean => (delivery[slot]?.length ?? 0) === 0;
  for (const channelId of new Set(requested.map((placement) => placement.channelId))) {
    const own = requested.filter((placement) => placement.channelId === channelId);
    const mode = override ?? own[0]!.couplingMode;
    const empty = own.filter(isEmpty);
    const suppressed = mode === 'atomic' && empty.length > 0 ? own.filter((placement) => !isEmpty(placement)) : [];
    for (const { slot } of suppressed) {
      emptied.add(slot);
      run.slotRemover[slot] = 'coupling';
    }
    rows.push({
      channelId,
      mode,
      source: override !== null ? 'flow' : 'channel',
      cascaded: suppressed.length > 0,
      emptyPlacements: empty.map(({ id }) => id),
      suppressedPlacements: suppressed.map(({ id }) => id),
    });
  }
  if (emptied.size === 0) return { delivery, rows };
  const coupled = delivery.map((items, at) => (emptied.has(at) ? [] : items));
  dropSuppressed(run, delivery, coupled);
  return { delivery: coupled, rows };
}

function dropSuppressed(run: Run, before: Delivery, after: Delivery): void {
  const kept = new Set(after.flat().map((item) => item.candidate.offer));
  const gone = new Set<object>();
  for (const { candidate } of before.flat()) {
    if (kept.has(candidate.offer) || gone.has(candidate.offer)) continue;
    gone.add(candidate.offer);
    candidate.reason = 'coupling';
    candidate.gate = null;
    recordDrop(run, candidate, 'coupling', null);
  }
  if (gone.size > 0) run.lastRemover = 'coupling';
  run.trace?.stage({
    stage: 'coupling',
    nodeId: null,
    candidates: kept.size + gone.size,
    passed: kept.size,
    topScore: null,
    method: null,
    dropped: gone.size > 0 ? { coupling: gone.size } : {},
    warnings: [],
  });
}
