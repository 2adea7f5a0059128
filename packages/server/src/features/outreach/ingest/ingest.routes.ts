import type { IngestAnswer, ingestOperations } from '@arbiter/contract';
import type { KeyedWork } from '../../../http/binding/keyed-work.ts';
import { type Handlers, replayHeader, reply } from '../../../http/handler.ts';
import { type IngestPorts, ingestEvent } from './ingest.service.ts';

export type IngestRoutePorts = IngestPorts & { readonly keyedWork: KeyedWork };

/** Handler of ingested events (docs/design/api-access.md 12.1). */
export function ingestRoutes(ports: IngestRoutePorts): Handlers<typeof ingestOperations> {
  return {
    async ingest(request) {
      const { answer, isRepeat } = await ports.keyedWork.once<IngestAnswer>(
        request,
        'POST /api/v1/events/ingest',
        { params: {}, body: request.body },
        (work) => ingestEvent(ports, request, request.body, work),
      );
      return reply(200, answer, isRepeat ? replayHeader : undefined);
    },
  };
}
