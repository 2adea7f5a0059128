import type { seedDatasetOperations } from '@arbiter/contract';
import { configVersionHeader, type Handlers, reply } from '../../../http/handler.ts';
import { listDatasets, loadDataset, type SeedPorts, showProgress, unloadDataset } from './seed-datasets.service.ts';
import { uploadRows } from './upload.service.ts';

const headersOf = (version: number | null) => (version === null ? {} : configVersionHeader(version));

/** Handlers of demo data (docs/design/api-access.md 13). */
export function seedDatasetRoutes(ports: SeedPorts): Handlers<typeof seedDatasetOperations> {
  return {
    list: async (tx) => reply(200, await listDatasets(tx)),
    load: async (request) => {
      const { key } = request.params;
      const result = await loadDataset(ports, request, { key, force: request.query.force ?? false });
      if ('conflict' in result) {
        const { conflict: message, currentlyLoaded } = result;
        return reply(409, { status: 'conflict' as const, currentlyLoaded, requestedLoad: key, message });
      }
      const { pack, configVersion } = result;
      const message = `The dataset ${key} was loaded.`;
      return reply(201, { message, counts: pack.counts, datasetKey: key }, headersOf(configVersion));
    },
    unload: async (request) => {
      const { counts, configVersion } = await unloadDataset(ports, request, request.params.key);
      const message = `The dataset ${request.params.key} was removed.`;
      return reply(200, { message, counts }, headersOf(configVersion));
    },
    upload: async (request) => reply(200, await uploadRows(ports, request, request.params.key, request.body)),
    status: async (tx) => reply(200, await showProgress(tx)),
  };
}
