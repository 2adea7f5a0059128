import type { DeliveryStatus } from '@arbiter/contract';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { Postponed, type TenantJobRun } from '../../../jobs/index.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import { readSendingChannel, type SendingChannel } from '../../catalogue/channels/index.ts';
import { readCustomerProfile } from '../../catalogue/schemas/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { addressOf } from './content.rules.ts';
import { publishUpdates } from './deliveries.events.ts';
import { type DeliveryRow, lockDelivery, updateDelivery } from './deliveries.store.ts';
import { applyEarlyReports } from './early.service.ts';
import { showDelivery } from './list.service.ts';
import { idempotentProviders, type MessageContent, type OutgoingDelivery, type SendOutcome } from './message.ts';
import { renderMessage } from './render.service.ts';
import type { DeliverySender } from './sender.ts';
import { furthest } from './status.rules.ts';

export interface SendDeps {
  readonly database: Database;
  readonly envelope: Envelope | null;
  readonly deliverySender: DeliverySender;
  /** Called when a delivery changes its status. */
  readonly onDelivery: (status: DeliveryStatus) => void;
}

/** A try failed. The text contains no address and nothing that the provider said. The queue stores its end. */
class DeliveryError extends Error {
  constructor(error: string, retryAfterSeconds: number | null) {
    super(`not delivered: ${error}${retryAfterSeconds === null ? '' : `; retry after ${retryAfterSeconds} s`}`);
    this.name = 'DeliveryError';
  }
}

const actor = systemActor('delivery.send');

