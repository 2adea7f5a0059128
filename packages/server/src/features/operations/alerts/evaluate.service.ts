import type { AlertChannel, AlertDelivery } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { newId } from '../../../platform/ids.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { type DeliveryResult, enqueueDelivery, providersAmong } from '../notifications/index.ts';
import { tellFired } from './alerts.events.ts';
import { alertText, breaches, severityOf, shownNumber, usable } from './alerts.rules.ts';
import {
  type AlertState,
  claimRule,
  type EventRow,
  insertEvent,
  lockEvent,
  type Rule,
  selectStates,
  updateDelivered,
  updateDeliveries,
  upsertState,
} from './alerts.store.ts';
import { measureOf } from './measure.service.ts';

const minuteMs = 60_000;

/** Result of evaluating a rule; null if another call evaluates it, or has since this one started. */
export type RuleEvaluation = AlertState['status'] | null;

/**
 * Looks at one rule: its value over the window that ends now, and over the one before. Fires when the value is beyond the
 * threshold, unless it did within the cooldown (docs/design/api-access.md 10).
 *
 * @param begun when the current tick began; rules checked since then are skipped
 */
export async function evaluateRule(tx: Tx, id: string, begun: Date): Promise<RuleEvaluation> {
  const rule = await claimRule(tx, id);
  if (rule === undefined) return null;
  const [before] = await selectStates(tx, [id]);
  if (before !== undefined && isBetween(before.lastEvaluatedAt, begun, tx.now)) return null;
  const windowMs = rule.windowMinutes * minuteMs;
  const start = new Date(tx.now.getTime() - windowMs);
  const { over, isOfNow } = await measureOf(tx, rule);
  const value = usable(await over(start, tx.now), rule.minSamples);
  const state = {
    alertId: id,
    lastEvaluatedAt: tx.now,
    lastValue: value,
    lastFiredAt: before?.lastFiredAt ?? null,
    lastEventId: before?.lastEventId ?? null,
  };
  const quiet = quietStatus(rule, value, firedBefore(state.lastFiredAt, tx.now), tx.now);
  if (quiet !== null || value === null) {
    const status = quiet ?? 'no_data';
    await upsertState(tx, { ...state, status });
    return status;
  }
  const earlier = isOfNow ? null : usable(await over(new Date(start.getTime() - windowMs), start), rule.minSamples);
  const event = await fire(tx, rule, value, earlier);
  const status = event.deliveries.some(({ ok }) => ok === false) ? 'delivery_failed' : 'fired';
  await upsertState(tx, { ...state, status, lastFiredAt: tx.now, lastEventId: event.id });
  await tellFired(tx, rule, event, { before: before?.status ?? 'ok', after: status });
  return status;
}

/** Clocks of nodes differ by less. */
const clocksDifferMs = 2 * minuteMs;

/**
 * True if the instant is within the tick. One in the distant future comes from a clock that was set back, and says
 * nothing.
 */
const isBetween = (at: Date, begun: Date, now: Date): boolean =>
  at.getTime() >= begun.getTime() && at.getTime() <= now.getTime() + clocksDifferMs;

/** Returns when the rule last fired; null also if that lies in the future because a clock was set back. */
const firedBefore = (lastFiredAt: Date | null, now: Date): Date | null =>
  lastFiredAt !== null && lastFiredAt.getTime() > now.getTime() + clocksDifferMs ? null : lastFiredAt;

/** Null: the rule fires. */
function quietStatus(
  rule: Rule,
  value: number | null,
  lastFiredAt: Date | null,
  now: Date,
): 'no_data' | 'ok' | 'cooldown' | null {
  if (value === null) return 'no_data';
  if (!breaches(value, rule.operator, rule.threshold)) return 'ok';
  const silentUntil = lastFiredAt === null ? 0 : lastFiredAt.getTime() + rule.cooldownMinutes * minuteMs;
  return now.getTime() < silentUntil ? 'cooldown' : null;
}

async function fire(tx: Tx, rule: Rule, value: number, baseline: number | null): Promise<EventRow> {
  const { id: alertId, name, metric, operator, threshold, channels } = rule;
  const severity = severityOf(value, baseline, operator, threshold);
  const id = newId();
  const there = await providersAmong(
    tx,
    channels.filter((channel) => typeof channel === 'string'),
  );
  const deliveries = channels.map((channel): AlertDelivery => {
    const isGone = typeof channel === 'string' && !there.has(channel.toLowerCase());
    return {
      channel,
      ok: isGone ? false : null,
      providerMessageId: null,
      error: isGone ? 'destination_deleted' : null,
    };
  });
  const event: EventRow = { id, alertId, firedAt: tx.now, value, baseline, threshold, severity, deliveries };
  await insertEvent(tx, event);
  const fields = [
    { name: 'metric', value: metric },
    { name: 'value', value: shownNumber(value) },
    { name: 'threshold', value: `${operator} ${shownNumber(threshold)}` },
    ...(baseline === null ? [] : [{ name: 'window before', value: shownNumber(baseline) }]),
  ];
  const message = {
    severity,
    title: oneLine(`Alert: ${name}`),
    message: alertText(rule, value),
    fields,
    sourceUrl: null,
    data: { alertId, eventId: id, metric, value, baseline, threshold, operator },
    sentAt: tx.now.toISOString(),
  };
  for (const [channel, delivery] of deliveries.entries()) {
    if (delivery.ok === false) continue;
    await enqueueDelivery(tx, { to: destinationOf(delivery.channel), message, type: 'alert', originId: id, channel });
  }
  await recordAudit(tx, {
    action: 'alert_fired',
    entityType: 'alert',
    entityId: alertId,
    entityName: name,
    after: { eventId: id, metric, operator, threshold, value, baseline, severity },
  });
  return event;
}

const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 200);
const destinationOf = (channel: AlertChannel) => (typeof channel === 'string' ? channel.toLowerCase() : channel);

/** Notes the result of one message of an alert: at the event, and at the rule while that is its last one. */
export async function noteAlertDelivery(tx: Tx, result: DeliveryResult): Promise<void> {
  if (result.type !== 'alert') return;
  const event = await lockEvent(tx, result.originId);
  if (event === undefined) return;
  const { ok, providerMessageId, error } = result;
  const deliveries = event.deliveries.map((delivery, at) =>
    at === result.channel ? { ...delivery, ok, providerMessageId, error } : delivery,
  );
  await updateDeliveries(tx, { ...event, deliveries });
  const failed = deliveries.some((delivery) => delivery.ok === false);
  await updateDelivered(tx, event.alertId, event.id, failed ? 'delivery_failed' : 'fired');
}
