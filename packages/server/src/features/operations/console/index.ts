import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { consoleOperations } from './console.operations.ts';
import type { ConsolePorts } from './console.ports.ts';
import { consoleRoutes } from './console.routes.ts';

export type { ConsolePorts } from './console.ports.ts';
export { createConsoleSite } from './console.site.ts';
export { createDist, readTextOf } from './dist.ts';

export const consoleFeature = feature({
  name: 'console',
  operations: (ports: ConsolePorts) => handlerEntries(consoleOperations, consoleRoutes(ports)),
});
