import { channelView } from '../compile/channel-view.ts';
import type { EmptyTarget } from '../plan/empty-reason.ts';
import type { DecisionRequest } from '../plan/input.ts';
import { NONE } from '../plan/ordinals.ts';
import type { Plan } from '../plan/plan.ts';
import type { Program } from '../plan/program.ts';
import type { Grouping } from '../plan/ranking.ts';
import type { SnapshotInactivePlacement, SnapshotPlacement } from '../plan/snapshot.ts';
import type { RequestedPlacement, Target, TargetProblem, TargetSlot } from '../plan/target.ts';

type TargetRequest = Pick<DecisionRequest, 'channel' | 'channelId' | 'channelIds' | 'placement' | 'placements'>;

/**
 * Finds the channels and placements that a request names (docs/design/api-decisioning.md 2). A placement is found by
 * id, then key, name and slot type, within the channel; all matches of the first kind that matches are eligible. A
 * channel or placement that isn't in the plan is a `problem`; a caller that knows a channel to exist but be inactive
 * may answer empty instead. Inactive ones of several placements get nothing.
 */
export function resolveTarget(plan: Plan, request: TargetRequest): Target {
  return findTarget(plan.program, request);
}

/**
 * ID of the one channel that a request asks for: by its id, by a type that one channel has, or by placements that are all of one
 * channel. Null when it leaves the channel open, or asks for several.
 */
export function channelAsked({ program }: Plan, request: TargetRequest): string | null {
  if (request.channelId !== null) return request.channelId;
  // An unknown placement says nothing, but the channel's type still may.
  for (const asked of [request, { ...request, placement: null, placements: null }]) {
    const { channels, requested, ofGroup } = findTarget(program, asked);
    if (ofGroup) continue;
    const ids =
      requested?.map(({ channelId }) => channelId) ??
      program.channels.filter((_, position) => channels?.[position] === 1).map(({ id }) => id);
    const [first] = ids;
    if (first !== undefined && ids.every((id) => id === first)) return first;
  }
  return null;
}

export function findTarget(program: Program, request: TargetRequest): Target {
  const { channels } = program;
  let allowed: Uint8Array | null = null;
  let only: number | null = null;
  if (request.channelId !== null) {
    const found = channels.findIndex((channel) => channel.id === request.channelId);
    const channel = channels[found];
    if (channel === undefined) {
      return namesInactiveOf(program, request)
        ? findSlots(program, request)
        : stop('no_channel', reference('/channelId', 'channel'));
    }
    if (request.channel !== null && channel.channelType !== request.channel) {
      const message = `the channel has the type ${channel.channelType}, not ${request.channel}`;
      return stop('no_channel', { code: 'validation_failed', path: '/channel', message });
    }
    allowed = new Uint8Array(channels.length);
    allowed[found] = 1;
    only = found;
  } else if (request.channel !== null) {
    allowed = new Uint8Array(channels.length);
    let count = 0;
    channels.forEach((channel, position) => {
      if (channel.channelType !== request.channel || allowed === null) return;
      allowed[position] = 1;
      only = position;
      count += 1;
    });
    if (count === 0 && request.placements === null) return stop('no_channel', null);
    if (count > 1) only = null;
  } else if (request.channelIds !== undefined) {
    allowed = channelsAmong(program, request.channelIds);
    if (!allowed.includes(1)) return stop('no_channel', null);
    only = onlyOf(allowed);
  }
  if (request.placements !== null) return findSlots(program, request);
  // A group node may set what a request leaves open.
  const ofGroup = program.group?.placements ?? null;
  if (ofGroup !== null && request.placement === null) return groupSlots(program, request, ofGroup);
  const view = (position: number | null) => {
    const channel = position === null ? undefined : channels[position];
    return channel === undefined ? null : channelView(channel);
  };
  if (request.placement === null) {
    return {
      problem: null,
      emptyReason: null,
      channels: allowed,
      placements: null,
      slots: null,
      requested: null,
      channelView: view(only),
    };
  }
  const placements = findPlacements(program, request.placement, allowed);
  if (placements.length === 0) return stop('no_placement', null);
  const ofPlacements = new Uint8Array(channels.length);
  for (const placement of placements) ofPlacements[program.placementChannel[placement]!] = 1;
  const first = program.placementChannel[placements[0]!]!;
  const same = placements.every((placement) => program.placementChannel[placement] === first);
  return {
    problem: null,
    emptyReason: null,
    channels: ofPlacements,
    placements,
    slots: null,
    requested: null,
    channelView: view(same ? first : null),
  };
}

/** Marks the channels with these ids. Inactive ones aren't in the plan. */
function channelsAmong({ channels }: Program, ids: readonly string[]): Uint8Array {
  return Uint8Array.from(channels, ({ id }) => (ids.includes(id) ? 1 : 0));
}

