import { amountColumn, countColumn, foreignColumn, instantColumn, keyColumn, wordColumn } from '../columns.ts';
import { dayMs, roundTo } from '../numbers.ts';
import type { PackField, PackRow } from '../pack.ts';
import { chanceOf } from '../random.ts';
import { memberRows } from './members.ts';

/** Visits per member. The last one is the member's last visit. */
const visitsEach = 5;

export const visitFields: PackField[] = [
  keyColumn('visit_id', 'Number of the receipt, CV-000001 and up.', 'Visit'),
  foreignColumn('member_id', 'Who came by.', 'Member'),
  instantColumn('visited_at', 'When the receipt was printed.'),
  wordColumn('store', 'City and street of the store.'),
  wordColumn('channel', 'counter, app or drive_through.', 'Ordered at'),
  countColumn('items', 'Drinks and things to eat.'),
  amountColumn('amount', 'What was paid.'),
  countColumn('stars_earned', 'Stars for it.'),
];

const streets = ['Harbour Street', 'Station Square', 'Market Lane'] as const;

/** Generates the last five visits of each member, newest first. */
export function* visitRows(seed: string, loadedAt: Date): Generator<PackRow> {
  let index = 0;
  for (const member of memberRows(seed, loadedAt)) {
    const chance = chanceOf(`${seed}/visits/${index + 1}`);
    const last = Date.parse(String(member.last_visit_at));
    // The gap between visits follows the visits of the last month.
    const gapDays = 30 / Math.max(2, Number(member.visits_30d));
    let daysBack = 0;
    for (let visit = 1; visit <= visitsEach; visit += 1) {
      const items = chance.int(1, 4);
      const amount = roundTo(Number(member.avg_ticket) * (0.6 + chance.next() * 0.5) * (0.7 + items * 0.2), 2);
      const at = new Date(last - Math.round(daysBack * dayMs));
      daysBack += gapDays * (0.6 + chance.next() * 0.8);
      yield {
        visit_id: `CV-${String(index * visitsEach + visit).padStart(6, '0')}`,
        member_id: member.member_id ?? null,
        visited_at: at.toISOString(),
        store: `${member.city}, ${streets[chance.int(0, streets.length - 1)]}`,
        channel: member.app_user === true && chance.flip(0.6) ? 'app' : chance.flip(0.12) ? 'drive_through' : 'counter',
        items,
        amount,
        stars_earned: Math.floor(amount),
      };
    }
    index += 1;
  }
}
