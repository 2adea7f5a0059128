import { campaignOperations, campaignRunOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import type { FileConfigPorts } from '../../catalogue/channels/index.ts';
import { campaignJobs, retainRuns } from './campaigns.jobs.ts';
import { type CampaignRunRoutePorts, campaignRoutes, campaignRunRoutes } from './campaigns.routes.ts';
import type { ChunkDesk, ExecutePorts } from './execute.service.ts';
import { eraseCustomer } from './results.store.ts';
import { enqueueFile } from './run-jobs.ts';

export { selectNamingSegment as campaignsNamingSegment } from './campaigns.store.ts';
export { createRunChunks } from './chunks/run-chunk.ts';
export { startDueCampaigns } from './due.service.ts';
export type { ChunkDesk };

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['campaigns', 'campaign_runs', 'campaign_run_items', 'campaign_members', 'campaign_results'];

export const campaignsFeature = feature({
  name: 'campaigns',
  tables,
  // A chunk in progress finds that its run is gone, and can't commit.
  resets: { empties: ['campaign_results', 'campaign_members', 'campaign_run_items', 'campaign_runs', 'campaigns'] },
  erases: [
    {
      tables: ['campaign_members', 'campaign_results'],
      scopes: ['all', 'everything'],
      erase: async () => ({}),
      async later(tx, { customerId }) {
        const runIds = await eraseCustomer(tx, customerId);
        for (const runId of runIds) await enqueueFile(tx, runId);
        return runIds.length > 0 ? ['exports'] : [];
      },
    },
  ],
  retains: [{ dataClass: 'decisions', counted: 'decisions', remove: retainRuns }],
  operations: (ports: CampaignRunRoutePorts & FileConfigPorts) => [
    ...handlerEntries(campaignOperations, campaignRoutes(ports)),
    ...handlerEntries(campaignRunOperations, campaignRunRoutes(ports)),
  ],
  jobs: (ports: ExecutePorts) => campaignJobs(ports),
});
