import { type TriggerCreate, triggerOperations } from '@arbiter/contract';
import type { Database, Tx } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import type { OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import { restorable } from '../../catalogue/catalogue-records/index.ts';
import type { DispatchPorts } from './dispatch.service.ts';
import { eraseFirings } from './firings.store.ts';
import { retainFirings, triggerJobs } from './triggers.jobs.ts';
import { triggerRoutes } from './triggers.routes.ts';
import { createTrigger, type TriggerPorts } from './triggers.service.ts';
import { triggerSpec } from './triggers.store.ts';

export { checkAction } from './actions.service.ts';
export { type DispatchPorts, type DispatchResult, dispatchFiring, type InTransaction } from './dispatch.service.ts';
export { createTriggerConditions, type FirePorts, type Firing, firingsOf, reactTo } from './fire.service.ts';
export { createEventListeners, segmentsWatched } from './listeners.service.ts';
export { actionTransactions, dropResume, enqueueDispatch, enqueueResume } from './triggers.jobs.ts';
export { typesOf } from './triggers.routes.ts';
export { triggersNaming } from './triggers.store.ts';
export { callWebhook, noteCalled, planWebhook, type WebhookCall } from './webhooks.service.ts';

/** Creates a trigger of a pack, which calls nobody. */
export const createPackTrigger = (tx: Tx, body: TriggerCreate) =>
  createTrigger(tx, { envelope: null, outboundRules: noCalls }, body);

const refuse = () => "can't be used in a pack";
/** For the actions of packs, which call nobody. */
export const noCalls: OutboundRules = { urlProblem: refuse, headerProblem: refuse };

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['triggers', 'trigger_secrets', 'trigger_counts', 'trigger_cooldowns', 'trigger_firings'];

export const triggersFeature = feature({
  name: 'triggers',
  tables,
  restores: [restorable(triggerSpec)],
  resets: { empties: ['trigger_firings', 'trigger_cooldowns', 'trigger_counts', 'trigger_secrets', 'triggers'] },
  erases: [
    {
      tables: ['trigger_firings', 'trigger_cooldowns'],
      scopes: ['everything'],
      erase: async (tx, { customerId }) => {
        await eraseFirings(tx, customerId);
        return {};
      },
    },
  ],
  retains: [{ dataClass: 'interactions', counted: 'history', remove: retainFirings }],
  operations: (ports: TriggerPorts) => handlerEntries(triggerOperations, triggerRoutes(ports)),
  jobs: (ports: DispatchPorts & { readonly database: Database }) => triggerJobs(ports),
});
