import { connectorOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type ConnectorPorts, connectorRoutes } from './connectors.routes.ts';
import type { OpenReader } from './reader.ts';

export { noteSync } from './connectors.store.ts';
export type { OpenReader, SourceBatch, SourceReader, SourceRow } from './reader.ts';

/** Opens the source of a connector. No type has a reader yet, which the error's `reason` says. */
export const openReader: OpenReader = async () => {
  throw Object.assign(new Error('no reader for this type'), { reason: 'coming_soon' });
};

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['connectors'];

export const connectorsFeature = feature({
  name: 'connectors',
  tables,
  resets: { empties: tables },
  operations: (ports: ConnectorPorts) => handlerEntries(connectorOperations, connectorRoutes(ports)),
});
