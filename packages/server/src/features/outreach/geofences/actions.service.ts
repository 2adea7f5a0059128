import {
  enrollmentDeduplications,
  type GeofenceActionType,
  geofenceActionKeys,
  triggerActionAliases,
} from '@arbiter/contract';
import { didYouMean, listWords } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { Postponed } from '../../../jobs/index.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import type { OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import { readSettings } from '../../identity/settings/index.ts';
import type { Notifier } from '../../operations/notifications/index.ts';
import { type DecideForJourney, enroll } from '../journeys/index.ts';
import {
  callWebhook,
  checkAction as checkConfig,
  noteCalled,
  planWebhook,
  type WebhookCall,
} from '../triggers/index.ts';
import { type FiringRow, lockUndispatched, selectGeofence, setDispatched } from './geofences.store.ts';

/** What a geofence does when it fires. Empty: nothing. */
export type GeofenceAction = Readonly<Record<string, unknown>>;

const path = '/action';

/**
 * Checks an action and returns it in its stored form, with the type by its own name. Throws 400 with a path, and 400
 * `reference_not_found`.
 */
export async function checkAction(tx: Tx, action: GeofenceAction, rules: OutboundRules): Promise<GeofenceAction> {
  if (Object.keys(action).length === 0) return {};
  const { type: word, ...config } = action;
  const type = typeof word === 'string' ? typeOf(word) : undefined;
  if (type === undefined) {
    const words = Object.keys(geofenceActionKeys);
    throw invalid(`${path}/type`, `must be one of ${listWords(words)}${didYouMean(word, words)}`);
  }
  return { type, ...(await checkConfig(tx, type, config, rules, path, geofenceActionKeys[type])) };
}

const isType = (word: string): word is GeofenceActionType => Object.hasOwn(geofenceActionKeys, word);

function typeOf(word: string): GeofenceActionType | undefined {
  const type = Object.hasOwn(triggerActionAliases, word)
    ? triggerActionAliases[word as keyof typeof triggerActionAliases]
    : word;
  return isType(type) ? type : undefined;
}

export interface DispatchPorts {
  readonly envelope: Envelope | null;
  readonly notifier: Notifier;
  /** Decides for the geofence, in the same batches as `recommend`. */
  readonly decideForGeofence: DecideForJourney;
}

type InTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

type Plan =
  | { readonly kind: 'done' }
  | { readonly kind: 'decide'; readonly call: Parameters<DecideForJourney>[0] }
  | { readonly kind: 'send'; readonly call: WebhookCall };

/**
 * Runs the action of a firing, once: an enrollment is in the transaction that notes it, a decision has the firing's id as
 * its requestId, and a webhook as its `webhook-id`. What the journey or flow can't do anymore is dropped, and so is
 * everything once geofences are off. Throws if it has to be tried again.
 */
export async function dispatchFiring(
  ports: DispatchPorts,
  inTransaction: InTransaction,
  eventId: string,
): Promise<void> {
  const plan = await inTransaction((tx) => planAction(tx, ports, eventId));
  if (plan.kind === 'decide') {
    await ports.decideForGeofence(plan.call).catch(dropRefusal);
    await inTransaction((tx) => setDispatched(tx, eventId));
  }
  if (plan.kind === 'send') await send(ports, inTransaction, eventId, plan.call);
}

async function planAction(tx: Tx, { envelope }: DispatchPorts, eventId: string): Promise<Plan> {
  const firing = await lockUndispatched(tx, eventId);
  if (firing === undefined) return { kind: 'done' };
  const geofence = (await readSettings(tx)).enableGeofences ? await selectGeofence(tx, firing.geofenceId) : undefined;
  const action = geofence?.action ?? {};
  if (action.type === 'recommend') return { kind: 'decide', call: decisionCall(tx, firing, action) };
  if (action.type === 'webhook') {
    const { customerId, geofenceId, event, occurredAt, distance } = firing;
    const call = await planWebhook(tx, envelope, `geofence ${geofenceId}`, action, {
      ...{ id: eventId, type: 'geofence', title: geofence?.name ?? '' },
      message: `${event} of customer ${customerId}`,
      data: { geofenceId, customerId, event, occurredAt: occurredAt.toISOString(), distance },
    });
    return { kind: 'send', call };
  }
  if (action.type === 'journey_enroll') await enrollFor(tx, firing, action);
  await setDispatched(tx, eventId);
  return { kind: 'done' };
}

async function send(
  { notifier }: DispatchPorts,
  inTransaction: InTransaction,
  eventId: string,
  call: WebhookCall,
): Promise<void> {
  const result = await callWebhook(notifier, call);
  if (result.kind === 'held') throw new Postponed(result.seconds);
  const { outcome } = result;
  await inTransaction(async (tx) => {
    if (outcome.ok) await setDispatched(tx, eventId);
    await noteCalled(tx, call, outcome);
  });
  if (!outcome.ok) throw new Error(`the webhook of a geofence failed: ${outcome.error ?? 'failed'}`);
}

async function enrollFor(tx: Tx, { customerId, ...firing }: FiringRow, action: GeofenceAction): Promise<void> {
  const context = { geofenceId: firing.geofenceId, event: firing.event, distance: firing.distance };
  const journeyId = String(action.journeyId);
  const deduplication = enrollmentDeduplications.find((word) => word === action.deduplication);
  await enroll(tx, { journeyId, customerId, context, deduplication }).catch(dropRefusal);
}

/** An action that was valid when it was written may be refused now. Only what may pass is tried again. */
function dropRefusal(error: unknown): void {
  if (!(error instanceof AppError) || error.status >= 500 || error.status === 429) throw error;
}

function decisionCall(tx: Tx, { id, customerId, geofenceId }: FiringRow, action: GeofenceAction) {
  const text = (key: string): string | undefined => (typeof action[key] === 'string' ? action[key] : undefined);
  return {
    tenantId: tx.tenantId,
    customerId,
    decisionFlowKey: text('decisionFlowId') ?? text('decisionFlowKey') ?? '',
    channel: text('channel'),
    channelId: text('channelId'),
    placement: text('placement'),
    limit: typeof action.limit === 'number' ? action.limit : 1,
    source: 'trigger' as const,
    sourceId: geofenceId,
    requestId: id,
  };
}
