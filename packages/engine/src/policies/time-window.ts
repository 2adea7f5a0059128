import { integerField, textField } from '../compile/config-fields.ts';
import { type ConfigRemark, readConfig } from '../compile/config-problems.ts';
import { readPath, splitPath } from '../compile/paths.ts';
import type { ZoneClock } from '../plan/input.ts';
import type { Run } from '../plan/run.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import type { PolicyKind } from './policy-kind.ts';

interface TimeWindow {
  readonly startHour: number;
  readonly endHour: number;
  /** 0 = Sunday; empty: all days. */
  readonly days: readonly number[];
}

const fields = {
  startHour: integerField(0, 24, 'First hour of the day in which contacts are allowed, inclusive.', { default: 0 }),
  endHour: integerField(
    0,
    24,
    'Hour of the day at which contacts stop being allowed, exclusive. If it is earlier than `startHour`, the window ends on the next day.',
    {
      default: 24,
    },
  ),
  daysOfWeek: {
    type: 'array',
    items: { type: 'integer', minimum: 0, maximum: 6 },
    description: 'Days of the week on which a window starts. 0 is Sunday. Empty means every day.',
    default: [],
  },
  timezone: textField("IANA time zone of the hours. Default: the tenant's."),
  zonePath: textField(
    "Path of the customer's own time zone, such as `customer.timezone`. If it has a value, it takes precedence over `timezone`.",
  ),
};

/**
 * Blocks outside the allowed hours and days (docs/design/quality.md E16): start inclusive, end exclusive, past midnight
 * when the start is the later one; a window belongs to the day on which it starts.
 */
export const timeWindow: PolicyKind = {
  ruleType: 'time_window',
  fields,
  required: [],
  historyDays: () => 0,
  check: (config) => parse(config).problems,
  remarks,
  compile(policy, _scope, builder) {
    const { window, timezone, zonePath } = parse(policy.config);
    const usual = timezone ?? builder.snapshot.tenant.timezone;
    builder.zone(usual);
    const path = zonePath === undefined ? null : splitPath(zonePath);
    if (path !== null) {
      builder.readPaths([path]);
      builder.zonePath(path);
    }
    const zoneOf = ({ input, scope }: Run): string => {
      const own = path === null ? null : readPath(scope, path);
      return typeof own === 'string' && Object.hasOwn(input.zones, own) ? own : usual;
    };
    const isOutside = (run: Run): boolean => !isInside(window, run.input.zones[zoneOf(run)]!);
    return {
      role: 'block',
      final: false,
      bindsMandatory: false,
      needsCreative: false,
      countsAll: false,
      reach: (run) => (isOutside(run) ? 'all' : 'none'),
      // Candidates are asked only when `reach` says that it's outside.
      blocks: isOutside,
      explain(run) {
        const zone = zoneOf(run);
        const { hour, weekday } = run.input.zones[zone]!;
        const { startHour, endHour, days } = window;
        return {
          reason: `outside time window: hour ${hour}, allowed ${startHour}-${endHour}`,
          detail: {
            allowedDays: days.length === 0 ? everyDay : days,
            currentDay: weekday,
            startHour,
            endHour,
            currentHour: hour,
            timezone: zone,
          },
        };
      },
      take: null,
    };
  },
};

const everyDay = [0, 1, 2, 3, 4, 5, 6];

function isInside(
  { startHour, endHour, days }: TimeWindow,
  { hour, weekday }: Pick<ZoneClock, 'hour' | 'weekday'>,
): boolean {
  const isOn = (day: number): boolean => days.length === 0 || days.includes(day);
  if (startHour === endHour) return isOn(weekday);
  if (startHour < endHour) return hour >= startHour && hour < endHour && isOn(weekday);
  if (hour >= startHour) return isOn(weekday);
  return hour < endHour && isOn((weekday + 6) % 7);
}

/** Whether a time_window policy with this config lets a contact through in this hour. */
export const timeWindowOpens = (config: JsonObject, clock: Pick<ZoneClock, 'hour' | 'weekday'>): boolean =>
  isInside(parse(config).window, clock);

function remarks(config: JsonObject): readonly ConfigRemark[] {
  const { startHour, endHour, days } = parse(config).window;
  const wholeDay = startHour === endHour || (startHour === 0 && endHour === 24);
  if (!wholeDay || new Set(days).size % 7 !== 0) return [];
  return [
    {
      path: '',
      nearest: null,
      reason: 'The window allows every hour of every day, so the policy blocks nothing.',
      suggestion: 'Set startHour and endHour, or daysOfWeek.',
    },
  ];
}

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const startHour = reader.integer('startHour', fields.startHour) ?? 0;
  const endHour = reader.integer('endHour', fields.endHour) ?? 24;
  const days: number[] = [];
  const listed = config.daysOfWeek;
  if (listed !== undefined && listed !== null) {
    if (!Array.isArray(listed)) reader.refuse('daysOfWeek', 'must be a list of integers from 0 to 6');
    else {
      listed.forEach((day, position) => {
        if (typeof day === 'number' && Number.isInteger(day) && day >= 0 && day <= 6) days.push(day);
        else reader.refuse(`daysOfWeek/${position}`, 'must be an integer from 0 to 6');
      });
    }
  }
  const timezone = reader.text('timezone');
  if (timezone === '') reader.refuse('timezone', 'must not be empty');
  const zonePath = reader.text('zonePath');
  if (zonePath !== undefined && !/^customer\.[^.]+$/.test(zonePath)) {
    reader.refuse('zonePath', 'must be a path under customer, such as customer.timezone');
  }
  reader.flag('bypassable');
  return { window: { startHour, endHour, days }, timezone, zonePath, problems: reader.problems };
}
