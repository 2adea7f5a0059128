import type { NotificationMessage, SendResult } from '@arbiter/contract';
import { type Actor, type Database, systemActor, type Tx } from '../../../db/index.ts';
import type { KeyedAttempt } from '../../../http/binding/keyed-work.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { type MessageFile, type OutgoingMessage, outgoing } from './message.rules.ts';
import type { Notifier } from './notifier.ts';
import { type DeliveryOutcome, type Destination, rejectedDelivery } from './outcome.ts';
import { destinationOf, getProvider } from './providers.service.ts';
import { type ProviderRow, selectProvider, updateLastResult, updateProvider } from './providers.store.ts';

export interface SendDeps {
  readonly database: Database;
  readonly envelope: Envelope | null;
  readonly notifier: Notifier;
}

/** Whose call it is. */
export interface Sender {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly until: number;
}

/**
 * Notes the result of a message at its destination. One that answers 410 wants no more: it is turned off, which its history
 * shows as a change by the system. Of one that was not tried nothing is noted.
 */
export async function noteOutcome(tx: Tx, id: string, { ok, error, isGone, isHeld }: DeliveryOutcome): Promise<void> {
  if (isHeld) return;
  await updateLastResult(tx, id, ok ? null : (error ?? 'failed'));
  if (!isGone) return;
  const row = await selectProvider(tx, id, true);
  if (row === undefined || !row.enabled) return;
  const off: ProviderRow = { ...row, enabled: false, updatedAt: tx.now };
  await updateProvider(tx, off);
  await recordAudit(tx, {
    action: 'update',
    entityType: 'notificationProvider',
    entityId: id,
    entityName: row.name,
    before: { enabled: true },
    after: { enabled: false },
    actor: systemActor('notification'),
  });
}

/** Why a message didn't arrive anywhere, by the reason of the outbound call. */
const noAnswer: Readonly<Record<string, string>> = {
  unresolved: "The destination's address wasn't found in DNS.",
  timeout: "The destination didn't respond in 5 seconds.",
  failed: 'The connection to the destination failed.',
  too_large: "The destination's response was too large.",
  forbidden_url: "The destination's URL isn't allowed.",
  forbidden_port: "The destination's port isn't allowed.",
  forbidden_address: "The destination's address is private, which isn't allowed.",
};

const probe = {
  title: 'Test message',
  message: 'Arbiter can reach this destination.',
} satisfies NotificationMessage;

/** Tests whether a destination accepts a message, even one that's off. Throws 404, and 502 `upstream_failed`. */
export async function testProvider(
  { database, envelope, notifier }: SendDeps,
  { tenantId, actor, requestId, until }: Sender,
  id: string,
): Promise<{ ok: true; latencyMs: number; providerMessageId: string | null }> {
  const { destination, message } = await database.withTenant(
    tenantId,
    actor,
    async (tx) => ({
      destination: await destinationOf(tx, envelope, await getProvider(tx, id)),
      message: outgoing(probe, { id: newId(), type: 'notification', tenantId, sentAt: tx.now.toISOString() }),
    }),
    { requestId, until },
  );
  const startedAt = performance.now();
  const outcome = await notifier.send(destination, message, { probe: true });
  const latencyMs = Math.round(performance.now() - startedAt);
  await database.withTenant(tenantId, actor, (tx) => noteOutcome(tx, id, outcome), { requestId });
  const { ok, error, providerMessageId } = outcome;
  refuseWhenHeld([outcome]);
  if (ok) return { ok: true, latencyMs, providerMessageId };
  throw new AppError('upstream_failed', {
    detail: noAnswer[error ?? ''] ?? `The destination rejected the message: ${error}.`,
    members: { ok: false, latencyMs, providerMessageId },
  });
}

/**
 * Sends a message to destinations, to all at once. Throws 404 when one of them is unknown, and nothing is sent; 502
 * `upstream_failed` when none took it (docs/design/quality.md E28). The message goes by the id of the work: where a process
 * ended before it knew the result of it, the next one sends it again, and receivers see by its id that it is the same.
 */
export async function sendToMany(
  { database, envelope, notifier }: SendDeps,
  { tenantId, actor, requestId, until }: Sender,
  providerIds: readonly string[],
  notification: NotificationMessage,
  { id: messageId, keep }: Pick<KeyedAttempt<{ results: SendResult[] }>, 'id' | 'keep'>,
): Promise<{ results: SendResult[] }> {
  const ids = [...new Set(providerIds.map((id) => id.toLowerCase()))];
  const { targets, message } = await database.withTenant(
    tenantId,
    actor,
    async (tx) => {
      const rows: ProviderRow[] = [];
      for (const id of ids) rows.push(await getProvider(tx, id));
      const found: SendTarget[] = [];
      for (const row of rows) found.push({ id: row.id, to: await reachable(tx, envelope, row) });
      const about = { id: messageId, type: 'notification', tenantId, sentAt: tx.now.toISOString() } as const;
      return { targets: found, message: outgoing(notification, about) };
    },
    { requestId, until },
  );
  const resultsOf = (outcomes: readonly TargetOutcome[]): SendResult[] =>
    outcomes.map(({ id, outcome: { ok, providerMessageId, error } }) => ({
      providerId: id,
      ok,
      ...(providerMessageId === null ? {} : { providerMessageId }),
      ...(error === null ? {} : { error }),
    }));
  const outcomes = await tryAll(
    { database, notifier },
    { tenantId, actor, requestId },
    { targets, message, files: [] },
    async (tx, tried) => {
      const results = resultsOf(tried);
      if (results.some(({ ok }) => ok)) await keep(tx, { results });
    },
  );
  const results = resultsOf(outcomes);
  if (results.some(({ ok }) => ok)) return { results };
  refuseWhenHeld(outcomes.map(({ outcome }) => outcome));
  throw new AppError('upstream_failed', { detail: 'No destination accepted the message.', members: { results } });
}

