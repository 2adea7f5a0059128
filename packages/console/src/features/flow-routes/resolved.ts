import type { FlowRoute } from '@arbiter/contract/catalogue/flow-routes';

type Route = Pick<FlowRoute, 'id' | 'channelId' | 'placementId' | 'decisionFlowId' | 'priority' | 'createdAt'>;

/** A channel, or one of its placements; both null: requests that name neither. */
export interface RoutedPlace {
  readonly channelId: string | null;
  readonly placementId: string | null;
}

export type RouteReason = 'placement' | 'channel' | 'catchAll' | 'fallback';

/** Which flow answers requests for a place, and why. */
export interface ResolvedRoute<R extends Route> {
  readonly reason: RouteReason;
  /** Null: the default flow answers. */
  readonly route: R | null;
  /** More specific routes to flows that can't run. */
  readonly skipped: readonly R[];
}

/** The order among equally specific routes: priority, then the oldest. */
const byRank = (a: Route, b: Route): number =>
  b.priority - a.priority || Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1);

/**
 * Resolves a place as the server does (docs/design/api-decisioning.md 5): the placement's route before the channel's before the
 * one for every request. `canRun`: routes to other flows are skipped.
 */
export function resolveRoute<R extends Route>(
  routes: readonly R[],
  { channelId, placementId }: RoutedPlace,
  canRun: (flowId: string) => boolean,
): ResolvedRoute<R> {
  const levels: readonly (readonly [RouteReason, (route: R) => boolean])[] = [
    ['placement', (route) => placementId !== null && route.placementId === placementId],
    ['channel', (route) => channelId !== null && route.placementId === null && route.channelId === channelId],
    ['catchAll', (route) => route.placementId === null && route.channelId === null],
  ];
  const skipped: R[] = [];
  for (const [reason, applies] of levels) {
    for (const route of routes.filter(applies).toSorted(byRank)) {
      if (canRun(route.decisionFlowId)) return { reason, route, skipped };
      skipped.push(route);
    }
  }
  return { reason: 'fallback', route: null, skipped };
}

/** Returns the route that belongs to exactly this place. */
export const routeOf = <R extends Route>(routes: readonly R[], place: RoutedPlace): R | null =>
  routes.find((route) =>
    place.placementId === null
      ? route.placementId === null && route.channelId === place.channelId
      : route.placementId === place.placementId,
  ) ?? null;
