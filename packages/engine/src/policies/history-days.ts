import { isObject } from '../json-object.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';

// How many days of a customer's history a config counts. Configs are checked before, so other values don't occur.

const periodDays = { daily: 1, weekly: 7, monthly: 31, alltime: Number.POSITIVE_INFINITY } as const;

/** Limits of a frequency_cap by the days that they look back. */
const limitDays = { maxPerDay: 1, maxPerWeek: 7, maxPerMonth: 31, maxTotal: Number.POSITIVE_INFINITY } as const;

export const numberIn = (config: JsonObject, key: string): number => {
  const value = config[key];
  return typeof value === 'number' ? value : 0;
};

/** Days of the longest of the config's limits and windows. */
export function daysOfLimits(config: JsonObject): number {
  const days = Object.entries(limitDays).map(([key, each]) => (typeof config[key] === 'number' ? each : 0));
  return Math.max(windowDays(config), ...days);
}

/** Days of the config's period, `usual` when it has none, or of its longest window. */
export function daysOfPeriod({ periodType, ...config }: JsonObject, usual: keyof typeof periodDays): number {
  return Math.max(periodDays[isPeriod(periodType) ? periodType : usual], windowDays(config));
}

function windowDays({ windows }: JsonObject): number {
  const list: readonly Json[] = Array.isArray(windows) ? windows : [];
  const days = list.map((window) =>
    isObject(window) ? Math.max(numberIn(window, 'days'), numberIn(window, 'hours') / 24) : 0,
  );
  return Math.max(0, ...days);
}

const isPeriod = (name: Json | undefined): name is keyof typeof periodDays =>
  typeof name === 'string' && Object.hasOwn(periodDays, name);
