import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery, defaultPage } from '../core/pages.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, newestFirst, resource } from '../core/resource.ts';
import { CustomerId, Id, IdText, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { actionSettings } from './triggers.ts';

// Geofences (docs/design/api-catalogue.md 16).

export const geofenceEventTypes = ['enter', 'exit', 'dwell'] as const;
export type GeofenceEventType = (typeof geofenceEventTypes)[number];

export const geofenceStatuses = ['active', 'inactive'] as const;

/** Geofences of a tenant at most. */
export const maxGeofences = 1_000;

const Latitude = Type.Number({ minimum: -90, maximum: 90, description: 'Degrees north. -90 to 90.' });
const Longitude = Type.Number({ minimum: -180, maximum: 180, description: 'Degrees east. -180 to 180.' });

const EventType = (description: string) => StringEnum(geofenceEventTypes, { description });

const { deliver: _, ...recommendSettings } = actionSettings.recommend;
const { providerId, url } = actionSettings.webhook;

/** Settings of each action, as they are read. Webhooks that are signed or have headers are notification destinations. */
const settings = {
  recommend: recommendSettings,
  journey_enroll: actionSettings.journey_enroll,
  webhook: { providerId, url },
};
export type GeofenceActionType = keyof typeof settings;

/** Keys of the actions besides `type`. */
export const geofenceActionKeys: Readonly<Record<GeofenceActionType, readonly string[]>> = {
  recommend: Object.keys(settings.recommend),
  journey_enroll: Object.keys(settings.journey_enroll),
  webhook: Object.keys(settings.webhook),
};

const GeofenceAction = Type.Object(
  Type.Partial(
    Type.Object({
      type: StringEnum(['recommend', 'journey_enroll', 'webhook'], { description: 'What to do.' }),
      ...settings.recommend,
      ...settings.journey_enroll,
      ...settings.webhook,
    }),
  ).properties,
  { description: 'Action to run when the geofence fires. Empty if it only records the event.' },
);

const WrittenAction = JsonObject(
  'What to do when it fires. `type: "recommend"`: `decisionFlowId` or `decisionFlowKey`, `channel` or `channelId`, ' +
    '`placement`, `limit` (default 1). `type: "journey_enroll"`: `journeyId`, `deduplication`. `type: "webhook"`: ' +
    '`providerId` of a notification destination, or `url`. If empty, the event is only recorded.',
);

const writable = {
  name: Name('Name.'),
  description: Type.String({ maxLength: 2000, description: 'What the place is.' }),
  latitude: Latitude,
  longitude: Longitude,
  radiusMeters: Int(1, 1_000_000, 'Radius in meters. 1 to 1,000,000; default 500.'),
  triggerOn: EventType('Which event fires. Default enter.'),
  dwellMinutes: Nullable(Int(1, 10_080, 'Minutes.'), {
    description: 'Minutes inside until `dwell`. 1 to 10,080. Null: 5.',
  }),
  cooldownMs: Int(
    0,
    31_536_000_000,
    'Milliseconds to wait before firing again for the same customer. 0 to 31,536,000,000; default 86,400,000.',
  ),
  action: WrittenAction,
  status: StringEnum(geofenceStatuses, { description: 'Only active geofences match. Default active.' }),
};

/** A circle on the map that something happens in. */
export const Geofence = Type.Object(
  {
    id: Id('ID of the geofence.'),
    tenantId: Id('Tenant.'),
    ...writable,
    action: GeofenceAction,
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A geofence.' },
);
export type Geofence = Static<typeof Geofence>;

const changes = Type.Partial(Type.Object(writable)).properties;

export const GeofenceCreate = Type.Object(
  { ...changes, name: writable.name, latitude: Latitude, longitude: Longitude },
  {
    description: 'A new geofence.',
    examples: [{ name: 'Flagship store', latitude: 52.52, longitude: 13.405, radiusMeters: 150 }],
  },
);
export type GeofenceCreate = Static<typeof GeofenceCreate>;

const geofenceDraft: Draft<GeofenceCreate> = ({ name, marker }) => ({
  name: name('Store'),
  description: `Geofence of ${marker}`,
  latitude: 52.52,
  longitude: 13.405,
  radiusMeters: 250,
  triggerOn: 'dwell',
  dwellMinutes: 10,
  cooldownMs: 60_000,
  action: {},
  status: 'active',
});

const removed = {
  200: {
    description: 'Deleted.',
    schema: Type.Object(
      {
        success: Type.Literal(true, { description: 'Always true.' }),
        id: Id('The deleted geofence.'),
      },
      { description: 'What was deleted.' },
    ),
  },
} as const;

/** Geofences, described once. */
export const geofenceResource = resource({
  entityType: 'geofence',
  name: 'geofences',
  path: 'geofences',
  tag: 'Geofences',
  noun: 'geofence',
  nouns: 'geofences',
  writeRole: 'editor',
  deleteRole: 'admin',
  softDelete: false,
  record: Geofence,
  create: GeofenceCreate,
  draft: geofenceDraft,
  changes,
  page: { usual: maxGeofences, maximum: maxGeofences },
  order: newestFirst,
  search: ['name'],
  filters: { status: Type.Optional(writable.status) },
  queries: {},
  unique: {},
  references: {},
  files: { leftOut: 'their names are not unique, so a file could not say which one it means' },
  removal: removed,
  errors: {
    create: ['limit_reached', 'reference_not_found', 'feature_disabled'],
    update: ['reference_not_found', 'feature_disabled'],
    delete: ['feature_disabled'],
  },
});

const Match = Type.Object(
  {
    geofenceId: Id('Geofence.'),
    geofenceName: Type.String({ description: 'Its name.' }),
    distance: Type.Integer({ description: 'Meters to its center, rounded half up.' }),
    radiusMeters: Type.Integer({ description: 'Its radius in meters.' }),
    action: GeofenceAction,
    triggerOn: EventType('Which event of it fires.'),
    triggered: Type.Optional(Type.Boolean({ description: 'Tracked only: whether it fired.' })),
    insideSince: Type.Optional(Nullable(Timestamp('Instant.'), { description: 'Tracked only: when this stay began.' })),
  },
  { description: 'A geofence that contains the coordinate.' },
);

const TrackedEvent = Type.Object(
  {
    geofenceId: Id('Geofence.'),
    event: EventType('What happened.'),
    triggered: Type.Boolean({ description: 'Whether the geofence fired.' }),
    reason: Type.Optional(
      StringEnum(['cooldown', 'no_action'], {
        description: 'Why not, or why a firing did nothing. Missing for an event that the geofence does not fire on.',
      }),
    ),
  },
  { description: 'A change of the customer.' },
);

const GeofenceCheckAnswer = Type.Object(
  {
    customerId: Nullable(Type.String(), { description: 'As sent, or null.' }),
    latitude: Latitude,
    longitude: Longitude,
    matchCount: Type.Integer({ description: 'Number of matches.' }),
    matches: Type.Array(Match, { description: 'By distance, then ID.' }),
    events: Type.Optional(
      Type.Array(TrackedEvent, { description: 'Tracked only: what changed for the customer, exits included.' }),
    ),
  },
  { description: 'Active geofences that contain the coordinates.' },
);
export type GeofenceCheckAnswer = Static<typeof GeofenceCheckAnswer>;

const GeofenceEvent = Type.Object(
  {
    id: Id('ID of the event.'),
    geofenceId: Id('Geofence.'),
    customerId: CustomerId(),
    event: EventType('What fired.'),
    occurredAt: Timestamp('When it happened.'),
    distance: Type.Integer({ description: 'Meters to the center. The coordinate itself is never stored.' }),
  },
  { description: 'A firing of a geofence.' },
);
export type GeofenceEvent = Static<typeof GeofenceEvent>;

const common = {
  tag: 'Geofences',
  auth: 'credential',
  transaction: 'tenant',
  role: 'viewer',
  audit: [],
} as const;

/** Geofences. */
export const geofenceOperations = {
  ...recordOperations(geofenceResource),
  check: operation({
    ...common,
    id: 'geofences.check',
    method: 'POST',
    path: '/api/v1/geofences/check',
    summary: 'Find the geofences around a coordinate',
    description:
      'Stores nothing, unless `track` is true. Coordinates are never stored. With `enableGeofences` off, nothing matches.',
    loadClass: 'decision',
    body: Type.Object(
      {
        latitude: Latitude,
        longitude: Longitude,
        customerId: Type.Optional(Nullable(CustomerId(), { description: 'Your own ID of the customer.' })),
        track: Type.Optional(
          Type.Boolean({
            description:
              'True: updates where the customer is, and fires `enter`, `exit` and `dwell`. Requires customerId. Default false.',
          }),
        ),
        timestamp: Type.Optional(Timestamp('When the customer was there. From 1970 to 24 hours ahead. Default now.')),
      },
      {
        description: 'A sighting.',
        examples: [{ latitude: 52.52, longitude: 13.405, customerId: 'C-1001' }],
      },
    ),
    responses: {
      200: {
        description: 'Matches.',
        schema: GeofenceCheckAnswer,
      },
    },
    errors: [],
  }),
  events: operation({
    ...common,
    id: 'geofences.events',
    method: 'GET',
    path: '/api/v1/geofences/{id}/events',
    summary: 'List firings, newest first',
    loadClass: 'crud',
    params: Type.Object({ id: IdText('ID of the geofence.') }, { description: 'The geofence.' }),
    query: Type.Object(
      { ...cursorQuery(defaultPage), customerId: Type.Optional(CustomerId('Customer to list.')) },
      { description: 'Page and filter.' },
    ),
    responses: { 200: { description: 'A page of firings.', schema: cursorPage(GeofenceEvent) } },
    errors: ['not_found', 'invalid_cursor'],
  }),
};
