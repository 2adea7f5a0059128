import type { ReportRow } from '@arbiter/contract';
import type { Tx } from '../../../../db/tx.ts';
import { readRelated } from '../../../catalogue/catalogue-records/index.ts';
import { segmentsAmong } from '../../../catalogue/segments/index.ts';
import { countTraces, readOfferFigures } from '../../../deciding/decisions/index.ts';
import { type DailyTotals, readAllSelections, readHistoryTotals } from '../../../deciding/interactions/index.ts';
import { round2, shareOf } from '../frame.rules.ts';
import { column, type Source, type SourceQuery, type SourceResult, sourceResult } from './source.ts';
import { filterOf, maxMembers, offerNames, totalsOf } from './totals.service.ts';
import { traceNotes, traceWindow } from './trace-window.service.ts';

const historyParams = ['days', 'limit', 'offerId', 'channelId', 'categoryId', 'segmentId'] as const;
const trendParams = ['days', 'offerId', 'channelId', 'categoryId', 'segmentId'] as const;

const performanceColumns = [
  column('impressions', 'Impressions', 'integer'),
  column('positives', 'Positive outcomes', 'integer'),
  column('conversions', 'Conversions', 'integer'),
  column('revenue', 'Revenue', 'money'),
  column('ctr', 'Click rate', 'ratio'),
  column('cvr', 'Conversion rate', 'ratio'),
];

type TotalsSums = Pick<DailyTotals, 'impressions' | 'positive' | 'clicks' | 'converts' | 'totalValue'>;

const performanceOf = ({ impressions, positive, clicks, converts, totalValue }: TotalsSums): ReportRow => ({
  impressions,
  positives: positive,
  conversions: converts,
  revenue: round2(totalValue),
  ctr: shareOf(clicks, impressions),
  cvr: shareOf(converts, impressions),
});

/** Among equals, rows without an id come last. */
const place = (id: string | null | undefined): string => id ?? '~';

const mostShown = <T extends Pick<DailyTotals, 'impressions'>>(
  rows: readonly T[],
  idOf: (row: T) => string | null | undefined,
  limit: number,
): T[] =>
  rows.toSorted((a, b) => b.impressions - a.impressions || (place(idOf(a)) < place(idOf(b)) ? -1 : 1)).slice(0, limit);

async function byOffer(tx: Tx, asked: SourceQuery, shape: (row: DailyTotals) => ReportRow): Promise<SourceResult> {
  const { totals, notes } = await totalsOf(tx, asked, ['offerId']);
  const shown = mostShown(totals, ({ offerId }) => offerId, asked.limit);
  const ids = shown.flatMap(({ offerId }) => (offerId === undefined ? [] : [offerId]));
  const nameOf = await offerNames(tx, ids);
  return sourceResult(
    shown.map((row) => ({ offer: nameOf(row.offerId ?? ''), offerId: row.offerId ?? null, ...shape(row) })),
    notes,
  );
}

const offerPerformance: Source = {
  key: 'offer_performance',
  label: 'Offer performance',
  description: 'Results of each offer, most impressions first.',
  params: historyParams,
  columns: () => [column('offer', 'Offer', 'text'), ...performanceColumns],
  chart: () => ({ kind: 'bar', x: 'offer', y: ['impressions', 'conversions'] }),
  read: (tx, asked) => byOffer(tx, asked, performanceOf),
};

const acceptanceRate: Source = {
  key: 'acceptance_rate',
  label: 'Acceptance rate',
  description: 'Customer responses to each offer, most impressions first.',
  params: historyParams,
  columns: () => [
    column('offer', 'Offer', 'text'),
    column('impressions', 'Impressions', 'integer'),
    column('positive', 'Positive', 'integer'),
    column('negative', 'Negative', 'integer'),
    column('neutral', 'Neutral', 'integer'),
    column('rate', 'Acceptance rate', 'ratio'),
  ],
  chart: () => ({ kind: 'bar', x: 'offer', y: ['rate'] }),
  read: (tx, asked) =>
    byOffer(tx, asked, ({ impressions, positive, negative, neutral }) => ({
      impressions,
      positive,
      negative,
      neutral,
      rate: shareOf(positive, impressions),
    })),
};

