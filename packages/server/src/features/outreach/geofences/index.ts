import { type GeofenceCreate, geofenceOperations } from '@arbiter/contract';
import type { Database, Tx } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { noCalls } from '../triggers/index.ts';
import type { DispatchPorts } from './actions.service.ts';
import { geofenceJobs, retainTracked } from './geofences.jobs.ts';
import { type GeofenceRoutePorts, geofenceRoutes } from './geofences.routes.ts';
import { createGeofence as createWithAction } from './geofences.service.ts';
import { eraseTracked } from './geofences.store.ts';

/** Creates a geofence, for packs. */
export const createGeofence = (tx: Tx, body: GeofenceCreate) => createWithAction(tx, body, noCalls);

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['geofences', 'geofence_events', 'geofence_sightings', 'geofence_states'];

export const geofencesFeature = feature({
  name: 'geofences',
  tables,
  resets: { empties: ['geofence_events', 'geofence_states', 'geofence_sightings', 'geofences'] },
  erases: [
    {
      tables: ['geofence_events', 'geofence_sightings', 'geofence_states'],
      scopes: ['everything'],
      erase: async (tx, { customerId }) => {
        await eraseTracked(tx, customerId);
        return {};
      },
    },
  ],
  retains: [{ dataClass: 'interactions', counted: 'history', remove: retainTracked }],
  operations: (ports: GeofenceRoutePorts) => handlerEntries(geofenceOperations, geofenceRoutes(ports)),
  jobs: (ports: DispatchPorts & { readonly database: Database }) => geofenceJobs(ports),
});
