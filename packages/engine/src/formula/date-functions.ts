import { civilFromDays, isIsoDate, offsetAt, parseInstant } from '../arithmetic/calendar.ts';
import type { FormulaScope, FormulaValue } from '../plan/formula.ts';
import { type Evaluate, type Failures, fail, toText, toTextResult } from './evaluate.ts';
import type { FormulaFunction } from './formula-function.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Instants of the years 0001 to 9999. */
const FIRST_INSTANT = -62_135_596_800_000;
const LAST_INSTANT = 253_402_300_799_999;

export const dateFunctions: Readonly<Record<string, FormulaFunction>> = {
  now: { min: 0, max: 0, compile: () => (scope) => scope.now },
  days_between: elapsed(DAY_MS),
  hours_between: elapsed(HOUR_MS),
  format_date: {
    min: 2,
    max: 2,
    readsZone: true,
    compile({ args, failures }) {
      const [time, layout] = args as [Evaluate, Evaluate];
      return (scope) => {
        const value = time(scope);
        const instant = toInstant(scope, value, failures);
        const pattern = toText(scope, layout(scope), failures);
        if (instant === null || pattern === null) return null;
        // A date without time has no zone: it is the same day everywhere.
        const offset = typeof value === 'string' && isIsoDate(value) ? 0 : offsetAt(scope.zone, instant);
        return toTextResult(scope, formatDate(instant + offset, pattern), failures);
      };
    },
  },
};

/** Returns the time from first to second in whole units, rounded towards zero. */
function elapsed(unitMs: number): FormulaFunction {
  return {
    min: 2,
    max: 2,
    compile({ args, failures }) {
      const [from, to] = args as [Evaluate, Evaluate];
      return (scope) => {
        const start = toInstant(scope, from(scope), failures);
        const end = toInstant(scope, to(scope), failures);
        return start === null || end === null ? null : Math.trunc((end - start) / unitMs) + 0;
      };
    },
  };
}

/** Epoch ms of a number (epoch ms already) or an ISO date or instant. */
function toInstant(scope: FormulaScope, value: FormulaValue, failures: Failures): number | null {
  if (value === null) return fail(scope, failures.nullOperand);
  if (typeof value === 'boolean') return fail(scope, failures.type);
  const instant = typeof value === 'number' ? value : parseInstant(value);
  if (instant === null) return fail(scope, failures.type);
  return instant >= FIRST_INSTANT && instant <= LAST_INSTANT ? instant : fail(scope, failures.domain);
}

/** Replaces `YYYY MM DD HH mm ss`; everything else stays. `local`: ms of the local clock. */
function formatDate(local: number, pattern: string): string {
  const days = Math.floor(local / DAY_MS);
  const { year, month, day } = civilFromDays(days);
  const second = Math.floor((local - days * DAY_MS) / 1000);
  return pattern.replace(/YYYY|MM|DD|HH|mm|ss/g, (token) => {
    switch (token) {
      case 'YYYY':
        return padded(year, 4);
      case 'MM':
        return padded(month, 2);
      case 'DD':
        return padded(day, 2);
      case 'HH':
        return padded(Math.floor(second / 3600), 2);
      case 'mm':
        return padded(Math.floor(second / 60) % 60, 2);
      default:
        return padded(second % 60, 2);
    }
  });
}

function padded(value: number, size: number): string {
  return String(value).padStart(size, '0');
}
