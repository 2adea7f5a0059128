import type { Json } from '@arbiter/engine';
import { type Members, sameJson } from '../json.ts';
import type { KindRules } from './kind-rules.ts';

/** The route without channel and placement; no key of a channel holds a blank. */
const everyRequest = 'every request';

const isSaid = (value: Json | undefined): value is Json => value !== undefined && value !== null;

/** The channel of a placement as files write it. */
const channelOf = (placement: Json | undefined): Json | undefined =>
  Array.isArray(placement) && placement.length > 1 ? placement[0] : undefined;

/** The channel follows from the placement. */
function shortened(body: Members): Members {
  const { channelId, ...rest } = body;
  const follows = isSaid(body.placementId) && (!isSaid(channelId) || sameJson(channelId, channelOf(body.placementId)));
  return follows ? rest : body;
}

/** Routes are named after what they're for: the placement, the channel, or every request. */
export const flowRouteRules: KindRules = {
  calls: {
    ofRecord({ channelId, placementId }, refOf) {
      const target = placementId ?? channelId;
      return isSaid(target) ? refOf(target) : [everyRequest];
    },
    ofFile({ channelId, placementId }, read) {
      const target = isSaid(placementId) ? placementId : channelId;
      return isSaid(target) ? read(target) : [everyRequest];
    },
  },
  toFile(body, record) {
    const { channelId: _channel, ...rest } = body;
    return isSaid(record.placementId) ? rest : body;
  },
  normalise: shortened,
  problems(body) {
    const { channelId, placementId } = shortened(body);
    return isSaid(placementId) && isSaid(channelId)
      ? [{ pointer: '/channelId', message: 'must be the channel of the placement' }]
      : [];
  },
};
