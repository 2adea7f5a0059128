/** Where and how the tenant writes numbers and times. */
export interface Locale {
  /** BCP 47 tag: `en-GB`. */
  readonly locale: string;
  /** IANA name: `Europe/Berlin`. */
  readonly timeZone: string;
  /** ISO 4217 code: `EUR`. */
  readonly currency: string;
}

/** A point in time as the API or the page has it: ISO 8601 text, milliseconds, or a Date. */
export type Instant = string | number | Date;

export interface Format {
  readonly locale: Locale;
  /** 1,204 · at most `digits` places after the point (3). */
  number(value: number, digits?: number): string;
  /** A score: always the same number of places, so that columns of them line up. */
  fixed(value: number, digits: number): string;
  /** 0.124 -> 12.4 %. */
  percent(share: number, digits?: number): string;
  /** 1204 -> 1.2k, for places that also show the exact number. */
  short(value: number): string;
  money(value: number): string;
  /** 22 Nov 2026, 12:04:31. */
  instant(at: Instant): string;
  /** 22 Nov, 12:04. */
  moment(at: Instant): string;
  date(at: Instant): string;
  /** 22 Nov, for axes. */
  day(at: Instant): string;
  /** 12:04, for axes. */
  hour(at: Instant): string;
  time(at: Instant): string;
  /** "2 min ago", "in 3 h": words of a sentence, and so in the language of the texts; `now` in milliseconds. */
  ago(at: Instant, now: number): string;
  /** 3.1 ms, 12 s, 4 min. Takes milliseconds. */
  duration(milliseconds: number): string;
}

/** What the texts of the console are written in. The tenant's locale says how numbers and times are written, not words. */
const textLanguage = 'en-GB';

const units: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

function memoized<Arguments extends readonly unknown[], Formatter>(make: (...args: Arguments) => Formatter) {
  const cache = new Map<string, Formatter>();
  return (...args: Arguments): Formatter => {
    const key = args.join();
    const known = cache.get(key);
    if (known !== undefined) return known;
    const value = make(...args);
    cache.set(key, value);
    return value;
  };
}

/** Writers of numbers and times for one tenant. The formatters of Intl are slow to make and are made once. */
export function formatFor(where: Locale): Format {
  const { locale, timeZone, currency } = where;
  const numbers = memoized(
    (least: number, most: number) =>
      new Intl.NumberFormat(locale, { minimumFractionDigits: least, maximumFractionDigits: most }),
  );
  const percents = memoized(
    (digits: number) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: digits }),
  );
  const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency });
  const written = (options: Intl.DateTimeFormatOptions) => {
    const writer = new Intl.DateTimeFormat(locale, { timeZone, ...options });
    return (at: Instant) => writer.format(new Date(at));
  };
  const relative = new Intl.RelativeTimeFormat(textLanguage, { style: 'short', numeric: 'auto' });
  return {
    locale: where,
    number: (value, digits = 3) => numbers(0, digits).format(value),
    fixed: (value, digits) => numbers(digits, digits).format(value),
    percent: (share, digits = 1) => percents(digits).format(share),
    short: (value) => short.format(value),
    money: (value) => money.format(value),
    instant: written({ dateStyle: 'medium', timeStyle: 'medium' }),
    moment: written({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' }),
    date: written({ dateStyle: 'medium' }),
    day: written({ day: 'numeric', month: 'short' }),
    hour: written({ hour: 'numeric', minute: '2-digit' }),
    time: written({ hour: 'numeric', minute: '2-digit', second: '2-digit' }),
    ago: (at, now) => {
      const seconds = (new Date(at).getTime() - now) / 1000;
      const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const);
      return relative.format(Math.trunc(seconds / size), unit);
    },
    duration: (milliseconds) => {
      const unit = (value: number, name: string, digits: number) =>
        new Intl.NumberFormat(locale, { style: 'unit', unit: name, maximumFractionDigits: digits }).format(value);
      if (milliseconds < 1) return unit(milliseconds, 'millisecond', 2);
      if (milliseconds < 1_000) return unit(milliseconds, 'millisecond', milliseconds < 10 ? 1 : 0);
      if (milliseconds < 60_000) return unit(milliseconds / 1_000, 'second', milliseconds < 10_000 ? 1 : 0);
      if (milliseconds < 3_600_000) return unit(milliseconds / 60_000, 'minute', 0);
      return unit(milliseconds / 3_600_000, 'hour', 1);
    },
  };
}

/** `0199a3f2…c2`: the two ends of a long id or hash, by which people know it again. */
export function middleCut(text: string, first = 8, last = 4): string {
  return text.length <= first + last + 1 ? text : `${text.slice(0, first)}…${text.slice(-last)}`;
}
