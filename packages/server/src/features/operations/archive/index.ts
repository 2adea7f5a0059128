import { archiveOperations, maxArchivesListed } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries, reply } from '../../../http/handler.ts';
import { handleJob } from '../../../jobs/index.ts';
import type { Archive } from '../../deciding/archived-months/index.ts';
import { createSeal } from '../../deciding/sealed-records/index.ts';
import { type ArchivePorts, archiveMonths } from './archive.service.ts';
import { archiveHistoryJob, restoreArchiveJob } from './archive-jobs.ts';
import { listArchives, restorePart, startRestore, verifyArchive } from './restore.service.ts';

export const archiveFeature = feature({
  name: 'archive',
  operations: ({ archive }: { readonly archive: Archive }) =>
    handlerEntries(archiveOperations, {
      list: async (tx, { query }) => reply(200, await listArchives(tx, query, maxArchivesListed)),
      verify: async (tx, { params }) => reply(200, await verifyArchive(tx, archive, params.id)),
      restore: async (tx, { params }) => reply(202, await startRestore(tx, archive, params.id)),
    }),
  jobs: (given: Omit<ArchivePorts, 'seal'>) => {
    const ports = { ...given, seal: createSeal() };
    return [
      handleJob(archiveHistoryJob, (_payload, { tenantId, signal }) => archiveMonths(ports, tenantId, signal)),
      handleJob(restoreArchiveJob, ({ archiveId }, { tenantId, signal }) =>
        restorePart(ports, tenantId, archiveId, signal),
      ),
    ];
  },
});
