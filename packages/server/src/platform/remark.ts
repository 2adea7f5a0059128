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
}

/** The remarks on a part of the body, as remarks on the body. */
export function remarksAt(path: string, remarks: readonly Remark[]): Remark[] {
  return remarks.map((remark) => ({ ...remark, path: path + remark.path }));
}
