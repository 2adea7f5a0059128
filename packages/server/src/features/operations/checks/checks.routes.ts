import type { policyConflictOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { analyzeConflicts, type CheckPorts, reachOfOffer } from './checks.service.ts';

export const checkRoutes = (ports: CheckPorts): Handlers<typeof policyConflictOperations> => ({
  analyze: async (request) => reply(200, await analyzeConflicts(ports, request, request.body)),
  reach: async (request) => reply(200, await reachOfOffer(ports, request, request.params.id, request.query.flowId)),
});
