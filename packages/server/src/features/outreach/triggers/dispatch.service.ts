import { enrollmentDeduplications } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import { isObject } from '../../../platform/json.ts';
import type { Notifier } from '../../operations/notifications/index.ts';
import { noteCaused } from '../customer-events/index.ts';
import { queueDelivery } from '../deliveries/index.ts';
import { type DecideForJourney, enroll, setAttributes } from '../journeys/index.ts';
import { type FiringRow, lockFiring, settleFiring } from './firings.store.ts';
import { openConfig } from './secrets.service.ts';
import { callWebhook, noteCalled, planWebhook, type WebhookCall } from './webhooks.service.ts';

export interface DispatchPorts {
  readonly envelope: Envelope | null;
  readonly notifier: Notifier;
  /** Decides for a trigger, in the same batches as `recommend`. */
  readonly decideForTrigger: DecideForJourney;
}

/** Runs work in a transaction of the tenant. */
export type InTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** The result of an action. */
export type DispatchResult =
  | { readonly kind: 'done' }
  /** An earlier action of the customer comes first. */
  | { readonly kind: 'behind' }
  /** The destination was not tried: it's busy, or failed too often. */
  | { readonly kind: 'held'; readonly seconds: number; readonly error: string }
  /** `isFinal`: trying again would not help. */
  | { readonly kind: 'failed'; readonly error: string; readonly isFinal: boolean };

type DecisionCall = Parameters<DecideForJourney>[0];

/** What an action does outside of a transaction. */
type Plan =
  | { readonly kind: 'settled'; readonly result: DispatchResult }
  | { readonly kind: 'decide'; readonly call: DecisionCall; readonly deliver: boolean; readonly depth: number }
  | { readonly kind: 'send'; readonly call: WebhookCall; readonly ageSeconds: number };

const done: DispatchResult = { kind: 'done' };

/**
 * Runs the action of a firing, as its trigger is set now. Enrollments and attributes are in the transaction that settles
 * the firing, a decision has the firing's id as its requestId, and a webhook has it as its `webhook-id`: however often it
 * is called, they happen once, or are known to be the same.
 */
