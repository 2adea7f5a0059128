import { type ConfigField, integerField } from '../compile/config-fields.ts';
import { type ConfigReader, type ConfigRemark, readConfig, unknownKeys } from '../compile/config-problems.ts';
import { isObject } from '../json-object.ts';
import type { CapLimit } from '../plan/offer.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The highest limit that a cap may have. */
export const maxContacts = 1_000_000;

const calendar = {
  daily: { kind: 'day', word: 'day' },
  weekly: { kind: 'week', word: 'week' },
  monthly: { kind: 'month', word: 'month' },
  alltime: { kind: 'alltime', word: 'total' },
} as const;

/** A limit on a day, week or month of the tenant's zone, or on all contacts ever. */
export function calendarLimit(period: keyof typeof calendar, max: number): CapLimit {
  const { kind, word } = calendar[period];
  return { spec: { kind }, max, period, word, length: null };
}

const maxWindows = 5;
const windowFields = {
  max: integerField(0, maxContacts, 'Maximum contacts.'),
  days: integerField(1, 365, 'Length of the window in days of 24 hours. Set either this or `hours`.'),
  hours: integerField(1, 8760, 'Length of the window in hours. Set either this or `days`.'),
};

export const windowsField: ConfigField = {
  type: 'array',
  maxItems: maxWindows,
  items: { type: 'object', properties: windowFields, required: ['max'] },
  description: 'Limits over rolling windows. Each counts the contacts of its last hours or days.',
  default: [],
};

/** `windows: [{ max, days }]` or `[{ max, hours }]`, at most 5 (docs/design/api-catalogue.md 8.2). */
export function readRolling(value: Json | undefined, reader: ConfigReader): CapLimit[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > maxWindows) {
    reader.refuse('windows', `must be a list of at most ${maxWindows} windows`);
    return [];
  }
  const limits: CapLimit[] = [];
  value.forEach((entry: Json, position) => {
    const limit = readWindow(entry);
    if (limit === null) {
      reader.refuse(`windows/${position}`, 'must be { max: 0-1000000, days: 1-365 } or { max, hours: 1-8760 }');
    } else {
      limits.push(limit);
    }
  });
  return limits;
}

/** Unknown keys of the rolling windows of a config without problems. */
export function windowRemarks(config: JsonObject): ConfigRemark[] {
  const windows: readonly Json[] = Array.isArray(config.windows) ? config.windows : [];
  return windows.flatMap((window, at) => unknownKeys(window, Object.keys(windowFields), `/windows/${at}`));
}

function readWindow(entry: Json): CapLimit | null {
  if (!isObject(entry)) return null;
  const reader = readConfig(entry);
  const max = reader.integer('max', windowFields.max);
  const days = reader.integer('days', windowFields.days);
  const hours = reader.integer('hours', windowFields.hours);
  if (reader.problems.length > 0 || max === undefined) return null;
  if (days !== undefined && hours === undefined) {
    return {
      spec: { kind: 'rolling', ms: days * dayMs },
      max,
      period: 'rolling',
      word: `${days}d`,
      length: { windowDays: days },
    };
  }
  if (hours !== undefined && days === undefined) {
    return {
      spec: { kind: 'rolling', ms: hours * hourMs },
      max,
      period: 'rolling',
      word: `${hours}h`,
      length: { windowHours: hours },
    };
  }
  return null;
}
