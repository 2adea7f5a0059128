import type { DecisionRequest } from '../plan/input.ts';
import type { Program } from '../plan/program.ts';
import type { KnownTarget, KnownTargets } from '../plan/target.ts';
import { findTarget } from './target.ts';

/** For each of them a match stage may keep a number per offer. */
const maxTargets = 32;

export function noTargets(): KnownTargets {
  return { anywhere: null, byChannel: new Map(), byChannelId: new Map(), byChannelIds: new Map(), count: 0 };
}

export function knownTarget(program: Program, known: KnownTargets, request: DecisionRequest): KnownTarget {
  const { channel, channelId, placement, placements } = request;
  if (placement !== null || placements !== null || (channel !== null && channelId !== null))
    return { target: findTarget(program, request), number: -1 };
  const several = request.channelIds?.join(',');
  const before =
    channelId !== null
      ? known.byChannelId.get(channelId)
      : channel !== null
        ? known.byChannel.get(channel)
        : several !== undefined
          ? known.byChannelIds.get(several)
          : known.anywhere;
  if (before !== undefined && before !== null) return before;
  const target = findTarget(program, request);
  // A request without a channel of the plan isn't cached, because there's no end to such names.
  if (target.emptyReason !== null || target.problem !== null || known.count === maxTargets)
    return { target, number: -1 };
  const found: KnownTarget = { target, number: known.count };
  known.count += 1;
  if (channelId !== null) known.byChannelId.set(channelId, found);
  else if (channel !== null) known.byChannel.set(channel, found);
  else if (several !== undefined) known.byChannelIds.set(several, found);
  else known.anywhere = found;
  return found;
}
