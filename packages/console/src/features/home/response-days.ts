import type { ReportRow } from '@arbiter/contract/operations/report-sources';

export interface ResponseDay {
  /** 2026-11-23, in the tenant's zone. */
  readonly day: string;
  readonly impressions: number;
  readonly conversions: number;
}

export interface ResponseDays {
  readonly byDay: readonly ResponseDay[];
  readonly impressions: number;
  readonly conversions: number;
  /** The day with most conversions, else with most impressions; null when nothing was counted. */
  readonly best: ResponseDay | null;
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Reads the rows of `daily_trend`. */
export function responseDays(rows: readonly ReportRow[]): ResponseDays {
  const byDay = rows.flatMap(({ day, impressions, conversions }): ResponseDay[] =>
    typeof day === 'string' ? [{ day, impressions: numberOf(impressions), conversions: numberOf(conversions) }] : [],
  );
  const counted = byDay.filter(({ impressions, conversions }) => impressions + conversions > 0);
  const [best = null] = counted.toSorted(
    (one, other) => other.conversions - one.conversions || other.impressions - one.impressions,
  );
  const sum = (key: 'impressions' | 'conversions') => byDay.reduce((all, each) => all + each[key], 0);
  return { byDay, impressions: sum('impressions'), conversions: sum('conversions'), best };
}
