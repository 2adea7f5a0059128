import { connectorOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { connectorRoutes } from './connectors.routes.ts';
import type { ConnectorPorts } from './connectors.service.ts';
import type { TestPorts } from './tests.service.ts';

export { updateSynced as noteSync } from './connectors.store.ts';
export { createOpenReader } from './open-reader.ts';
export type { OpenReader, RowKeys, SourceBatch, SourceReader, SourceRow } from './reader.ts';
export { createSources, type Sources } from './sources.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['connectors', 'connector_secrets'];

export const connectorsFeature = feature({
  name: 'connectors',
  tables,
  resets: { empties: ['connector_secrets', 'connectors'] },
  operations: (ports: ConnectorPorts & TestPorts) => handlerEntries(connectorOperations, connectorRoutes(ports)),
});
