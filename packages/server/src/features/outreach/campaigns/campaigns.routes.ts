import type { campaignOperations, campaignRunOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import type { PrivateFolder } from '../../../platform/private-folder.ts';
import type { FileConfigPorts } from '../../catalogue/channels/index.ts';
import { changeCampaign, createCampaign, listCampaigns, readCampaign, removeCampaign } from './campaigns.service.ts';
import { cancelRun, listResults, listRuns, readFile, readRun, startInline, startRun } from './runs.service.ts';

export const campaignRoutes = (ports: FileConfigPorts): Handlers<typeof campaignOperations> => ({
  list: async (tx, { query }) => reply(200, await listCampaigns(tx, query)),
  create: async (tx, { body }) => reply(201, await createCampaign(tx, body, ports)),
  get: async (tx, { params }) => reply(200, await readCampaign(tx, params.id)),
  update: async (tx, { params, body }) => reply(200, await changeCampaign(tx, params.id, body, ports)),
  delete: async (tx, { params }) => {
    await removeCampaign(tx, params.id);
    return reply(204, null);
  },
});

export interface CampaignRunRoutePorts {
  readonly exportFolder: PrivateFolder;
}

export const campaignRunRoutes = ({ exportFolder }: CampaignRunRoutePorts): Handlers<typeof campaignRunOperations> => ({
  start: async (tx, { params }) => reply(201, await startRun(tx, params.id)),
  startInline: async (tx, { body }) => reply(200, await startInline(tx, body)),
  list: async (tx, { params }) => reply(200, await listRuns(tx, params.id)),
  get: async (tx, { params }) => reply(200, await readRun(tx, params.id, params.runId)),
  cancel: async (tx, { params }) => reply(200, await cancelRun(tx, params.id, params.runId)),
  results: async (tx, { params, query }) => reply(200, await listResults(tx, params.id, params.runId, query)),
  file: async (tx, { params }) => reply(200, await readFile(tx, exportFolder, params.id, params.runId)),
});
