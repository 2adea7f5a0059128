import { connectorTypeInfo } from '@arbiter/contract';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import { type Source, type SourceDeps, type SourceKind, textOf } from '../source.ts';
import { type PagedApi, readPage, readPages } from './paged-api.ts';
import { pagesOfService, serviceOf } from './service-apis.ts';

function apiOf({ endpoints }: SourceDeps, source: Source, most?: number): PagedApi {
  const service = serviceOf(source.type);
  if (service === undefined) throw new SourceError('driver_missing');
  const { resources = [''] } = connectorTypeInfo(source.type);
  const resource = textOf(source, 'resource') ?? resources[0];
  if (!resources.includes(resource)) throw new SourceError('missing_config');
  const base = endpoints[source.type] ?? service.base(source);
  return pagesOfService(service, source, resource, { base, ...(most === undefined ? {} : { most }) });
}

/** Providers whose lists `service-apis.ts` describes. */
export const serviceSource: SourceKind = {
  async probe(deps, source, signal) {
    const api = apiOf(deps, source, 1);
    await readPage(deps.outbound, api, api.first, signal, { tries: 1 });
    return { details: {} };
  },
  open: (deps, source) => ({
    isResumable: true,
    async *read(options) {
      yield* readPages(deps.outbound, apiOf(deps, source), options);
    },
    committed: async () => undefined,
    close: async () => undefined,
  }),
};
