import type { geofenceOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import type { OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import { recordHandlers } from '../../catalogue/catalogue-records/index.ts';
import type { KeyedHash } from '../../deciding/customer-states/index.ts';
import { checkGeofences } from './check.service.ts';
import { changeGeofence, createGeofence, deleteGeofence, listFirings, showGeofence } from './geofences.service.ts';
import { geofenceSpec } from './geofences.store.ts';

export interface GeofenceRoutePorts {
  readonly customerHash: KeyedHash;
  readonly outboundRules: OutboundRules;
}

/** Handlers of geofences (docs/design/api-catalogue.md 16). */
export function geofenceRoutes({
  customerHash,
  outboundRules,
}: GeofenceRoutePorts): Handlers<typeof geofenceOperations> {
  return {
    ...recordHandlers(geofenceSpec, {
      show: (_tx, rows) => rows.map(showGeofence),
      create: (tx, body) => createGeofence(tx, body, outboundRules),
      change: (tx, id, rowVersion, changes) => changeGeofence(tx, id, rowVersion, changes, outboundRules),
      remove: async (tx, id) => reply(200, await deleteGeofence(tx, id)),
    }),
    async check(tx, { body }) {
      const { customerId = null, track = false, timestamp = null, latitude, longitude } = body;
      return reply(200, await checkGeofences(tx, { customerId, track, timestamp, latitude, longitude }, customerHash));
    },
    events: async (tx, { params, query }) => reply(200, await listFirings(tx, params.id, query)),
  };
}
