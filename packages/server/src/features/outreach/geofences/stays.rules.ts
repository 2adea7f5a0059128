import type { GeofenceEventType } from '@arbiter/contract';

/** What tracking reads of a geofence. */
export interface TrackedGeofence {
  readonly triggerOn: GeofenceEventType;
  readonly dwellMinutes: number | null;
  readonly cooldownMs: number;
}

/** Where a customer is, as of the last sighting. */
export interface StayState {
  readonly isInside: boolean;
  readonly enteredAt: Date | null;
  /** The stay's `dwell` has happened. */
  readonly hasDwelled: boolean;
  readonly lastSeenAt: Date;
  readonly lastFiredAt: Date | null;
}

/** Something that happened at a sighting. */
export interface StayEvent {
  readonly event: GeofenceEventType;
  /** It is the event that the geofence fires on, and the cooldown is over. */
  readonly fires: boolean;
  /** It would have fired but for the cooldown. It is dropped, not postponed. */
  readonly isCooling: boolean;
}

const defaultDwellMinutes = 5;
const minuteMs = 60_000;

/**
 * Follows a customer from one sighting to the next (docs/design/api-catalogue.md 16). `before` null: never seen inside.
 * Sightings must come in order.
 */
export function follow(
  geofence: TrackedGeofence,
  before: StayState | null,
  isInside: boolean,
  at: Date,
): { readonly state: StayState; readonly events: readonly StayEvent[] } {
  const dwellMs = (geofence.dwellMinutes ?? defaultDwellMinutes) * minuteMs;
  const wasInside = before?.isInside ?? false;
  const gapMs = before === null ? 0 : at.getTime() - before.lastSeenAt.getTime();
  const continues = wasInside && gapMs <= Math.max(60 * minuteMs, 2 * dwellMs);
  const enteredAt = !isInside ? null : continues ? (before?.enteredAt ?? at) : at;
  const hadDwelled = isInside && continues && (before?.hasDwelled ?? false);
  const dwells = enteredAt !== null && !hadDwelled && at.getTime() - enteredAt.getTime() >= dwellMs;
  const happened: GeofenceEventType[] = [
    ...(isInside && !wasInside ? (['enter'] as const) : []),
    ...(!isInside && wasInside ? (['exit'] as const) : []),
    ...(dwells ? (['dwell'] as const) : []),
  ];
  const firedAt = before?.lastFiredAt ?? null;
  const isCold = firedAt === null || at.getTime() - firedAt.getTime() >= geofence.cooldownMs;
  const events = happened.map((event) => ({
    event,
    fires: event === geofence.triggerOn && isCold,
    isCooling: event === geofence.triggerOn && !isCold,
  }));
  const lastFiredAt = events.some(({ fires }) => fires) ? at : firedAt;
  return { state: { isInside, enteredAt, hasDwelled: hadDwelled || dwells, lastSeenAt: at, lastFiredAt }, events };
}
