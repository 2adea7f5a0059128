import { type EventPage, type eventOperations, eventPage } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { type Handlers, rawJson, reply } from '../../../http/handler.ts';
import { eventPageText, followEvents, startOf } from './stream.service.ts';
import { createStreamWatch } from './stream-watch.ts';

export interface StreamPorts {
  readonly database: Database;
  /** Every event type that a feature publishes. */
  readonly eventTypes: readonly string[];
}

/** Handler of the tenant's events (docs/design/api-access.md 12.1, docs/adr/0027). */
export function streamRoutes({ database, eventTypes }: StreamPorts): Handlers<typeof eventOperations> {
  const watch = createStreamWatch(database);
  return {
    async stream(request) {
      const proven = watch.credentialChanges();
      const { query, headers, tenantId, actor, requestId, until } = request;
      const lastSeen = headers['Last-Event-ID'];
      // A reconnecting browser sends the original address, and separately how far it came.
      const after = lastSeen === undefined || lastSeen === '' ? (query.after ?? null) : lastSeen;
      const question = { after, topic: query.topic ?? null };
      if (request.wantsEvents) {
        const start = await database.withTenant(tenantId, actor, (tx) => startOf(tx, question, eventTypes), {
          requestId,
          until,
        });
        return reply(200, followEvents({ database, watch }, request, start, proven));
      }
      const limit = Math.min(query.limit ?? eventPage.usual, eventPage.maximum);
      const text = await database.withTenant(
        tenantId,
        actor,
        async (tx) => eventPageText(tx, await startOf(tx, question, eventTypes), limit),
        { requestId, until },
      );
      return reply(200, rawJson<EventPage>(text));
    },
  };
}
