import type { CreativeCreate, CreativeMetrics, ErrorEntry, PersonalizationEntry } from '@arbiter/contract';

/** The fields of a creative that a write may carry. */
export type CreativeFields = Partial<CreativeCreate>;

/** Counts of a creative. */
export type CreativeCounts = Omit<CreativeMetrics, 'ctr' | 'cvr'>;

/** The figures of a creative with their rates; of null without any. */
export function metricsOf(counts: CreativeCounts | null): CreativeMetrics {
  const { impressions, clicks, conversions, positive, negative } = counts ?? {
    impressions: 0,
    clicks: 0,
    conversions: 0,
    positive: 0,
    negative: 0,
  };
  const rate = (part: number) => (impressions === 0 ? 0 : Math.round((part / impressions) * 10_000) / 100);
  return { impressions, clicks, conversions, positive, negative, ctr: rate(clicks), cvr: rate(conversions) };
}

/** Longest content, in bytes of UTF-8 JSON. */
const contentBytes = 100 * 1024;

/** `customer.x`, `attributes.x.y`, `personalization.x`. */
const sourcePattern = /^(?:customer|attributes|personalization)(?:\.[^.\s]+)+$/;

/** Each variable once; sources under the three roots (docs/design/api-catalogue.md 7). */
export function personalizationProblems(entries: readonly PersonalizationEntry[]): ErrorEntry[] {
  const seen = new Set<string>();
  return entries.flatMap(({ variable, source }, index): ErrorEntry[] => {
    const problems: ErrorEntry[] = [];
    if (seen.has(variable))
      problems.push({ path: `/personalization/${index}/variable`, message: 'is listed more than once' });
    seen.add(variable);
    if (typeof source === 'string' && !sourcePattern.test(source)) {
      problems.push({
        path: `/personalization/${index}/source`,
        message: 'must be a path that starts with customer., attributes. or personalization.',
      });
    }
    return problems;
  });
}

/** `bytes`: size of a text in UTF-8. */
export function contentProblems(
  content: Readonly<Record<string, unknown>>,
  bytes: (text: string) => number,
): ErrorEntry[] {
  if (bytes(JSON.stringify(content)) <= contentBytes) return [];
  return [{ path: '/content', message: `must be at most ${contentBytes} bytes` }];
}

/** What a placement asks of the creatives bound to it (docs/design/api-catalogue.md 5.2). */
export interface PlacementSchema {
  readonly requiredFields?: readonly string[];
  readonly maxLength?: Readonly<Record<string, number>>;
}

const isBlank = (value: unknown) => value === undefined || value === null || value === '';

/** What an active creative's content lacks for its placement. Lengths count code points. */
export function placementProblems(schema: PlacementSchema, content: Readonly<Record<string, unknown>>): ErrorEntry[] {
  const values = new Map(Object.entries(content));
  const missing = (schema.requiredFields ?? [])
    .filter((key) => isBlank(values.get(key)))
    .map((key) => ({ path: `/content/${key}`, message: 'is required by the placement' }));
  const long = Object.entries(schema.maxLength ?? {}).flatMap(([key, maximum]): ErrorEntry[] => {
    const value = values.get(key);
    if (typeof value !== 'string' || [...value].length <= maximum) return [];
    return [{ path: `/content/${key}`, message: `must be at most ${maximum} characters for this placement` }];
  });
  return [...missing, ...long];
}
