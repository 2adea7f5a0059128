import { gateTexts as t } from '../../../messages/decisions/gates.ts';

/** Requirement and result of a gate. */
export interface GateStory {
  /** What lets the offer pass. */
  readonly required: string;
  /** The actual value; null if the gate has none (most passed gates). */
  readonly actual: string | null;
  /** True if the value is missing, which isn't the same as 0. */
  readonly isMissing: boolean;
  readonly figure: Figure;
}

/** Data of the gate's chart. */
export type Figure =
  | { readonly kind: 'none' }
  /** A number and its bounds. */
  | {
      readonly kind: 'ruler';
      readonly value: number | null;
      readonly least: number | null;
      readonly most: number | null;
    }
  /** Segments and memberships. `mustHave` false: must not be a member. */
  | {
      readonly kind: 'set';
      readonly wanted: readonly string[];
      readonly have: readonly string[];
      readonly mustHave: boolean;
    }
  /** Used and allowed. */
  | { readonly kind: 'counter'; readonly used: number; readonly max: number }
  /** Elapsed part of a period. */
  | { readonly kind: 'timer'; readonly elapsed: number; readonly length: number; readonly unit: 'hours' | 'days' }
  /** Open hours and the hour of the decision; null if withheld. */
  | {
      readonly kind: 'clock';
      readonly start: number;
      readonly end: number;
      readonly days: readonly number[];
      readonly hour: number | null;
      readonly day: number | null;
    };

/** Formatters for numbers, instants and IDs. */
export interface Writers {
  readonly number: (value: number) => string;
  readonly instant: (value: string) => string;
  /** Returns the name of an offer, or its ID if unknown. */
  readonly offer: (id: string) => string;
  /** Returns the name of a segment. Rules name segments by ID or name. */
  readonly segment: (idOrName: string) => string;
}

/** Builds a story. `figure` defaults to none. */
export const story = (
  required: string,
  actual: string | null,
  figure: Figure = noFigure,
  isMissing = false,
): GateStory => ({ required, actual, isMissing, figure });

export const noFigure = { kind: 'none' } as const;

/** Formats a JSON value, without quotes around strings. */
export function valueText(value: unknown, write: Pick<Writers, 'number'>): string {
  if (value === null || value === undefined) return t.missing;
  if (typeof value === 'number') return write.number(value);
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (Array.isArray(value)) return value.map((entry) => valueText(entry, write)).join(', ');
  return JSON.stringify(value);
}

/** Formats names as a list. */
export const namesText = (names: readonly string[]): string => (names.length === 0 ? t.nothing : names.join(', '));
