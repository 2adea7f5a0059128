import type { CustomerEligibility } from '@arbiter/contract/deciding/customer-tools';
import type { InteractionRow, ReservationRow } from '@arbiter/contract/deciding/interaction-lists';
import type { Suppression } from '@arbiter/contract/deciding/suppressions';
import { customerTexts as t } from '../../messages/customers.ts';
import { addresses } from '../../route/addresses.ts';
import type { TimelineEvent } from '../../ui/charts/timeline-event.ts';
import { dayOf, startOf } from '../../ui/charts/zone-days.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Range of the chart in days: past contacts, and future limits. */
export const daysBack = 30;
const daysAhead = 30;

export interface LimitSources {
  readonly report: Pick<CustomerEligibility, 'evaluatedAt' | 'offers'>;
  readonly contacts: readonly Pick<InteractionRow, 'id' | 'channelId' | 'timestamp' | 'recommendationId' | 'offer'>[];
  readonly reservations: readonly ReservationRow[];
  readonly suppressions: readonly Omit<Suppression, 'customerId'>[];
  /** Channel names by ID. */
  readonly channels: ReadonlyMap<string, string>;
  readonly timeZone: string;
  /** Formats an instant for the tenant. */
  readonly write: (instant: string) => string;
}

export interface LimitLanes {
  readonly lanes: readonly { readonly name: string; readonly events: readonly TimelineEvent[] }[];
  readonly from: number;
  readonly to: number;
  readonly now: number;
  readonly contacts: number;
  readonly limits: number;
}

/**
 * Builds the chart of a customer's contacts by channel and what limits further ones: the period of each blocking policy, as
 * the API reports it, and suppressions. Days and weeks use the tenant's time zone, at their real length.
 */
export function limitLanes(sources: LimitSources): LimitLanes {
  const now = Date.parse(sources.report.evaluatedAt);
  const contacts = contactLanes(sources, now);
  const policies = policyLanes(sources, now);
  const suppressions = suppressionEvents(sources.suppressions, now);
  const limits = [...policies, ...(suppressions.length === 0 ? [] : [{ name: t.suppressions, events: suppressions }])];
  const dots = contacts.flatMap(({ events }) => events);
  const spans = limits.flatMap(({ events }) => events);
  const first = Math.min(now - dayMs, ...[...dots, ...spans].map(({ at }) => at));
  const last = Math.max(now + dayMs / 4, ...spans.map(({ until }) => until ?? now));
  return {
    lanes: [...contacts, ...limits],
    // Leave room before the first contact, or its dot would be cut in half.
    from: Math.max(first, now - daysBack * dayMs) - (now - Math.max(first, now - daysBack * dayMs)) / 40,
    // Limit the future to the length of the past, or there's no room for the past.
    to: Math.min(last, now + Math.min(daysAhead * dayMs, Math.max(2 * dayMs, now - first))),
    now,
    contacts: dots.length,
    limits: spans.length,
  };
}