/** Returns the position of the one channel that is marked; null for several. */
function onlyOf(marks: Uint8Array): number | null {
  const first = marks.indexOf(1);
  return first === marks.lastIndexOf(1) ? first : null;
}

/** True when a requested placement belongs to the requested channel, which is not in the plan: it is not active. */
function namesInactiveOf({ inactivePlacements }: Program, { channelId, placements }: TargetRequest): boolean {
  return placements?.some(({ placementId }) => inactivePlacements.get(placementId)?.channelId === channelId) ?? false;
}

/** Returns the placements of a multi-placement request, each of the channel named alongside them. */
function findSlots(program: Program, request: TargetRequest): Target {
  const slots: TargetSlot[] = [];
  const requested: RequestedPlacement[] = [];
  const channels = new Uint8Array(program.channels.length);
  for (const [at, { placementId, limit }] of (request.placements ?? []).entries()) {
    const path = `/placements/${at}/placementId`;
    const found = findPlacement(program, placementId);
    if (found === null) return stop('no_placement', reference(path, 'placement'));
    const { id, name, channelId, channelType, couplingMode, number } = found;
    if ((request.channelId ?? channelId) !== channelId || (request.channel ?? channelType) !== channelType) {
      const message = 'must be a placement of the requested channel';
      return stop('no_placement', { code: 'validation_failed', path, message });
    }
    requested.push({ id, name, channelId, couplingMode, slot: number === NONE ? -1 : slots.length });
    if (number === NONE) continue;
    const channel = program.placementChannel[number]!;
    channels[channel] = 1;
    slots.push({ placement: program.placements[number]!, placementNumber: number, channel, limit });
  }
  const emptyReason = slots.length === 0 ? 'placement_inactive' : null;
  return { problem: null, emptyReason, channels, placements: null, slots, requested, channelView: null };
}

/**
 * Returns the placements that the group node lists. Skips those that are inactive, deleted or belong to a channel other
 * than the request's (docs/design/api-settled.md 72).
 */
function groupSlots(program: Program, request: TargetRequest, placements: NonNullable<Grouping['placements']>): Target {
  let skippedInactive = false;
  const usable = placements.flatMap(({ placementId, maxSlots }) => {
    const found = findPlacement(program, placementId);
    if (found === null) return [];
    if ((request.channelId ?? found.channelId) !== found.channelId) return [];
    if ((request.channel ?? found.channelType) !== found.channelType) return [];
    if (request.channelIds?.includes(found.channelId) === false) return [];
    if (found.number === NONE) skippedInactive = true;
    return found.number === NONE ? [] : [{ placementId, limit: maxSlots }];
  });
  if (usable.length === 0) return stop(skippedInactive ? 'placement_inactive' : 'no_placement', null);
  return { ...findSlots(program, { ...request, placements: usable }), ofGroup: true };
}

/** `number`: of `program.placements`; NONE for one that is not active. */
function findPlacement(program: Program, id: string): (SnapshotInactivePlacement & { readonly number: number }) | null {
  const number = program.placementNumber.get(id);
  if (number === undefined) {
    const inactive = program.inactivePlacements.get(id);
    return inactive === undefined ? null : { ...inactive, number: NONE };
  }
  const { name, channelId } = program.placements[number]!;
  const { channelType, couplingMode } = program.channels[program.placementChannel[number]!]!;
  return { id, name, channelId, channelType, couplingMode, number };
}

function findPlacements(program: Program, wanted: string, allowed: Uint8Array | null): readonly number[] {
  return placementsNamed(
    program.placements,
    wanted,
    (_placement, number) => allowed === null || allowed[program.placementChannel[number]!] === 1,
  );
}

/** Positions of the placements that a request names by id, else key, else name, else slot type, among the allowed ones. */
export function placementsNamed<P extends Pick<SnapshotPlacement, 'id' | 'key' | 'name' | 'slotType'>>(
  placements: readonly P[],
  wanted: string,
  isAllowed: (placement: P, position: number) => boolean,
): readonly number[] {
  const kinds: readonly ((placement: P) => boolean)[] = [
    (placement) => placement.id === wanted,
    (placement) => placement.key === wanted,
    (placement) => placement.name === wanted,
    (placement) => placement.slotType === wanted,
  ];
  for (const matches of kinds) {
    const found: number[] = [];
    placements.forEach((placement, number) => {
      if (isAllowed(placement, number) && matches(placement)) found.push(number);
    });
    if (found.length > 0) return found;
  }
  return [];
}

function stop(emptyReason: EmptyTarget, problem: TargetProblem | null): Target {
  return { problem, emptyReason, channels: null, placements: null, slots: null, requested: null, channelView: null };
}

function reference(path: string, what: string): TargetProblem {
  return { code: 'reference_not_found', path, message: `no such ${what}` };
}