/** 429 `rate_limited` when nothing was tried, since the tenant has mailed enough for now. */
function refuseWhenHeld(outcomes: readonly DeliveryOutcome[]): void {
  if (!outcomes.every(({ isHeld }) => isHeld)) return;
  const seconds = Math.max(...outcomes.map(({ retryAfterSeconds }) => retryAfterSeconds ?? 0));
  throw new AppError('rate_limited', {
    detail: 'The tenant has reached its limit of email addresses per minute. Try again in a minute.',
    retryAfterSeconds: seconds,
  });
}

/** A destination, or why nothing can go there. */
interface SendTarget {
  readonly id: string;
  readonly to: Destination | DeliveryOutcome;
  /** Records nothing for a deleted one. */
  readonly isGone?: true;
}

/** The outcome of a message at one destination. */
export interface DestinationOutcome {
  readonly providerId: string;
  readonly ok: boolean;
  readonly providerMessageId: string | null;
  readonly error: string | null;
}

/**
 * Sends a feature's message with its files to destinations in parallel, one attempt each. Returns results in order. A
 * deleted or failing one is reported in its result and doesn't affect others.
 */
export async function sendToAll(
  { database, envelope, notifier }: SendDeps,
  { tenantId, actor, requestId }: Pick<Sender, 'tenantId' | 'actor' | 'requestId'>,
  ids: readonly string[],
  message: Omit<OutgoingMessage, 'id' | 'tenantId'>,
  files: readonly MessageFile[],
): Promise<DestinationOutcome[]> {
  if (ids.length === 0) return [];
  const targets = await database.withTenant(
    tenantId,
    actor,
    async (tx) => {
      const found: SendTarget[] = [];
      for (const id of ids) {
        const row = await selectProvider(tx, id);
        found.push(
          row === undefined
            ? { id, to: rejectedDelivery('destination_deleted'), isGone: true }
            : { id, to: await reachable(tx, envelope, row) },
        );
      }
      return found;
    },
    { requestId },
  );
  const whole = { ...message, id: newId(), tenantId };
  const outcomes = await tryAll(
    { database, notifier },
    { tenantId, actor, requestId },
    { targets, message: whole, files },
  );
  return outcomes.map(({ id, outcome: { ok, providerMessageId, error } }) => ({
    providerId: id,
    ok,
    providerMessageId,
    error,
  }));
}

/** A destination that was tried. */
interface TargetOutcome extends SendTarget {
  readonly outcome: DeliveryOutcome;
}

/** Tries all targets at once and notes the result of each; `atEnd` runs in the transaction that notes it. */
async function tryAll(
  { database, notifier }: Pick<SendDeps, 'database' | 'notifier'>,
  { tenantId, actor, requestId }: Pick<Sender, 'tenantId' | 'actor' | 'requestId'>,
  what: {
    readonly targets: readonly SendTarget[];
    readonly message: OutgoingMessage;
    readonly files: readonly MessageFile[];
  },
  atEnd: (tx: Tx, tried: readonly TargetOutcome[]) => Promise<void> = async () => {},
): Promise<TargetOutcome[]> {
  const { targets, message, files } = what;
  const outcomes = await Promise.all(
    targets.map(async (target) => {
      const { to } = target;
      return { ...target, outcome: 'kind' in to ? await notifier.send(to, message, { files }) : to };
    }),
  );
  await database.withTenant(
    tenantId,
    actor,
    async (tx) => {
      // In a fixed order, so that two calls to the same destinations can't deadlock.
      for (const { id, outcome, isGone } of outcomes.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
        if (isGone === undefined) await noteOutcome(tx, id, outcome);
      await atEnd(tx, outcomes);
    },
    { requestId },
  );
  return outcomes;
}

/** Returns where messages to a destination go, or why they can't. */
export async function findDestination(
  tx: Tx,
  envelope: Envelope | null,
  id: string,
): Promise<Destination | DeliveryOutcome> {
  const row = await selectProvider(tx, id);
  return row === undefined ? rejectedDelivery('destination_deleted') : reachable(tx, envelope, row);
}

/** Returns where messages go, or why they can't, for a destination that's off or whose secrets can't be opened. */
export async function reachable(
  tx: Tx,
  envelope: Envelope | null,
  row: ProviderRow,
): Promise<Destination | DeliveryOutcome> {
  if (!row.enabled) return rejectedDelivery('disabled');
  try {
    return await destinationOf(tx, envelope, row);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_configured') return rejectedDelivery('secrets_unreadable');
    throw error;
  }
}
