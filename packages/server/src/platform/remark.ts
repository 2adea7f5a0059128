import type { WarningCode } from '@arbiter/contract';

/**
 * Input that was accepted but has no effect: an unknown property, parameter or config key, or a config that can't do
 * anything (docs/design/api-settled.md, "Typos and configs that cannot act"). Never a reason to reject, unless the
 * caller asks.
 */
export interface Remark {
  /** JSON Pointer into the body, or `query.x`. */
  readonly path: string;
  /** The known name that was probably meant. */
  readonly nearest: string | null;
  /** Why a config cannot act; null for a name that is not known. */
  readonly reason: string | null;
  /** How to fix it. Default: the nearest name, if any. */
  readonly suggestion?: string;
  /** Default: `unknown_property` for a name that is not known, else `no_effect`. */
  readonly code?: WarningCode;
  /** True: the request is right as it is, so the header omits it and strict handling accepts it. */
  readonly isAdvice?: boolean;
}

/** The remarks on a part of the body, as remarks on the body. */
export function remarksAt(path: string, remarks: readonly Remark[]): Remark[] {
  return remarks.map((remark) => ({ ...remark, path: path + remark.path }));
}

/** Returns the remarks for a stored record: a reader sees them as advice, and nothing is rejected. */
export function asAdvice(remarks: readonly Remark[]): Remark[] {
  return remarks.map((remark) => ({ ...remark, isAdvice: true }));
}
