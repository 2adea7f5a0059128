import { isIsoDate, parseInstant } from '../arithmetic/calendar.ts';
import { numberField, textField } from '../compile/config-fields.ts';
import { readConfig } from '../compile/config-problems.ts';
import { readPath, splitPath } from '../compile/paths.ts';
import type { Run } from '../plan/run.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { focus } from '../stages/candidates.ts';
import { isEditable } from '../why-not/edits.ts';
import { missingField, missingWords, type RuleKind } from './rule-kind.ts';

const dayMs = 86_400_000;
const longestDays = 36_500;

/**
 * Returns days since a date or instant in text: whole 24 hours for an instant, calendar days up to `today`
 * (`YYYY-MM-DD`) for a date; 0 for the future. Null: it's neither (docs/design/api-settled.md 66).
 */
export function daysSince(value: Json | undefined, now: number, today: string): number | null {
  if (typeof value !== 'string') return null;
  const at = parseInstant(value);
  if (at === null) return null;
  const until = isIsoDate(value) ? (parseInstant(today) ?? now) : now;
  return Math.max(0, Math.floor((until - at) / dayMs));
}

const fields = {
  attribute: textField('Path of a date or an instant, such as `customer.last_visit`.'),
  maxDays: numberField(0, longestDays, 'Maximum age in days of 24 hours. Set this or `minDays`.'),
  minDays: numberField(0, longestDays, 'Minimum age in days of 24 hours.'),
  onMissing: missingField,
};

/** Requires a date at most `maxDays` and at least `minDays` ago (docs/design/api-catalogue.md 9). */
export const recencyCheck: RuleKind = {
  ruleType: 'recency_check',
  defaultStage: 'match',
  check: (config) => parse(config).problems,
  fields,
  required: ['attribute'],
  compile(rule, builder) {
    const { attribute, maxDays, minDays, passMissing } = parse(rule.config);
    const path = splitPath(attribute);
    builder.readPaths([path]);
    const perCustomer = path[0] !== 'offer' && path[0] !== 'channel';
    const daysOf = (run: Run): number | null => daysSince(readPath(run.scope, path), run.now, run.clock.date);
    return {
      perCustomer,
      needsCreative: path[0] === 'channel',
      failingOffers: null,
      wishes(run) {
        if (!isEditable(path)) return [];
        const actual = readPath(run.scope, path);
        const days = daysOf(run);
        const isEarly = maxDays === undefined || (days !== null && minDays !== undefined && days < minDays);
        const wanted = isEarly ? Math.ceil(minDays ?? 0) : Math.floor(maxDays);
        return [{ path, operator: 'days', wanted, actual }];
      },
      passes(run, candidate) {
        if (candidate !== null) focus(run, candidate);
        if (readPath(run.scope, path) === null) return passMissing;
        const days = daysOf(run);
        return days !== null && days <= (maxDays ?? days) && days >= (minDays ?? days);
      },
      explain(run, candidate) {
        focus(run, candidate);
        const days = daysOf(run);
        const isEarly = days !== null && minDays !== undefined && days < minDays;
        const wanted = isEarly || maxDays === undefined ? `at least ${minDays}` : `at most ${maxDays}`;
        return {
          reason: `${attribute} is ${days === null ? 'missing' : `${days} days old`}, ${wanted}`,
          detail: { attribute, maxDays: maxDays ?? null, minDays: minDays ?? null, actualDays: days },
        };
      },
    };
  },
};

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const attribute = reader.text('attribute') ?? '';
  if (attribute === '' && reader.problems.length === 0) reader.refuse('attribute', 'is required');
  const before = reader.problems.length;
  const maxDays = reader.number('maxDays', fields.maxDays);
  const minDays = reader.number('minDays', fields.minDays);
  if (maxDays === undefined && minDays === undefined && reader.problems.length === before) {
    reader.refuse('maxDays', 'is required unless minDays is set');
  }
  if (maxDays !== undefined && minDays !== undefined && minDays > maxDays) {
    reader.refuse('minDays', 'must not be more than maxDays');
  }
  const passMissing = reader.word('onMissing', missingWords) === 'pass';
  return { attribute, maxDays, minDays, passMissing, problems: reader.problems };
}
