import type { Json } from '@arbiter/engine';

type JsonObject = Readonly<Record<string, Json>>;

const periodDays: Readonly<Record<string, number>> = {
  daily: 1,
  weekly: 7,
  monthly: 31,
  alltime: Number.POSITIVE_INFINITY,
};

/** Limits of a frequency_cap by the days that they look back. */
const limitDays = { maxPerDay: 1, maxPerWeek: 7, maxPerMonth: 31, maxTotal: Number.POSITIVE_INFINITY } as const;

const numberAt = (config: JsonObject, key: string): number => {
  const value = config[key];
  return typeof value === 'number' ? value : 0;
};

function windowDays(config: JsonObject): number {
  const { windows } = config;
  if (!Array.isArray(windows)) return 0;
  const days = windows.map((window) => {
    if (typeof window !== 'object' || window === null || Array.isArray(window)) return 0;
    return Math.max(numberAt(window, 'days'), numberAt(window, 'hours') / 24);
  });
  return Math.max(0, ...days);
}

const ofPeriod = (config: JsonObject, usual: string): number => {
  const named = typeof config.periodType === 'string' ? config.periodType : usual;
  return Math.max(periodDays[named] ?? 0, windowDays(config));
};

/** How far back a type looks, by its config. */
const looksBack: Readonly<Record<string, (config: JsonObject) => number>> = {
  frequency_cap: (config) => {
    const days = Object.entries(limitDays).map(([key, each]) => (typeof config[key] === 'number' ? each : 0));
    return Math.max(windowDays(config), ...days);
  },
  cooldown: (config) => numberAt(config, 'cooldownHours') / 24,
  outcome_based: (config) => numberAt(config, 'suppressForDays'),
  category_suppression: (config) => numberAt(config, 'suppressionDays'),
  mutual_exclusion: (config) => (typeof config.lookbackDays === 'number' ? config.lookbackDays : 30),
  cross_channel_cap: (config) => ofPeriod(config, 'daily'),
  customer_total_cap: (config) => ofPeriod(config, 'alltime'),
  offer_category_cap: (config) => ofPeriod(config, 'alltime'),
};

/** Days of a customer's history that a policy of this type and config counts; infinite for one without a period. */
export const daysCounted = (ruleType: string, config: JsonObject): number => looksBack[ruleType]?.(config) ?? 0;