function contactLanes({ contacts, reservations, channels, write }: LimitSources, now: number): LimitLanes['lanes'] {
  const lanes = new Map<string, TimelineEvent[]>();
  const add = (channelId: string | null, event: TimelineEvent) => {
    const name = (channelId === null ? undefined : channels.get(channelId)) ?? t.noChannel;
    lanes.set(name, [...(lanes.get(name) ?? []), event]);
  };
  for (const { id, channelId, timestamp, recommendationId, offer } of contacts) {
    const at = Date.parse(timestamp);
    if (at < now - daysBack * dayMs) continue;
    add(channelId, {
      key: id,
      at,
      name: t.contactWith(offer?.name ?? t.noOffer),
      tone: 'info',
      drill: recommendationId === null ? { reason: t.noDecisionBehind } : { to: addresses.decision(recommendationId) },
    });
  }
  for (const { id, channelId, state, createdAt, expiresAt } of reservations) {
    if (state !== 'open') continue;
    add(channelId, {
      key: id,
      at: Date.parse(createdAt),
      name: t.reservedUntil(write(expiresAt)),
      tone: 'info',
      open: true,
      drill: { reason: t.reservationOnly },
    });
  }
  return [...lanes]
    .map(([name, events]) => ({ name, events: events.toSorted((a, b) => a.at - b.at) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns each blocking policy once, with the period from its details; without one if no time ends it. */
function policyLanes({ report, timeZone }: LimitSources, now: number): LimitLanes['lanes'] {
  const lanes = new Map<string, { name: string; events: TimelineEvent[] }>();
  for (const { policyId, policyName, detail } of report.offers.flatMap(({ policies }) => policies)) {
    if (lanes.has(policyId)) continue;
    const window = windowOf(detail, now, timeZone);
    if (window === null) continue;
    const drill = { to: addresses.policy(policyId), says: t.openPolicy };
    const events: TimelineEvent[] = [{ key: policyId, ...window, tone: 'block', bracket: true, drill }];
    lanes.set(policyId, { name: policyName, events });
  }
  return [...lanes.values()];
}

const numberOf = (detail: object, name: string): number | null => {
  const value: unknown = Reflect.get(detail, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};

type LimitWindow = Pick<TimelineEvent, 'at' | 'name'> & { readonly until: number };

/** Returns the period that a policy counts or waits for; null if it reports none. */
export function windowOf(detail: unknown, now: number, timeZone: string): LimitWindow | null {
  if (typeof detail !== 'object' || detail === null) return null;
  const [pause, since] = [numberOf(detail, 'cooldownHours'), numberOf(detail, 'hoursSinceLast')];
  if (pause !== null && since !== null) return waits(now - since * hourMs, pause * hourMs);
  const days = numberOf(detail, 'suppressForDays') ?? numberOf(detail, 'suppressionDays');
  const daysSince = numberOf(detail, 'daysSince');
  if (days !== null && daysSince !== null) return waits(now - daysSince * dayMs, days * dayMs);
  const [max, used] = [numberOf(detail, 'max'), numberOf(detail, 'actual')];
  if (max === null || used === null) return null;
  const name = t.counted(used, max);
  const [windowDays, windowHours] = [numberOf(detail, 'windowDays'), numberOf(detail, 'windowHours')];
  const length = windowDays !== null ? windowDays * dayMs : windowHours !== null ? windowHours * hourMs : null;
  if (length !== null) return { at: now - length, until: now, name };
  const period: unknown = Reflect.get(detail, 'period');
  const bounds = periodOf(period, now, timeZone);
  return bounds === null ? null : { ...bounds, name };
}

const waits = (at: number, length: number): LimitWindow => ({ at, until: at + length, name: t.pause });

/** Returns the day, week (from Monday) or month of the time zone that contains `now`. */
function periodOf(period: unknown, now: number, timeZone: string): Pick<LimitWindow, 'at' | 'until'> | null {
  const day = new Date(`${dayOf(now, timeZone)}T00:00:00Z`);
  const [year, month, date] = [day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()];
  const start = (...parts: [year: number, month: number, date: number]): number =>
    startOf(new Date(Date.UTC(...parts)).toISOString().slice(0, 10), timeZone);
  if (period === 'daily') return { at: start(year, month, date), until: start(year, month, date + 1) };
  if (period === 'weekly') {
    const monday = date - ((day.getUTCDay() + 6) % 7);
    return { at: start(year, month, monday), until: start(year, month, monday + 7) };
  }
  if (period === 'monthly') return { at: start(year, month, 1), until: start(year, month + 1, 1) };
  return null;
}

function suppressionEvents(rows: LimitSources['suppressions'], now: number): readonly TimelineEvent[] {
  return rows
    .filter(({ expiresAt }) => Date.parse(expiresAt) > now)
    .map(({ id, scope, scopeId, offerName, policyId, reason, createdAt, expiresAt }) => ({
      key: id ?? `${policyId} ${scope} ${scopeId}`,
      at: Date.parse(createdAt),
      until: Date.parse(expiresAt),
      name: t.suppressedFor(
        scope === 'offer' ? (offerName ?? scopeId) : scope === 'category' ? t.suppressedCategory : t.suppressedAll,
        t.suppressionReason(reason),
      ),
      tone: 'warn' as const,
      // Running cooldowns are calculated from the last contact, like the policy brackets.
      bracket: id === null,
      drill: policyId === null ? { reason: t.listedBelow } : { to: addresses.policy(policyId), says: t.openPolicy },
    }));
}