/** Deliveries are frequent and find rows by key, so their statements are prepared. */
const inTransaction = <T>(database: Database, tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  database.withTenant(tenantId, actor, work, { prepares: true });

/** A message that is ready, or why it can't be sent. */
type PreparedMessage =
  | { readonly kind: 'ready'; readonly channel: SendingChannel; readonly message: OutgoingDelivery }
  | { readonly kind: 'over'; readonly messageId: string | null }
  | { readonly kind: 'wait'; readonly seconds: number };

/**
 * Tries once to send a queued delivery. Does nothing for one that was sent or erased. Throws, so that the queue tries
 * again, if the provider may accept it later; after the last attempt it fails and leaves a dead letter. Throws `Postponed`,
 * which doesn't count as an attempt, while its destination has to wait.
 */
export async function sendDelivery(
  deps: SendDeps,
  id: string,
  { tenantId, attempt }: Pick<TenantJobRun, 'tenantId' | 'attempt'>,
  maxAttempts: number,
): Promise<void> {
  const prepared = await inTransaction(deps.database, tenantId, (tx) => prepare(tx, deps, id));
  if (prepared.kind === 'over') {
    // The process may have ended between storing the id and applying what came before it.
    if (prepared.messageId !== null) await applyEarlyReports(deps, prepared.messageId);
    return;
  }
  if (prepared.kind === 'wait') throw new Postponed(prepared.seconds);
  const { channel, message } = prepared;
  const config = channel.config ?? {};
  const outcome = await deps.deliverySender.send({ tenantId, channelId: channel.id }, config, message);
  const isLast = attempt >= maxAttempts;
  const again = await inTransaction(deps.database, tenantId, (tx) => noteOutcome(tx, deps, id, outcome, isLast));
  if (outcome.kind === 'sent') await applyEarlyReports(deps, outcome.messageId);
  if (again) throw new DeliveryError(errorOf(outcome) ?? 'failed', retryAfterOf(outcome));
}

const errorOf = (outcome: SendOutcome): string | null => (outcome.kind === 'sent' ? null : outcome.error);
const retryAfterOf = (outcome: SendOutcome): number | null =>
  outcome.kind === 'refused' ? outcome.retryAfterSeconds : null;

/** True for one that a job may still send: queued, or failed without having reached the provider. */
const isOpen = ({ status, error, providerMessageId }: DeliveryRow): boolean =>
  status === 'queued' || (status === 'failed' && providerMessageId === null && error !== 'doubtful');

/** Marks the try, so that a process that ends during it leaves a trace. */
async function prepare(tx: Tx, deps: SendDeps, id: string): Promise<PreparedMessage> {
  const row = await lockDelivery(tx, id);
  if (row === undefined || !isOpen(row)) return { kind: 'over', messageId: row?.providerMessageId ?? null };
  if (row.tryingSince !== null && !mayRepeat(row)) return fail(tx, deps, row, 'doubtful');
  const channel = await readSendingChannel(tx, deps.envelope, row.channelId);
  const problem = channelProblem(channel);
  if (channel === null || problem !== null) return fail(tx, deps, row, problem ?? 'channel_deleted');
  const profile = await readCustomerProfile(tx, row.customerId);
  const address = addressOf(channel, row.customerId, profile);
  if (address === null) return fail(tx, deps, row, 'no_address');
  const content = await contentOf(tx, row, channel, profile);
  if (content === null) return fail(tx, deps, row, 'no_content');
  const seconds = deps.deliverySender.waitSeconds({ tenantId: tx.tenantId, channelId: channel.id });
  // A long backlog must not come back every few seconds.
  const age = (tx.now.getTime() - row.createdAt.getTime()) / 1_000;
  if (seconds > 0) return { kind: 'wait', seconds: Math.max(seconds, Math.min(600, age / 2)) };
  const trying = { ...row, provider: channel.config?.provider ?? null, tries: row.tries + 1, tryingSince: tx.now };
  await updateDelivery(tx, trying);
  const { defaultChannelTimeout: timeoutMs } = await readSettings(tx);
  const { tenantId, now: triedAt } = tx;
  const { channelType } = channel;
  const shown = showDelivery(trying, []);
  return {
    kind: 'ready',
    channel,
    message: { id, tenantId, channelType, address, content, row: shown, triedAt, timeoutMs },
  };
}

/** True if a second message can't reach the customer, or the sender of the message accepts that it may. */
const mayRepeat = ({ guarantee, provider }: Pick<DeliveryRow, 'guarantee' | 'provider'>): boolean =>
  guarantee === 'at_least_once' || (provider !== null && idempotentProviders.includes(provider));

function channelProblem(channel: SendingChannel | null): string | null {
  if (channel === null || channel.deletedAt !== null) return 'channel_deleted';
  if (channel.status !== 'active') return 'channel_not_active';
  if (channel.config === null) return 'not_configured';
  if (channel.deliveryMode !== 'integration' || channel.config.provider === undefined) return 'no_provider';
  return null;
}

/** Null for a message with nothing to show. A webhook's receiver may have its own content. */
async function contentOf(
  tx: Tx,
  row: DeliveryRow,
  channel: SendingChannel,
  profile: Readonly<Record<string, unknown>>,
): Promise<MessageContent | null> {
  const content = await renderMessage(tx, row, profile);
  if (channel.config?.provider === 'webhook')
    return content ?? { subject: '', text: '', linkedText: '', html: null, all: {} };
  const hasContent = content !== null && (content.text !== '' || content.html !== null || content.all.template != null);
  return hasContent ? content : null;
}

async function fail(tx: Tx, deps: SendDeps, row: DeliveryRow, error: string): Promise<PreparedMessage> {
  await settle(tx, deps, row, { status: 'failed', error, providerMessageId: row.providerMessageId });
  return { kind: 'over', messageId: null };
}

/** Stores the outcome of an attempt. Returns true if the message should be tried again. */
async function noteOutcome(
  tx: Tx,
  deps: SendDeps,
  id: string,
  outcome: SendOutcome,
  isLast: boolean,
): Promise<boolean> {
  const row = await lockDelivery(tx, id);
  // Erased while it was under way.
  if (row === undefined) return false;
  const { providerMessageId } = row;
  switch (outcome.kind) {
    case 'sent':
      await settle(tx, deps, row, { status: 'sent', error: null, providerMessageId: outcome.messageId });
      return false;
    case 'rejected':
      await settle(tx, deps, row, { status: 'failed', error: outcome.error, providerMessageId });
      return false;
    case 'unknown':
      if (!mayRepeat(row)) {
        await settle(tx, deps, row, { status: 'failed', error: 'doubtful', providerMessageId });
        return false;
      }
      break;
    case 'refused':
      break;
  }
  await settle(tx, deps, row, { status: isLast ? 'failed' : row.status, error: outcome.error, providerMessageId });
  return true;
}

type Settled = Pick<DeliveryRow, 'status' | 'error' | 'providerMessageId'>;

/** Ends an attempt. A dead letter that is tried again may turn a failed delivery into one that was sent. */
async function settle(tx: Tx, deps: SendDeps, row: DeliveryRow, to: Settled): Promise<void> {
  const status = isOpen(row) ? to.status : furthest(row.status, to.status);
  const after = { ...row, ...to, status, tryingSince: null };
  await updateDelivery(tx, after);
  if (status === row.status) return;
  await publishUpdates(tx, [{ before: row, after }]);
  deps.onDelivery(status);
}
