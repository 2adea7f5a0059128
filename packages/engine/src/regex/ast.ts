/** Ranges of code points, ends included: `[from, to, from, to, ...]`, in order of appearance. */
export type Ranges = readonly number[];

export type RegexNode =
  | { readonly kind: 'set'; readonly ranges: Ranges; readonly negated: boolean }
  | { readonly kind: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'alternatives'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'repeat'; readonly item: RegexNode; readonly min: number; readonly max: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion };

export type Assertion = 'start' | 'end' | 'word_boundary' | 'no_word_boundary';

export const DIGITS: Ranges = [48, 57];
export const WORD: Ranges = [48, 57, 65, 90, 95, 95, 97, 122];
export const LINE_ENDS: Ranges = [10, 10, 13, 13, 0x2028, 0x2029];
/** White space and line ends of the language. */
export const SPACE: Ranges = [
  9, 13, 32, 32, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000,
  0x3000, 0xfeff, 0xfeff,
];

export const LAST_CODE_POINT = 0x10ffff;

/** The ranges of everything outside. */
export function complement(ranges: Ranges): Ranges {
  const sorted: [number, number][] = [];
  for (let at = 0; at + 1 < ranges.length; at += 2) sorted.push([ranges[at] as number, ranges[at + 1] as number]);
  sorted.sort((a, b) => a[0] - b[0]);
  const outside: number[] = [];
  let next = 0;
  for (const [from, to] of sorted) {
    if (from > next) outside.push(next, from - 1);
    next = Math.max(next, to + 1);
  }
  if (next <= LAST_CODE_POINT) outside.push(next, LAST_CODE_POINT);
  return outside;
}

export function isInRanges(ranges: Ranges, codePoint: number): boolean {
  for (let at = 0; at < ranges.length; at += 2) {
    if (codePoint >= (ranges[at] as number) && codePoint <= (ranges[at + 1] as number)) return true;
  }
  return false;
}