const channelEffectiveness: Source = {
  key: 'channel_effectiveness',
  label: 'Channel effectiveness',
  description: 'Results of each channel, most used first.',
  params: historyParams,
  columns: () => [
    column('channel', 'Channel', 'text'),
    column('impressions', 'Impressions', 'integer'),
    column('conversions', 'Conversions', 'integer'),
    column('rate', 'Conversion rate', 'ratio'),
    column('revenue', 'Revenue', 'money'),
  ],
  chart: () => ({ kind: 'bar', x: 'channel', y: ['impressions', 'conversions'] }),
  async read(tx, asked) {
    const { totals, notes } = await totalsOf(tx, asked, ['channelId']);
    const shown = mostShown(totals, ({ channelId }) => channelId, asked.limit);
    const names = await channelNames(tx, shown);
    return sourceResult(
      shown.map(({ channelId = null, impressions, converts, totalValue }) => ({
        channel: names(channelId),
        channelId,
        impressions,
        conversions: converts,
        rate: shareOf(converts, impressions),
        revenue: round2(totalValue),
      })),
      notes,
    );
  },
};

async function channelNames(tx: Tx, rows: readonly Pick<DailyTotals, 'channelId'>[]) {
  const channels = await readRelated(
    tx,
    'channel',
    rows.map(({ channelId }) => channelId ?? null),
    ['name'],
  );
  return (id: string | null): string | null => (id === null ? null : (channels.get(id)?.name ?? id));
}

interface TotalsGroup {
  readonly id: string | null;
  readonly name: string | null;
  readonly impressions: number;
  readonly sums: TotalsSums;
}

const added = (a: TotalsSums, b: TotalsSums): TotalsSums => ({
  impressions: a.impressions + b.impressions,
  positive: a.positive + b.positive,
  clicks: a.clicks + b.clicks,
  converts: a.converts + b.converts,
  totalValue: a.totalValue + b.totalValue,
});

async function byChannel(tx: Tx, asked: SourceQuery): Promise<{ groups: TotalsGroup[]; notes: readonly string[] }> {
  const { totals, notes } = await totalsOf(tx, asked, ['channelId']);
  const names = await channelNames(tx, totals);
  const groups = totals.map((sums) => {
    const id = sums.channelId ?? null;
    return { id, name: names(id), impressions: sums.impressions, sums };
  });
  return { groups, notes };
}

async function byCategory(tx: Tx, asked: SourceQuery): Promise<{ groups: TotalsGroup[]; notes: readonly string[] }> {
  const { totals, notes } = await totalsOf(tx, asked, ['offerId']);
  const ids = totals.map(({ offerId }) => offerId ?? null);
  const offers = await readRelated(tx, 'offer', ids, ['categoryId']);
  const sums = new Map<string | null, TotalsSums>();
  for (const row of totals) {
    const id = offers.get(row.offerId ?? '')?.categoryId ?? null;
    const known = sums.get(id);
    sums.set(id, known === undefined ? row : added(known, row));
  }
  const categories = await readRelated(tx, 'category', [...sums.keys()], ['name']);
  const groups = [...sums].map(([id, sum]) => {
    const name = id === null ? null : (categories.get(id)?.name ?? id);
    return { id, name, impressions: sum.impressions, sums: sum };
  });
  return { groups, notes };
}

/** Membership is known per customer, so history is counted by customer first. */
async function bySegment(
  tx: Tx,
  { params, frame }: SourceQuery,
): Promise<{ groups: TotalsGroup[]; notes: readonly string[] }> {
  const { first, today, from, now, zone } = frame;
  const span = { first, last: today, from, to: new Date(now.getTime() + 1), zone };
  const totals = await readHistoryTotals(tx, span, await filterOf(tx, params), null, ['customerId']);
  const counted = totals.slice(0, maxMembers);
  const byCustomer = new Map(counted.map((row) => [row.customerId ?? '', row]));
  const groups: TotalsGroup[] = [];
  for (const { id, name, members } of await segmentsAmong(tx, [...byCustomer.keys()])) {
    const rows = [...members].flatMap((customerId) => byCustomer.get(customerId) ?? []);
    const [head, ...rest] = rows;
    if (head === undefined) continue;
    const sums = rest.reduce<TotalsSums>(added, head);
    groups.push({ id, name, impressions: sums.impressions, sums });
  }
  const notes = ['Current segments. A customer counts in each of their segments.'];
  if (totals.length > maxMembers) notes.push(`${maxMembers} of ${totals.length} customers are counted.`);
  return { groups, notes };
}

const offerPerformanceGrouped: Source = {
  key: 'offer_performance_grouped',
  label: 'Performance by group',
  description: 'Results of offers by channel, category or segment, most impressions first.',
  params: [...historyParams.filter((name) => name !== 'segmentId'), 'groupBy'],
  groupings: ['channel', 'category', 'segment'],
  columns: ({ groupBy = 'channel' }) => [
    column('group', groupBy[0]?.toUpperCase() + groupBy.slice(1), 'text'),
    ...performanceColumns,
  ],
  chart: () => ({ kind: 'bar', x: 'group', y: ['impressions', 'conversions'] }),
  async read(tx, asked) {
    const { groupBy = 'channel' } = asked.params;
    const read = { channel: byChannel, category: byCategory, segment: bySegment, offer: byChannel }[groupBy];
    const { groups, notes } = await read(tx, asked);
    const shown = mostShown(groups, ({ id }) => id, asked.limit);
    return sourceResult(
      shown.map(({ id, name, sums }) => ({ group: name, groupId: id, ...performanceOf(sums) })),
      notes,
    );
  },
};

