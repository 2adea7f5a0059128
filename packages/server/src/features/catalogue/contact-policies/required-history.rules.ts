import type { ContactPolicyType } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';

type JsonObject = Readonly<Record<string, Json>>;

const periodDays = {
  daily: 1,
  weekly: 7,
  monthly: 31,
  alltime: Number.POSITIVE_INFINITY,
} as const;

/** Limits of a frequency_cap by the number of days they cover. */
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

/** Days of the config's period, or of its default. Configs were checked, so no other names occur. */
function periodOf(config: JsonObject, usual: keyof typeof periodDays): number {
  const { periodType } = config;
  const name = isPeriod(periodType) ? periodType : usual;
  return Math.max(periodDays[name], windowDays(config));
}

const isPeriod = (name: Json | undefined): name is keyof typeof periodDays =>
  typeof name === 'string' && Object.hasOwn(periodDays, name);

const nothing = () => 0;

/** Days of history that each policy type counts, given its config. */
const countedDays = {
  frequency_cap: (config) => {
    const days = Object.entries(limitDays).map(([key, each]) => (typeof config[key] === 'number' ? each : 0));
    return Math.max(windowDays(config), ...days);
  },
  cooldown: (config) => numberAt(config, 'cooldownHours') / 24,
  outcome_based: (config) => numberAt(config, 'suppressForDays'),
  category_suppression: (config) => numberAt(config, 'suppressionDays'),
  mutual_exclusion: (config) => (typeof config.lookbackDays === 'number' ? config.lookbackDays : 30),
  cross_channel_cap: (config) => periodOf(config, 'daily'),
  customer_total_cap: (config) => periodOf(config, 'alltime'),
  offer_category_cap: (config) => periodOf(config, 'alltime'),
  budget_exhausted: nothing,
  segment_exclusion: nothing,
  time_window: nothing,
  allow_override: nothing,
  do_not_contact: nothing,
  metric_condition: nothing,
} satisfies Record<ContactPolicyType, (config: JsonObject) => number>;

/** Returns the days of a customer's history that a policy counts: 0 for none, infinite without a period. */
export const daysCounted = (ruleType: ContactPolicyType, config: JsonObject): number => countedDays[ruleType](config);