export async function dispatchFiring(
  ports: DispatchPorts,
  inTransaction: InTransaction,
  firingId: string,
): Promise<DispatchResult> {
  try {
    const plan = await inTransaction((tx) => planAction(tx, ports, firingId));
    switch (plan.kind) {
      case 'settled':
        return plan.result;
      case 'decide':
        return await decide(ports, inTransaction, firingId, plan);
      case 'send':
        return await send(ports, inTransaction, firingId, plan);
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // 429 and 5xx may pass.
    const isFinal = error.status < 500 && error.status !== 429;
    await inTransaction((tx) => settleFiring(tx, firingId, isFinal ? 'failed' : 'retrying', error.code));
    return { kind: 'failed', error: error.code, isFinal };
  }
}

async function planAction(tx: Tx, ports: DispatchPorts, firingId: string): Promise<Plan> {
  const firing = await lockFiring(tx, firingId);
  const settled = (result: DispatchResult): Plan => ({ kind: 'settled', result });
  if (firing === undefined || firing.status === 'done' || firing.status === 'failed') return settled(done);
  if (firing.status === 'pending' && firing.isBehind) return settled({ kind: 'behind' });
  const { action } = firing;
  if (action === null) {
    await settleFiring(tx, firingId, 'failed', 'trigger_deleted');
    return settled({ kind: 'failed', error: 'trigger_deleted', isFinal: true });
  }
  const { actionConfig: config, name } = action;
  switch (action.actionType) {
    case 'recommend':
      await noteCaused(tx, [firingId], firing.depth);
      return {
        kind: 'decide',
        call: decisionCall(tx, firing, config),
        deliver: config.deliver === true,
        depth: firing.depth,
      };
    case 'webhook':
      return webhookOf(tx, ports, firing, { id: firing.triggerId, name, actionConfig: config });
    case 'journey_enroll': {
      const { customerId, event, depth } = firing;
      const deduplication = enrollmentDeduplications.find((word) => word === config.deduplication);
      const context = event?.data ?? {};
      // The journey counts itself.
      await enroll(tx, { journeyId: String(config.journeyId), customerId, context, deduplication, depth: depth - 1 });
      break;
    }
    case 'update_attribute': {
      const set = isObject(config.set) ? config.set : {};
      await setAttributes(tx, String(config.schemaId), firing.customerId, set, firing.depth);
    }
  }
  await settleFiring(tx, firingId, 'done', null);
  return settled(done);
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function decisionCall(tx: Tx, firing: FiringRow, config: Readonly<Record<string, unknown>>): DecisionCall {
  return {
    tenantId: tx.tenantId,
    customerId: firing.customerId,
    // Requests name flows by key or id.
    decisionFlowKey: text(config.decisionFlowId) ?? text(config.decisionFlowKey) ?? '',
    channel: text(config.channel),
    channelId: text(config.channelId),
    placement: text(config.placement),
    limit: typeof config.limit === 'number' ? config.limit : 1,
    source: 'trigger',
    sourceId: firing.triggerId,
    requestId: firing.id,
  };
}

async function decide(
  { decideForTrigger }: DispatchPorts,
  inTransaction: InTransaction,
  firingId: string,
  { call, deliver, depth }: Extract<Plan, { kind: 'decide' }>,
): Promise<DispatchResult> {
  const { recommendationId, items } = await decideForTrigger(call);
  await inTransaction(async (tx) => {
    for (const { offerId, creativeId, channelId, rank } of deliver ? items : []) {
      // An item without a channel has no content to send.
      if (channelId === null) continue;
      const origin = { source: 'trigger', triggerId: call.sourceId } as const;
      const about = { customerId: call.customerId, offerId, creativeId, channelId, recommendationId };
      const id = await queueDelivery(tx, { ...about, origin, effectKey: `trigger ${firingId} ${rank}` });
      await noteCaused(tx, [id], depth);
    }
    await settleFiring(tx, firingId, 'done', null);
  });
  return done;
}

/** Reads the URL and secrets as they are now: a trigger that was corrected heals its failed webhooks. */
async function webhookOf(
  tx: Tx,
  { envelope }: DispatchPorts,
  firing: FiringRow,
  trigger: { readonly id: string; readonly name: string; readonly actionConfig: Readonly<Record<string, unknown>> },
): Promise<Plan> {
  const config = await openConfig(tx, envelope, trigger);
  const { customerId, eventId, event } = firing;
  const call = await planWebhook(tx, envelope, `trigger ${trigger.id}`, config, {
    id: firing.id,
    type: 'trigger',
    title: trigger.name,
    message: `${event?.type ?? 'event'} of customer ${customerId}`,
    data: { triggerId: trigger.id, eventId, customerId, event },
  });
  return { kind: 'send', call, ageSeconds: (tx.now.getTime() - firing.createdAt.getTime()) / 1_000 };
}

/** Longest time that a firing waits for a destination that's busy or open. */
const maxHeldSeconds = 600;

async function send(
  { notifier }: DispatchPorts,
  inTransaction: InTransaction,
  firingId: string,
  { call, ageSeconds }: Extract<Plan, { kind: 'send' }>,
): Promise<DispatchResult> {
  const result = await callWebhook(notifier, call);
  if (result.kind === 'held') {
    // A long backlog must not come back every few seconds.
    return { ...result, seconds: Math.max(result.seconds, Math.min(maxHeldSeconds, ageSeconds / 2)) };
  }
  const { outcome } = result;
  await inTransaction(async (tx) => {
    await settleFiring(tx, firingId, outcome.ok ? 'done' : 'retrying', outcome.error);
    await noteCalled(tx, call, outcome);
  });
  return outcome.ok ? done : { kind: 'failed', error: outcome.error ?? 'failed', isFinal: false };
}
