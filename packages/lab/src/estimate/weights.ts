import type { EvaluationLog } from './log.ts';

/** Importance weights by place: the product of the ratios up to it. */
export interface Weights {
  readonly full: Float64Array;
  /** At most the clip. */
  readonly clipped: Float64Array;
  /** The clipped weight of the place before; 1 at the first place. */
  readonly before: Float64Array;
}

export function weightsOf({ firstPlace, ratio }: EvaluationLog, clip: number): Weights {
  const full = new Float64Array(ratio.length);
  const clipped = new Float64Array(ratio.length);
  const before = new Float64Array(ratio.length);
  for (let decision = 0; decision + 1 < firstPlace.length; decision++) {
    let weight = 1;
    for (let place = firstPlace[decision]!; place < firstPlace[decision + 1]!; place++) {
      before[place] = Math.min(weight, clip);
      weight *= ratio[place]!;
      full[place] = weight;
      clipped[place] = Math.min(weight, clip);
    }
  }
  return { full, clipped, before };
}
