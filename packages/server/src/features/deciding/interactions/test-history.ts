import type { HotPath } from '../../../db/index.ts';
import type { TestDatabase } from '../../../db/test-database.ts';
import { idAt } from '../../../platform/ids.ts';
import { zoneClock } from '../../../platform/time/zones.ts';
import { insertShown } from './shown-decisions.store.ts';

/** For tests: writes history like the product, and computes its summaries independently. */
export interface Row {
  readonly id: string;
  readonly customerId: string;
  readonly type: 'recommendation' | 'impression' | 'response';
  readonly outcome: string | null;
  readonly classification: 'positive' | 'negative' | 'neutral';
  readonly direction: 'inbound' | 'outbound';
  readonly isConversion: boolean;
  readonly offerId: string | null;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly value: number | null;
  /** Epoch ms. */
  readonly at: number;
  /** Shown by the decision of this id, in one row with its other items. */
  readonly decision: string | null;
}

export const contact = (change: Partial<Row> & Pick<Row, 'offerId' | 'at'>): Row => ({
  id: idAt(change.at),
  customerId: 'C-1',
  type: 'impression',
  outcome: 'impression',
  classification: 'neutral',
  direction: 'outbound',
  isConversion: false,
  creativeId: null,
  channelId: null,
  value: null,
  decision: null,
  ...change,
});

export const response = (outcome: string, change: Partial<Row> & Pick<Row, 'offerId' | 'at'>): Row =>
  contact({ type: 'response', outcome, classification: 'positive', direction: 'inbound', ...change });

/** The impressions of one decision. */
export function decided(
  where: Pick<Row, 'customerId' | 'at'>,
  items: readonly Pick<Row, 'offerId' | 'creativeId' | 'channelId'>[],
): Row[] {
  const decision = `${idAt(where.at).slice(0, 34)}00`;
  return items.map((item, i) => contact({ ...where, ...item, id: itemIdOf(decision, i + 1), decision }));
}

export const itemIdOf = (decision: string, rank: number): string =>
  decision.slice(0, 34) + rank.toString(16).padStart(2, '0');

/** Writes rows like decisions and responses do. What one decision showed goes through the product's own statement. */
export async function writeHistory(
  db: TestDatabase,
  path: HotPath,
  tenantId: string,
  rows: readonly Row[],
): Promise<void> {
  for (const row of rows.filter(({ decision }) => decision === null)) {
    await db.ownerQuery(
      `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
         is_conversion, offer_id, creative_id, channel_id, conversion_value, occurred_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)`,
      [
        tenantId,
        row.id,
        row.customerId,
        row.type,
        row.outcome,
        row.classification,
        row.direction,
        row.isConversion,
        row.offerId,
        row.creativeId,
        row.channelId,
        row.value,
        new Date(row.at),
      ],
    );
  }
  const shown = Map.groupBy(
    rows.filter(({ decision }) => decision !== null),
    ({ at }) => at,
  );
  for (const [at, ofInstant] of shown) {
    const decisions = [...Map.groupBy(ofInstant, ({ decision }) => decision!)].map(([id, items]) => ({
      id,
      customerId: items[0]!.customerId,
      customerSeq: 1,
      context: null,
      items: items.map((item, i) => ({
        id: item.id,
        rank: i + 1,
        offerId: item.offerId!,
        creativeId: item.creativeId,
        channelId: item.channelId,
        placementId: null,
        categoryId: null,
        reservedUntil: null,
      })),
    }));
    await path.run(tenantId, (tx) => tx.commit(insertShown(tenantId, new Date(at), decisions)));
  }
}

const periods = {
  day: (date: string) => date,
  week: (date: string) => isoWeek(date),
  month: (date: string) => date.slice(0, 7),
  all: () => 'all',
};

/** Returns the ISO week of a day, by the week's Thursday. */
function isoWeek(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  const thursday = new Date(day.getTime() + (3 - ((day.getUTCDay() + 6) % 7)) * 86_400_000);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * 86_400_000));
  return `${year}-W${String(week).padStart(2, '0')}`;
}

