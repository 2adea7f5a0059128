/** A number as a text prints it. */
export interface PrintedNumber {
  readonly value: number;
  /** Digits after the point. */
  readonly decimals: number;
  readonly isPercent: boolean;
  /** Without the sign of thousands and of percent. */
  readonly digits: string;
}

const pattern = /[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?: ?%)?/g;

/** Returns the numbers of a text, in order. */
export function printedNumbers(text: string): PrintedNumber[] {
  return [...text.matchAll(pattern)].map(([found]) => {
    const digits = found.replace('−', '-').replace(/[,% ]/g, '');
    const [, decimals = ''] = digits.split('.');
    return { value: Number(digits), decimals: decimals.length, isPercent: found.endsWith('%'), digits };
  });
}

/** Numbers as digits go no further than this exactly. */
const maxExact = 1e15;

/** True if the printed number is the given one, rounded to the printed digits. A number isn't rounded to nothing. */
export function isRounded(printed: PrintedNumber, given: number): boolean {
  const of = printed.isPercent ? given * 100 : given;
  if (!Number.isFinite(of) || Math.abs(of) >= maxExact || printed.decimals > 15) return false;
  if (printed.value === 0) return of === 0;
  return Number(of.toFixed(printed.decimals)) === printed.value;
}

/** True if both texts print the same number, or the first is the second, rounded. */
export function isSameNumber(printed: PrintedNumber, other: PrintedNumber): boolean {
  if (printed.digits === other.digits && printed.isPercent === other.isPercent) return true;
  if (printed.isPercent !== other.isPercent) return printed.isPercent && isRounded(printed, other.value);
  return isRounded({ ...printed, isPercent: false }, other.value);
}

/** Returns every number inside a value. */
export function numbersWithin(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(numbersWithin);
}

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty';
const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth';

/** Words that state a number. */
export const numberWords: ReadonlyMap<string, number> = new Map([
  ...small.split(' ').map((word, at): [string, number] => [word, at]),
  ...ordinals.split(' ').map((word, at): [string, number] => [word, at + 1]),
  ...['thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety', 'hundred'].map(
    (word, at): [string, number] => [word, at * 10 + 30],
  ),
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
  ['dozen', 12],
  ['half', 0.5],
  ['quarter', 0.25],
  ['once', 1],
  ['single', 1],
  ['sole', 1],
  ['twice', 2],
  ['both', 2],
  ['pair', 2],
  ['couple', 2],
  ['double', 2],
  ['triple', 3],
]);
