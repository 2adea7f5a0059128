import type { notificationOperations, SendResult } from '@arbiter/contract';
import type { KeyedWork } from '../../../http/binding/keyed-work.ts';
import { type Handlers, replayHeader, reply } from '../../../http/handler.ts';
import { kindsOfProviders } from './config.rules.ts';
import {
  changeProvider,
  createProvider,
  getProvider,
  listProviders,
  type ProviderPorts,
  removeProvider,
  showProvider,
} from './providers.service.ts';
import { type SendDeps, sendToMany, testProvider } from './send.service.ts';

/** What the operations of notifications need from outside. */
export type NotificationPorts = ProviderPorts & SendDeps & { readonly keyedWork: KeyedWork };

const kinds = kindsOfProviders.map((kind) => ({ ...kind, fields: [...kind.fields] }));

/** Handlers of destinations and messages. */
export function notificationRoutes(ports: NotificationPorts): Handlers<typeof notificationOperations> {
  return {
    list: async (tx, { query }) => reply(200, { ...(await listProviders(tx, query)), kinds }),
    create: async (tx, { body }) => {
      const { id, kind, name, enabled, createdAt, updatedAt } = showProvider(await createProvider(tx, ports, body));
      return reply(201, { id, kind, name, enabled, createdAt, updatedAt });
    },
    get: async (tx, { params }) => reply(200, showProvider(await getProvider(tx, params.id))),
    change: async (tx, { params, body }) => reply(200, showProvider(await changeProvider(tx, ports, params.id, body))),
    remove: async (tx, { params }) => {
      await removeProvider(tx, params.id);
      return reply(204, null);
    },
    test: async (request) => reply(200, await testProvider(ports, request, request.params.id)),
    send: async (request) => {
      const { providerIds, notification } = request.body;
      const { answer, isRepeat } = await ports.keyedWork.once<{ results: SendResult[] }>(
        request,
        'POST /api/v1/notifications/send',
        { params: {}, body: request.body },
        (work) => sendToMany(ports, request, providerIds, notification, work),
      );
      return reply(200, answer, isRepeat ? replayHeader : undefined);
    },
  };
}