const counted = (rows: readonly Row[]) => rows.filter((row) => row.type !== 'recommendation' && row.offerId !== null);

function sums(group: readonly Row[]) {
  const responses = group.filter((row) => row.type === 'response');
  const count = (classification: string): number =>
    responses.filter((row) => row.classification === classification).length;
  return {
    impressions: group.filter((row) => row.type === 'impression').length,
    positive: count('positive'),
    negative: count('negative'),
    neutral: count('neutral'),
    clicks: responses.filter((row) => row.outcome === 'click').length,
    converts: responses.filter((row) => row.isConversion).length,
    totalValue: responses.reduce((sum, row) => sum + (row.value ?? 0), 0),
  };
}

/** What `readCustomerSummaries` must return, in any order. */
export function summariesByHand(rows: readonly Row[], zone: string, period: keyof typeof periods): object[] {
  const periodOf = (row: Row) => periods[period](zoneClock(zone, row.at).date);
  const key = (row: Row) =>
    [row.customerId, periodOf(row), row.offerId, row.creativeId, row.channelId, row.direction].join();
  return [...Map.groupBy(counted(rows), key).values()].map((group) => {
    const [first] = group as [Row];
    const contacts = group.filter((row) => row.type === 'impression');
    const latest = group
      .filter((row) => row.type === 'response')
      .reduce<Row | null>(
        (best, row) =>
          best === null || row.at > best.at || (row.at === best.at && row.outcome! > best.outcome!) ? row : best,
        null,
      );
    return {
      customerId: first.customerId,
      periodKey: periodOf(first),
      offerId: first.offerId,
      creativeId: first.creativeId,
      channelId: first.channelId,
      direction: first.direction,
      ...sums(group),
      lastContactAt: contacts.length === 0 ? null : new Date(Math.max(...contacts.map((row) => row.at))),
      lastOutcomeKey: latest?.outcome ?? null,
    };
  });
}

/** What `readTenantSummaries` must return, in any order. */
export function totalsByHand(rows: readonly Row[], zone: string): object[] {
  const dayOf = (row: Row) => zoneClock(zone, row.at).date;
  const key = (row: Row) => [dayOf(row), row.offerId, row.creativeId, row.channelId, row.direction].join();
  return [...Map.groupBy(counted(rows), key).values()].map((group) => {
    const [first] = group as [Row];
    const { offerId, creativeId, channelId, direction } = first;
    return { day: dayOf(first), offerId, creativeId, channelId, direction, ...sums(group) };
  });
}

/** Rows in one order, for comparing lists. */
export const sorted = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

/** Numbers in [0,1) that every run draws alike. */
export function newRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** History of some customers over some weeks: decisions, reports, late reports, instants that meet. */
export function randomHistory(
  random: () => number,
  ids: { offers: string[]; creatives: string[]; channels: string[] },
  until: number,
  size: number,
): Row[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const lane = () => ({
    offerId: pick(ids.offers),
    creativeId: pick([null, ...ids.creatives]),
    channelId: pick([null, ...ids.channels]),
  });
  return Array.from({ length: size }, (): Row[] => {
    const where = {
      customerId: pick(['C-1', 'C-2', 'c"2,{}\\', 'Zoë']),
      at: until - Math.floor(random() * 5) * 300_000 - pick([0, 0, 0, 9, 40, 70]) * 86_400_000,
    };
    const kind = random();
    if (kind < 0.3) return decided(where, Array.from({ length: 1 + Math.floor(random() * 3) }, lane));
    if (kind < 0.5) return [contact({ ...where, ...lane() })];
    if (kind < 0.55) return [contact({ ...where, ...lane(), type: 'recommendation', outcome: null })];
    return [
      response(pick(['click', 'dismiss', 'accept']), {
        ...where,
        ...lane(),
        classification: pick(['positive', 'negative', 'neutral']),
        direction: pick(['inbound', 'outbound']),
        isConversion: random() < 0.3,
        value: random() < 0.5 ? Math.floor(random() * 100) / 4 : null,
      }),
    ];
  }).flat();
}