const selectionFrequency: Source = {
  key: 'selection_frequency',
  label: 'Selection frequency',
  description:
    'How often decisions selected each offer, and at which rank. Eligible and scored counts come from traces.',
  params: ['days', 'limit', 'offerId', 'channelId', 'categoryId'],
  columns: () => [
    column('offer', 'Offer', 'text'),
    column('eligible', 'Eligible', 'integer'),
    column('scored', 'Scored', 'integer'),
    column('selected', 'Selected', 'integer'),
    column('averageRank', 'Average rank', 'decimal'),
  ],
  chart: () => ({ kind: 'bar', x: 'offer', y: ['selected'] }),
  async read(tx, asked, { archive }) {
    const { frame, params, limit } = asked;
    const filter = await filterOf(tx, params);
    const span = { from: frame.from, to: new Date(frame.now.getTime() + 1) };
    const selections = await readAllSelections(tx, archive, span, filter);
    const window = traceWindow(asked);
    const read = await countTraces(tx, window);
    const figures = new Map((await readOfferFigures(tx, window)).map((row) => [row.offerId, row]));
    const selected = new Map(selections.map((row) => [row.offerId, row]));
    const known = [...new Set([...selected.keys(), ...figures.keys()])].filter(
      (id) => filter.offerIds?.includes(id) ?? true,
    );
    const shown = known
      .toSorted((a, b) => (selected.get(b)?.selected ?? 0) - (selected.get(a)?.selected ?? 0) || (a < b ? -1 : 1))
      .slice(0, limit);
    const nameOf = await offerNames(tx, shown);
    return sourceResult(
      shown.map((offerId) => ({
        offer: nameOf(offerId),
        offerId,
        eligible: read === 0 ? null : (figures.get(offerId)?.eligible ?? 0),
        scored: read === 0 ? null : (figures.get(offerId)?.scored ?? 0),
        selected: selected.get(offerId)?.selected ?? 0,
        averageRank: rounded(selected.get(offerId)?.averageRank ?? null),
      })),
      await traceNotes(tx, read),
    );
  },
};

const rounded = (value: number | null): number | null => (value === null ? null : round2(value));

async function byDay(tx: Tx, asked: SourceQuery, shape: (row: TotalsSums) => ReportRow): Promise<SourceResult> {
  const { totals, notes } = await totalsOf(tx, asked, ['day']);
  const days = new Map(totals.map((row) => [row.day, row]));
  const none: TotalsSums = { impressions: 0, positive: 0, clicks: 0, converts: 0, totalValue: 0 };
  return sourceResult(
    asked.frame.days.map((day) => ({ day, ...shape(days.get(day) ?? none) })),
    notes,
  );
}

const dailyTrend: Source = {
  key: 'daily_trend',
  label: 'Daily trend',
  description: 'Impressions and conversions per day.',
  params: trendParams,
  columns: () => [
    column('day', 'Day', 'date'),
    column('impressions', 'Impressions', 'integer'),
    column('conversions', 'Conversions', 'integer'),
  ],
  chart: () => ({ kind: 'line', x: 'day', y: ['impressions', 'conversions'] }),
  read: (tx, asked) => byDay(tx, asked, ({ impressions, converts }) => ({ impressions, conversions: converts })),
};

const revenueTrend: Source = {
  key: 'revenue_trend',
  label: 'Revenue trend',
  description: 'Revenue per day.',
  params: trendParams,
  columns: () => [column('day', 'Day', 'date'), column('revenue', 'Revenue', 'money')],
  chart: () => ({ kind: 'line', x: 'day', y: ['revenue'] }),
  read: (tx, asked) => byDay(tx, asked, ({ totalValue }) => ({ revenue: round2(totalValue) })),
};

/** Sources of what customers saw and did. */
export const totalsSources = {
  offer_performance: offerPerformance,
  offer_performance_grouped: offerPerformanceGrouped,
  acceptance_rate: acceptanceRate,
  channel_effectiveness: channelEffectiveness,
  selection_frequency: selectionFrequency,
  daily_trend: dailyTrend,
  revenue_trend: revenueTrend,
};
