import type { WarningCode } from '@arbiter/contract';

/**
 * What of an input was taken and has no effect: a property, parameter or config key that is not known, or a config that
 * cannot act (docs/design/api-settled.md, "Typos and configs that cannot act"). Never a reason to refuse, unless the caller asks.
 */
export interface Remark {
  /** JSON Pointer into the body, or `query.x`. */
  readonly path: string;
  /** The known name that was probably meant. */
  readonly nearest: string | null;
  /** Why a config cannot act; null for a name that is not known. */
  readonly reason: string | null;
  /** How to fix it. Default: the nearest name, where there is one. */
  readonly suggestion?: string;
  /** Default: `unknown_property` for a name that is not known, else `no_effect`. */
  readonly code?: WarningCode;
  /** True: the request is right as it is, so the header does not name it and a strict caller is not refused. */
  readonly isAdvice?: boolean;
}

/** The remarks on a part of the body, as remarks on the body. */
export function remarksAt(path: string, remarks: readonly Remark[]): Remark[] {
  return remarks.map((remark) => ({ ...remark, path: path + remark.path }));
}

/** Remarks on a record as it is stored: whoever only reads it is told, and refused nothing. */
export function asAdvice(remarks: readonly Remark[]): Remark[] {
  return remarks.map((remark) => ({ ...remark, isAdvice: true }));
}
