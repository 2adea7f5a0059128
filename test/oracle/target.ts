import type { SnapshotPlacement } from '@arbiter/engine';
import type { Target } from './candidate.ts';
import type { Row, World } from './world.ts';

/**
 * Returns where a request wants items; null if nothing can be shown. `group`: config of the group node, if the flow has
 * one.
 */
export function findTarget({ snapshot, input: { request } }: World, group: Row | null): Target | null {
  const { channels, placements } = snapshot;
  const isAllowed = (id: string) => {
    const channel = channels.find((each) => each.id === id);
    if (channel === undefined) return false;
    return (request.channelId ?? id) === id && (request.channel ?? channel.channelType) === channel.channelType;
  };
  const allowed = channels.filter(({ id }) => isAllowed(id)).map(({ id }) => id);
  if (request.placements !== null) {
    const slots: { placement: SnapshotPlacement; limit: number | null }[] = [];
    const requested: { channelId: string; slot: number | null }[] = [];
    for (const { placementId, limit } of request.placements) {
      const placement = placements.find(({ id }) => id === placementId);
      if (placement === undefined) {
        const off = snapshot.inactivePlacements?.find(({ id }) => id === placementId);
        if (off === undefined) return null;
        requested.push({ channelId: off.channelId, slot: null });
      } else {
        requested.push({ channelId: placement.channelId, slot: slots.length });
        slots.push({ placement, limit });
      }
    }
    return slots.length === 0 ? null : { channels: null, eligible: null, slots, requested };
  }
  if (allowed.length === 0) return null;
  if (request.placement === null) {
    const slots = slotsOfGroup(group, placements, allowed);
    if (slots.length === 0 && Array.isArray(group?.placements) && group.placements.length > 0) return null;
    if (slots.length > 0) {
      const requested = slots.map(({ placement: { channelId } }, slot) => ({ channelId, slot }));
      return { channels: null, eligible: null, slots, requested };
    }
    return { channels: new Set(allowed), eligible: null, slots: null, requested: null };
  }
  for (const kind of ['id', 'key', 'name', 'slotType'] as const) {
    const eligible = placements.filter((each) => allowed.includes(each.channelId) && each[kind] === request.placement);
    if (eligible.length === 0) continue;
    return { channels: new Set(eligible.map(({ channelId }) => channelId)), eligible, slots: null, requested: null };
  }
  return null;
}

/** Placements that a group node names, where the request names none; those that are not active or of another channel are skipped. */
function slotsOfGroup(group: Row | null, placements: readonly SnapshotPlacement[], allowed: readonly string[]) {
  return ((group?.placements ?? []) as readonly Row[]).flatMap(({ placementId, maxSlots }) => {
    const placement = placements.find(({ id }) => id === placementId);
    if (placement === undefined || !allowed.includes(placement.channelId)) return [];
    return [{ placement, limit: typeof maxSlots === 'number' ? maxSlots : null }];
  });
}
