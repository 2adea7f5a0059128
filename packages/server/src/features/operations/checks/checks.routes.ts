import type { decisionTestRunOperations, policyConflictOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { analyzeConflicts, type CheckPorts, reachOfOffer } from './checks.service.ts';
import { runDecisionTests } from './decision-tests.service.ts';
import { type DraftPorts, draftTest } from './draft-test.service.ts';

export const checkRoutes = (ports: CheckPorts): Handlers<typeof policyConflictOperations> => ({
  analyze: async (request) => {
    const answer = await analyzeConflicts(ports, request, request.body);
    return 'studyId' in answer ? reply(202, answer) : reply(200, answer);
  },
  reach: async (request) => reply(200, await reachOfOffer(ports, request, request.params.id, request.query.flowId)),
});

export const testRunRoutes = (ports: CheckPorts & DraftPorts): Handlers<typeof decisionTestRunOperations> => ({
  draft: async (tx, { params, body }) =>
    reply(200, await draftTest(tx, ports, params.id, { copiesValues: body.copyValues === true })),
  run: async (request) => reply(200, await runDecisionTests(ports, request, request.body)),
});
