/** Civil dates without `Date`: proleptic Gregorian calendar, days counted from 1970-01-01 (H. Hinnant's algorithms). */
const DAY_MS = 86_400_000;

export interface CivilDate {
  readonly year: number;
  /** 1-12. */
  readonly month: number;
  /** 1-31. */
  readonly day: number;
}

/** Days from 1970-01-01 to a date of the calendar. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export function civilFromDays(days: number): CivilDate {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1,
  };
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** The instant (epoch ms, years 0 to 9999) as `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export function isoInstant(at: number): string {
  const days = Math.floor(at / DAY_MS);
  const ofDay = at - days * DAY_MS;
  const { year, month, day } = civilFromDays(days);
  const digits = (value: number, count: number): string => String(value).padStart(count, '0');
  const time = [Math.floor(ofDay / 3_600_000), Math.floor(ofDay / 60_000) % 60, Math.floor(ofDay / 1000) % 60];
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}T${time.map((part) => digits(part, 2)).join(':')}.${digits(ofDay % 1000, 3)}Z`;
}

/** UTC offset in ms that a zone has at `at` (epoch ms). `offsets`: oldest first; the first also holds before it. */
export function offsetAt(offsets: readonly (readonly [from: number, offsetMs: number])[], at: number): number {
  let offset = offsets[0]?.[1] ?? 0;
  for (const [from, offsetMs] of offsets) {
    if (from > at) break;
    offset = offsetMs;
  }
  return offset;
}

/**
 * Epoch ms of an ISO date (`YYYY-MM-DD`, midnight UTC) or instant (`YYYY-MM-DDTHH:mm[:ss[.fraction]]` with `Z`,
 * `+HH:mm`, `+HHmm`, `+HH`, or without offset: UTC). Null for every other text. Years 0001 to 9999; fractions beyond ms
 * are cut.
 */
export function parseInstant(text: string): number | null {
  if (text.length < 10 || text.length > 40 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return null;
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 2);
  const day = digitsAt(text, 8, 2);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  const midnight = daysFromCivil(year, month, day) * DAY_MS;
  return text.length === 10 ? midnight : parseTimeOfDay(text, midnight);
}

/** True when the text is an ISO date without a time. */
export function isIsoDate(text: string): boolean {
  return text.length === 10 && parseInstant(text) !== null;
}

function parseTimeOfDay(text: string, midnight: number): number | null {
  if (text.charCodeAt(10) !== 84 || text.charCodeAt(13) !== 58) return null;
  const hour = digitsAt(text, 11, 2);
  const minute = digitsAt(text, 14, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return null;
  let at = 16;
  let second = 0;
  let milliseconds = 0;
  if (text.charCodeAt(at) === 58) {
    second = digitsAt(text, at + 1, 2);
    if (second < 0 || second > 59) return null;
    at += 3;
    if (text.charCodeAt(at) === 46) {
      const start = at + 1;
      at = start;
      while (isDigit(text.charCodeAt(at))) at += 1;
      if (at === start || at - start > 9) return null;
      milliseconds = Number(
        text
          .slice(start, start + 3)
          .slice(0, at - start)
          .padEnd(3, '0'),
      );
    }
  }
  const offset = parseOffset(text, at);
  if (offset === null) return null;
  return midnight + hour * 3_600_000 + minute * 60_000 + second * 1000 + milliseconds - offset;
}

function parseOffset(text: string, at: number): number | null {
  if (at === text.length) return 0;
  const sign = text.charCodeAt(at);
  if (sign === 90) return at + 1 === text.length ? 0 : null;
  if (sign !== 43 && sign !== 45) return null;
  const rest = text.length - at - 1;
  const hours = digitsAt(text, at + 1, 2);
  let minutes = 0;
  if (rest === 4) minutes = digitsAt(text, at + 3, 2);
  else if (rest === 5 && text.charCodeAt(at + 3) === 58) minutes = digitsAt(text, at + 4, 2);
  else if (rest !== 2) return null;
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return null;
  const offset = (hours * 60 + minutes) * 60_000;
  return sign === 43 ? offset : -offset;
}

/** The number that `count` digits from `at` form, -1 when one is not a digit. */
function digitsAt(text: string, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) {
    const code = text.charCodeAt(index);
    if (!isDigit(code)) return -1;
    value = value * 10 + code - 48;
  }
  return value;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
