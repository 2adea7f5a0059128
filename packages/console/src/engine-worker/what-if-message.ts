/** A changed value of a decision's inputs. */
export interface InputEdit {
  /** `customer.<column>` or `attributes.<name>`. */
  readonly path: string;
  readonly to: string | number | boolean | null;
}

/** Decides a recorded decision again with other inputs. `proof`: its content as JSON, once; later calls use the last one. */
export interface WhatIfRequest {
  readonly id: number;
  readonly proof?: string;
  readonly edits: readonly InputEdit[];
}

/** A value that can be changed, as it was recorded. */
export interface WhatIfField {
  readonly path: string;
  readonly value: InputEdit['to'];
}

/** An offer in a decision. */
export interface WhatIfOffer {
  readonly offerId: string;
  readonly name: string;
  readonly rank: number;
  readonly score: number;
}

/** An offer of the record that the changed inputs drop. */
export interface WhatIfDrop {
  readonly offerId: string;
  /** Code of the reason; null if it was ranked too low. */
  readonly reason: string | null;
}

export interface WhatIfAnswer {
  readonly id: number;
  /**
   * Why it can't be decided again: fields are withheld, this engine can't open the plan, or it can't decide with the changed
   * values. Null if it can.
   */
  readonly failure: 'withheld' | 'plan' | 'values' | null;
  readonly fields: readonly WhatIfField[];
  readonly recorded: readonly WhatIfOffer[];
  readonly offers: readonly WhatIfOffer[];
  readonly drops: readonly WhatIfDrop[];
  /** Milliseconds to decide. */
  readonly tookMs: number;
}
