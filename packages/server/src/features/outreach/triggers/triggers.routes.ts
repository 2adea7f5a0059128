import { alsoEvaluatedAs, ingestEventTypes, type triggerOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { newId } from '../../../platform/ids.ts';
import { getRecord, recordHandlers } from '../../catalogue/catalogue-records/index.ts';
import type { CustomerEvent } from '../customer-events/index.ts';
import { tryTrigger } from './fire.service.ts';
import { changeTrigger, createTrigger, showTriggers, type TriggerPorts } from './triggers.service.ts';
import { triggerSpec } from './triggers.store.ts';

/** The types that an event counts as: its own, and what an ingested one stands for. */
export function typesOf(type: CustomerEvent['type']): readonly CustomerEvent['type'][] {
  const ingested = ingestEventTypes.find((known) => known === type);
  return ingested === undefined ? [type] : [type, ...alsoEvaluatedAs[ingested]];
}

/** Handlers of triggers (docs/design/api-access.md 12.2). Deleting one drops its waiting actions. */
export function triggerRoutes(ports: TriggerPorts): Handlers<typeof triggerOperations> {
  return {
    ...recordHandlers(triggerSpec, {
      show: showTriggers,
      create: (tx, body) => createTrigger(tx, ports, body),
      change: (tx, id, rowVersion, changes) => changeTrigger(tx, ports, id, rowVersion, changes),
    }),
    async test(tx, { params, body }) {
      const trigger = await getRecord(tx, triggerSpec, params.id);
      const { type = trigger.eventType, customerId, data = {}, outcome, channel = null, timestamp } = body.event;
      const event: CustomerEvent = {
        ...{ id: newId(), type, customerId, channel, data, depth: 0 },
        timestamp: timestamp === undefined ? tx.now : new Date(timestamp),
        ...(outcome === undefined ? {} : { outcome }),
      };
      return reply(200, await tryTrigger(tx, trigger, event, typesOf(type)));
    },
  };
}
