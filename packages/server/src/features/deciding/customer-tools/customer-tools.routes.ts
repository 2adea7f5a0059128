import type { customerToolOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { type CustomerToolPorts, readEligibility } from './eligibility.service.ts';
import { readProfile } from './profile.service.ts';

export const customerToolRoutes = (ports: CustomerToolPorts): Handlers<typeof customerToolOperations> => ({
  eligibility: async (request) =>
    reply(200, await readEligibility(ports, request, request.params.customerId, request.query)),
  profile: async (request) => reply(200, await readProfile(ports, request, request.params.customerId, request.query)),
});
