/** Number for absent things (an offer without category) and for ids that aren't in the plan. */
export const NONE = -1;

export const UNKNOWN = -2;

/** Dense numbers of ids, so that contacts and candidates are compared as integers. */
export interface Ordinals {
  readonly offer: ReadonlyMap<string, number>;
  readonly creative: ReadonlyMap<string, number>;
  readonly channel: ReadonlyMap<string, number>;
  readonly category: ReadonlyMap<string, number>;
  readonly subCategory: ReadonlyMap<string, number>;
  /** Category and sub-category numbers by offer id, offers outside the plan included. */
  readonly offerCategory: ReadonlyMap<string, readonly [category: number, subCategory: number]>;
}
