import type { Decision } from '../plan/decision.ts';
import type { Run } from '../plan/run.ts';
import type { TargetSlot } from '../plan/target.ts';
import type { Items } from './items.ts';
import { isOpen } from './pick-creative.ts';

/** The items by placement, for requests with `placements` and for response format `grouped`; null for all others. */
export function placementResults(run: Run, { items, bySlot }: Items): Decision['placementResults'] {
  const { requested, slots, ofGroup } = run.target;
  const isGrouped = run.program.response.format === 'grouped';
  if (requested !== null && (ofGroup !== true || isGrouped)) {
    return requested.map(({ id, name, channelId, slot }) => {
      const own = bySlot[slot] ?? [];
      const active = slots?.[slot];
      const emptyReason =
        active === undefined ? 'placement_inactive' : own.length > 0 ? null : whyEmpty(run, active, slot);
      return { placementId: id, placementName: name, channelId, items: own, emptyReason };
    });
  }
  if (!isGrouped) return null;
  const groups = new Map<string, number[]>();
  items.forEach(({ placementId }, at) => {
    if (placementId === null) return;
    const group = groups.get(placementId);
    if (group === undefined) groups.set(placementId, [at]);
    else group.push(at);
  });
  return [...groups].map(([placementId, group]) => {
    const { name, channelId } = run.plan.names.placement(placementId) ?? { name: '', channelId: '' };
    return { placementId, placementName: name, channelId, items: group, emptyReason: null };
  });
}

/** Returns the placement's targeting, or the stage that removed its last candidate, or the last of all placements. */
function whyEmpty(run: Run, { placementNumber }: TargetSlot, slot: number): string {
  if (!isOpen(run, placementNumber)) return 'placement_targeting';
  return run.slotRemover[slot] ?? run.lastRemover ?? 'inventory';
}
