import {
  amountColumn,
  countColumn,
  dayColumn,
  flagColumn,
  foreignColumn,
  instantColumn,
  keyColumn,
  wordColumn,
} from '../columns.ts';
import { clamp, dayMs, roundTo } from '../numbers.ts';
import type { PackField, PackRow } from '../pack.ts';
import { chanceOf } from '../random.ts';
import { subscriberCount, subscriberId, subscriberRow } from './subscribers.ts';

/** Full months of usage per subscriber. */
const months = 3;
const ticketCount = 1500;

export const usageFields: PackField[] = [
  keyColumn('usage_id', 'Number of the row, TU-000001 and up.', 'Usage'),
  foreignColumn('subscriber_id', 'Whose usage it is.', 'Subscriber'),
  dayColumn('month', 'First day of the month.'),
  amountColumn('data_gb', 'Data used, in GB.', 'Data in GB'),
  countColumn('voice_min', 'Minutes of calls.', 'Call minutes'),
  countColumn('roaming_mb', 'Data used abroad, in MB.', 'Roaming in MB'),
  countColumn('dropped_calls', 'Calls that broke off.'),
];

/** Generates the last three full months of each subscriber, oldest first. */
export function* usageRows(seed: string, loadedAt: Date): Generator<PackRow> {
  for (let number = 1; number <= subscriberCount; number += 1) {
    const subscriber = subscriberRow(seed, number);
    const chance = chanceOf(`${seed}/usage/${number}`);
    const cap = Number(subscriber.data_cap_gb);
    const habit = 0.35 + chance.next() * 0.75;
    const isTroubled = Number(subscriber.churn_risk) > 0.45;
    for (let back = months; back >= 1; back -= 1) {
      const travels = subscriber.roaming_user === true && chance.flip(0.4);
      yield {
        usage_id: `TU-${String(number * months - back + 1).padStart(6, '0')}`,
        subscriber_id: subscriber.subscriber_id ?? null,
        month: monthBefore(loadedAt, back),
        data_gb: roundTo(clamp(cap * habit * (0.8 + chance.next() * 0.4), 0.1, cap * 1.2), 2),
        voice_min: Math.round(clamp(chance.bell(160, 110), 0, 900)),
        roaming_mb: travels ? chance.int(80, 4000) : 0,
        dropped_calls: chance.int(0, isTroubled ? 9 : 3),
      };
    }
  }
}

/** Returns the first day of the month, this many months before an instant, in UTC. */
function monthBefore(instant: Date, count: number): string {
  return new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() - count, 1)).toISOString().slice(0, 10);
}

export const ticketFields: PackField[] = [
  keyColumn('ticket_id', 'Number of the ticket, TT-000001 and up.', 'Ticket'),
  foreignColumn('subscriber_id', 'Who asked.', 'Subscriber'),
  instantColumn('opened_at', 'When it was opened.'),
  wordColumn('topic', 'network, bill, device, contract or roaming.'),
  flagColumn('resolved', 'True when it is answered.'),
];

/** Generates questions and complaints of the 90 days before the load. */
export function* ticketRows(seed: string, loadedAt: Date): Generator<PackRow> {
  for (let number = 1; number <= ticketCount; number += 1) {
    const chance = chanceOf(`${seed}/tickets/${number}`);
    const daysAgo = 1 + chance.next() * 88;
    yield {
      ticket_id: `TT-${String(number).padStart(6, '0')}`,
      subscriber_id: subscriberId(chance.int(1, subscriberCount)),
      opened_at: new Date(loadedAt.getTime() - Math.round(daysAgo * dayMs)).toISOString(),
      topic: chance.pick([
        ['network', 34],
        ['bill', 26],
        ['device', 16],
        ['contract', 14],
        ['roaming', 10],
      ]),
      resolved: chance.flip(daysAgo > 7 ? 0.93 : 0.5),
    };
  }
}
