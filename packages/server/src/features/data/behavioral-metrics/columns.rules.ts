import type { DataType } from '@arbiter/contract';

/** What filters may read of an event (docs/design/api-catalogue.md 13). */
export const metricColumns = {
  offerId: 'uuid',
  creativeId: 'uuid',
  channelId: 'uuid',
  categoryId: 'uuid',
  subCategoryId: 'uuid',
  campaignId: 'uuid',
  outcomeType: 'text',
  direction: 'text',
  value: 'numeric',
  occurredAt: 'timestamptz',
  dayOfWeek: 'integer',
  hour: 'integer',
} as const satisfies Readonly<Record<string, DataType>>;

export type MetricColumn = keyof typeof metricColumns;

export const metricColumnNames = Object.keys(metricColumns) as readonly MetricColumn[];

export const isMetricColumn = (name: string): name is MetricColumn => Object.hasOwn(metricColumns, name);

/** Columns by their names in SQL filters: `offer_id`, and `offerid`, because SQL folds names to lower case. */
export const columnsBySqlName: ReadonlyMap<string, MetricColumn> = new Map(
  metricColumnNames.flatMap((name) => [
    [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name],
    [name.toLowerCase(), name],
    [name, name],
  ]),
);
