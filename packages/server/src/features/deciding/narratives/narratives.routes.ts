import type { narrativeOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { type NarrativePorts, writeNarrative } from './narratives.service.ts';

export function narrativeRoutes(ports: NarrativePorts): Handlers<typeof narrativeOperations> {
  return {
    async write(request) {
      const { mode = 'regulator', noCache = false } = request.body;
      return reply(200, await writeNarrative(ports, request, request.params.id.toLowerCase(), { mode, noCache }));
    },
  };
}
