import type { estimateOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { previewImpact } from './impact-preview.service.ts';
import { estimateReach, type ReachPorts } from './reach-estimate.service.ts';

export function estimateRoutes(ports: ReachPorts): Handlers<typeof estimateOperations> {
  return {
    impactPreview: async (tx, { body }) => reply(200, await previewImpact(tx, body, ports.segmentsAmong)),
    reachEstimate: async (tx, { body }) => reply(200, await estimateReach(tx, body, ports)),
  };
}
