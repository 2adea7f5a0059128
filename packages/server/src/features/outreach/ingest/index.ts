import { ingestOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { customerEvent } from './ingest.events.ts';
import { type IngestRoutePorts, ingestRoutes } from './ingest.routes.ts';

export const ingestFeature = feature({
  name: 'ingest',
  events: [customerEvent],
  operations: (ports: IngestRoutePorts) => handlerEntries(ingestOperations, ingestRoutes(ports)),
});
