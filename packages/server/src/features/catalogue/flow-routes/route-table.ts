import { type DecisionRequest, placementsNamed } from '@arbiter/engine';
import type { LiveRoute } from './flow-routes.store.ts';

/** The channels and placements of a tenant, as far as routes look at them. */
export interface RoutePlaces {
  /** Active ones. */
  readonly channels: readonly { readonly id: string; readonly channelType: string }[];
  readonly placements: readonly {
    readonly id: string;
    readonly channelId: string;
    readonly key: string;
    readonly name: string;
    readonly slotType: string;
  }[];
  /** Not active, or of a channel that is not; a request may name them by id. */
  readonly inactivePlacements: readonly { readonly id: string; readonly channelId: string }[];
}

/** What a request says of where it wants items. */
export type RouteRequest = Pick<DecisionRequest, 'channel' | 'channelId' | 'placement' | 'placements'>;

/** Which flow runs for requests that name none. */
export interface RouteTable {
  /** ID of the flow, or null when no route takes the request. */
  flowFor(request: RouteRequest): string | null;
}

const noRoutes: RouteTable = { flowFor: () => null };

/**
 * The table of these routes (docs/design/api-decisioning.md 5): channel and placement before channel before catch-all, then
 * priority, then the oldest. Made with the catalogue, so that a request costs look-ups in memory and no trip.
 * `canRun`: routes to other flows are passed over.
 */
export function routeTable(
  routes: readonly LiveRoute[],
  places: RoutePlaces,
  canRun: (flowId: string) => boolean,
): RouteTable {
  const byPlacement = new Map<string, LiveRoute>();
  const byChannel = new Map<string, LiveRoute>();
  let catchAll: LiveRoute | null = null;
  for (const route of routes.filter(({ decisionFlowId }) => canRun(decisionFlowId)).sort(byRank)) {
    if (route.placementId !== null) keepFirst(byPlacement, route.placementId, route);
    else if (route.channelId !== null) keepFirst(byChannel, route.channelId, route);
    else catchAll ??= route;
  }
  if (byPlacement.size + byChannel.size === 0) {
    const flowId = catchAll?.decisionFlowId ?? null;
    return flowId === null ? noRoutes : { flowFor: () => flowId };
  }
  const channelOf = new Map([...places.inactivePlacements, ...places.placements].map((p) => [p.id, p.channelId]));
  return {
    flowFor(request) {
      const { placements, channels } = named(request, places, channelOf);
      const route = best(byPlacement, placements) ?? best(byChannel, channels) ?? catchAll;
      return route?.decisionFlowId ?? null;
    },
  };
}

const byRank = (a: LiveRoute, b: LiveRoute): number =>
  b.priority - a.priority || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

function keepFirst(routes: Map<string, LiveRoute>, id: string, route: LiveRoute): void {
  if (!routes.has(id)) routes.set(id, route);
}

function best(routes: ReadonlyMap<string, LiveRoute>, ids: readonly string[]): LiveRoute | null {
  let found: LiveRoute | null = null;
  for (const id of ids) {
    const route = routes.get(id);
    if (route !== undefined && (found === null || byRank(route, found) < 0)) found = route;
  }
  return found;
}

/** IDs that a request names; of several placements the first decides. */
function named(
  request: RouteRequest,
  { channels, placements }: RoutePlaces,
  channelOf: ReadonlyMap<string, string>,
): { readonly placements: readonly string[]; readonly channels: readonly string[] } {
  const [first] = request.placements ?? [];
  if (first !== undefined) {
    const channelId = channelOf.get(first.placementId);
    return { placements: [first.placementId], channels: channelId === undefined ? [] : [channelId] };
  }
  const wanted =
    request.channelId !== null
      ? [request.channelId]
      : request.channel === null
        ? null
        : channels.filter(({ channelType }) => channelType === request.channel).map(({ id }) => id);
  if (request.placement !== null) {
    const found = placementsNamed(
      placements,
      request.placement,
      ({ channelId }) => wanted === null || wanted.includes(channelId),
    ).map((position) => placements[position]!);
    if (found.length > 0) {
      return { placements: found.map(({ id }) => id), channels: found.map(({ channelId }) => channelId) };
    }
  }
  return { placements: [], channels: wanted ?? [] };
}
