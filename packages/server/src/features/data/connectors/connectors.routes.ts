import type { connectorOperations } from '@arbiter/contract';
import { configVersionHeader, type Handlers, reply } from '../../../http/handler.ts';
import { noContent, recordHandlers } from '../../catalogue/catalogue-records/index.ts';
import {
  type ConnectorPorts,
  changeConnector,
  createConnector,
  deleteConnector,
  showConnectors,
} from './connectors.service.ts';
import { connectorSpec, ofCategory } from './connectors.store.ts';
import { previewConnector, type TestPorts, testConnector } from './tests.service.ts';
import { describedTypes } from './type-list.rules.ts';

/** Handlers of connectors (docs/design/api-catalogue.md 14.2). */
export function connectorRoutes(ports: ConnectorPorts & TestPorts): Handlers<typeof connectorOperations> {
  return {
    ...recordHandlers(connectorSpec, {
      show: showConnectors,
      create: (tx, body) => createConnector(tx, ports, body),
      change: (tx, id, rowVersion, changes) => changeConnector(tx, ports, id, rowVersion, changes),
      remove: (tx, id, addressed) => noContent(deleteConnector(tx, ports, id, addressed)),
      narrow: ({ category }) => (category === undefined ? {} : { where: [ofCategory(category)] }),
    }),
    types: async () => reply(200, { data: [...describedTypes], total: describedTypes.length }),
    test: async (request) => {
      const { result, version } = await testConnector(ports, request, request.body.id);
      return reply(200, result, configVersionHeader(version));
    },
    preview: async (request) => reply(200, await previewConnector(ports, request, request.params.id, request.body)),
  };
}
