import type { GeofenceCheckAnswer } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { invalid } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { erasedAt, type KeyedHash } from '../../deciding/customer-states/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { type Coordinate, metersBetween, wholeMeters } from './distance.rules.ts';
import { enqueueDispatch } from './geofences.jobs.ts';
import {
  type ActiveGeofence,
  type FiringRow,
  insertFirings,
  noteSighting,
  selectActive,
  selectStates,
  upsertStates,
} from './geofences.store.ts';
import { follow, type StayState } from './stays.rules.ts';

export interface Sighting extends Coordinate {
  readonly customerId: string | null;
  readonly track: boolean;
  /** Null: now. */
  readonly timestamp: string | null;
}

/** A geofence with where the sighting is. */
interface Located {
  readonly geofence: ActiveGeofence;
  readonly meters: number;
  readonly isInside: boolean;
}

const dayMs = 86_400_000;

/**
 * Finds the active geofences around a coordinate. `track`: also follows the customer, and queues the actions of what
 * fires, in this transaction (docs/design/api-catalogue.md 16). Throws 400 for a timestamp before 1970 or over 24 hours
 * ahead, and for tracking nobody.
 */
export async function checkGeofences(tx: Tx, sighting: Sighting, hash: KeyedHash): Promise<GeofenceCheckAnswer> {
  const { customerId, latitude, longitude, track, timestamp } = sighting;
  const at = timestamp === null ? tx.now : new Date(timestamp);
  if (at.getTime() < 0 || at.getTime() > tx.now.getTime() + dayMs) {
    throw invalid('/timestamp', 'must be between 1970 and 24 hours from now');
  }
  if (track && customerId === null) throw invalid('/customerId', 'is required to track');
  const isEnabled = (await readSettings(tx)).enableGeofences;
  const located = (isEnabled ? await selectActive(tx) : []).map((geofence): Located => {
    const meters = metersBetween(sighting, geofence);
    return { geofence, meters, isInside: meters <= geofence.radiusMeters };
  });
  const tracked =
    track && customerId !== null && isEnabled && !(await isErased(tx, customerId, timestamp, hash))
      ? await trackCustomer(tx, customerId, located, at)
      : nothingTracked;
  const matches = located
    .filter(({ isInside }) => isInside)
    // Stored in id order, so that sorting keeps it for equal distances.
    .sort((a, b) => a.meters - b.meters)
    .map(({ geofence, meters }) => ({
      geofenceId: geofence.id,
      geofenceName: geofence.name,
      distance: wholeMeters(meters),
      radiusMeters: geofence.radiusMeters,
      action: { ...geofence.action },
      triggerOn: geofence.triggerOn,
      ...(track
        ? {
            triggered: tracked.firings.some(({ geofenceId }) => geofenceId === geofence.id),
            insideSince: tracked.states.get(geofence.id)?.enteredAt?.toISOString() ?? null,
          }
        : {}),
    }));
  const answer = { customerId, latitude, longitude, matchCount: matches.length, matches };
  return track ? { ...answer, events: [...tracked.events] } : answer;
}

/** True for a sighting from before the customer's erasure, which must not bring the customer back. */
async function isErased(tx: Tx, customerId: string, timestamp: string | null, hash: KeyedHash): Promise<boolean> {
  if (timestamp === null) return false;
  const erased = await erasedAt(tx, hash.all(tx.tenantId, customerId));
  return erased !== null && new Date(timestamp) <= erased;
}

type TrackedEvent = NonNullable<GeofenceCheckAnswer['events']>[number];

interface Tracked {
  readonly states: ReadonlyMap<string, StayState>;
  readonly events: readonly TrackedEvent[];
  readonly firings: readonly FiringRow[];
}

const nothingTracked: Tracked = { states: new Map(), events: [], firings: [] };

/** Follows a customer through all active geofences. A sighting older than the last one changes nothing. */
async function trackCustomer(tx: Tx, customerId: string, located: readonly Located[], at: Date): Promise<Tracked> {
  if (!(await noteSighting(tx, customerId, at)))
    return { ...nothingTracked, states: await selectStates(tx, customerId) };
  const before = await selectStates(tx, customerId);
  const states = new Map<string, StayState>();
  const events: TrackedEvent[] = [];
  const firings: FiringRow[] = [];
  const dispatched: string[] = [];
  for (const { geofence, meters, isInside } of located) {
    const known = before.get(geofence.id) ?? null;
    // Where the customer has never been, nothing can happen.
    if (known === null && !isInside) continue;
    const followed = follow(geofence, known, isInside, at);
    states.set(geofence.id, followed.state);
    for (const { event, fires, isCooling } of followed.events) {
      const isIdle = Object.keys(geofence.action).length === 0;
      const reason = isCooling ? 'cooldown' : fires && isIdle ? 'no_action' : null;
      events.push({ geofenceId: geofence.id, event, triggered: fires, ...(reason === null ? {} : { reason }) });
      if (!fires) continue;
      const firing = { id: newId(), geofenceId: geofence.id, customerId, event, occurredAt: at };
      firings.push({ ...firing, distance: wholeMeters(meters) });
      if (!isIdle) dispatched.push(firing.id);
    }
  }
  await upsertStates(
    tx,
    customerId,
    [...states].map(([geofenceId, state]) => ({ geofenceId, ...state })),
  );
  await insertFirings(tx, firings);
  for (const id of dispatched) await enqueueDispatch(tx, id);
  return { states, events, firings };
}
