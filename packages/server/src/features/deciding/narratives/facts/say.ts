// How narratives print values. The same value always gives the same text: no locale, no clock.

const months = 'January February March April May June July August September October November December'.split(' ');

/** Returns an instant as `29 November 2026 at 02:40:46 UTC`. */
export function instant(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return 'an unknown time';
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()} at ${at.toISOString().slice(11, 19)} UTC`;
}

/** Returns a number with at most 6 decimals and, from 10,000 on, commas. Beyond what numbers hold exactly: `a very large number`. */
export function figure(value: number): string {
  if (!Number.isFinite(value) || Math.abs(value) >= 1e15) return 'a very large number';
  const rounded = Number(value.toFixed(6));
  const [whole = '0', decimals] = Math.abs(rounded)
    .toFixed(6)
    .replace(/\.?0+$/, '')
    .split('.');
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole;
  const sign = rounded < 0 ? '−' : '';
  return `${sign}${grouped}${decimals === undefined ? '' : `.${decimals}`}`;
}

/** Returns the number with its noun: `1 offer`, `3 offers`. */
export const counted = (count: number, noun: string): string => `${figure(count)} ${count === 1 ? noun : `${noun}s`}`;

/** Returns the values as `a, b and c`. */
export function listed(values: readonly string[]): string {
  const last = values.at(-1);
  if (last === undefined) return '';
  return values.length === 1 ? last : `${values.slice(0, -1).join(', ')} and ${last}`;
}
