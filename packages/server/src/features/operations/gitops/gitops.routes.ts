import type { gitopsOperations } from '@arbiter/contract';
import { configVersionHeader, type Handlers, reply } from '../../../http/handler.ts';
import { applyFiles, exportFiles, type GitopsPorts, planFiles, tellDrift } from './gitops.service.ts';

export const gitopsRoutes = (ports: GitopsPorts): Handlers<typeof gitopsOperations> => ({
  export: async (request) => reply(200, await exportFiles(ports, request)),
  diff: async (request) => reply(200, await planFiles(ports, request, request.body)),
  apply: async (request) => {
    const applied = await applyFiles(ports, request, request.body);
    return reply(200, applied, configVersionHeader(applied.configVersion));
  },
  drift: async (request) => reply(200, await tellDrift(ports, request)),
});
