import type { simulationOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { simulateRecorded } from './recorded.ts';
import { readSubject, wantedFlow } from './simulate.rules.ts';
import {
  cancelSimulation,
  getSimulation,
  listSimulations,
  type SimulationPorts,
  simulateCustomer,
  simulateSegment,
} from './simulations.service.ts';

/** Default number of items in a customer tool. */
const defaultLimit = 20;

export function simulationRoutes(ports: SimulationPorts): Handlers<typeof simulationOperations> {
  return {
    async run(request) {
      const { body } = request;
      if (readSubject(body) === 'segment') {
        const { simulation, isRunning } = await simulateSegment(ports, request, body);
        return isRunning ? reply(202, simulation) : reply(200, simulation);
      }
      const { now, seed, profile, decisionId, customerId = '' } = body;
      if (decisionId !== undefined) {
        return reply(200, await simulateRecorded(ports, request, customerId, decisionId, body));
      }
      const question = {
        asked: body,
        wanted: wantedFlow(body),
        ...(profile === undefined ? {} : { profile }),
        ...(now === undefined ? {} : { now }),
        ...(seed === undefined ? {} : { seed }),
      };
      return reply(200, await simulateCustomer(ports, request, customerId, question));
    },
    list: async (tx, { query }) => reply(200, await listSimulations(tx, query)),
    get: async (tx, { params }) => reply(200, await getSimulation(tx, params.id)),
    cancel: async (tx, { params }) => reply(200, await cancelSimulation(tx, params.id)),
    async ofCustomer(request) {
      const { draft = false, now, ...body } = request.body;
      const question = {
        asked: { ...body, limit: body.limit ?? defaultLimit },
        wanted: wantedFlow({ ...body, version: draft ? 'draft' : 'published' }),
        ...(now === undefined ? {} : { now }),
      };
      return reply(200, await simulateCustomer(ports, request, request.params.customerId, question));
    },
  };
}
