/** What one decision did at a stage. */
export interface StageOfDecision {
  readonly stage: string;
  readonly candidates: number;
  readonly passed: number;
}

/**
 * Returns the average candidates at each stage over the same decisions, so that no stage exceeds the previous one. A
 * decision that ended earlier counts as 0. One whose flow lacks a stage carries its candidates on. Candidates that join
 * later, from a called flow, count from the start.
 * @param order names of the stages, in display order
 */
export function averageCandidates(
  decisions: readonly (readonly StageOfDecision[])[],
  order: readonly string[],
): readonly number[] {
  const sums = order.map(() => 0);
  for (const decision of decisions) {
    const entering = enteringOf(decision, order);
    let joinLater = 0;
    for (let at = order.length - 1; at >= 0; at -= 1) {
      const here = entering[at] ?? 0;
      joinLater += Math.max(0, (entering[at + 1] ?? 0) - here);
      sums[at] = (sums[at] ?? 0) + here + joinLater;
    }
  }
  return sums.map((sum) => (decisions.length === 0 ? 0 : sum / decisions.length));
}

/** The candidates of one decision that come to each stage, or past it. */
function enteringOf(decision: readonly StageOfDecision[], order: readonly string[]): number[] {
  // A flow that is called twice has its stages twice: what came to the first, and what left the last.
  const own = new Map<string, { candidates: number; passed: number }>();
  for (const { stage, candidates, passed } of decision) {
    own.set(stage, { candidates: own.get(stage)?.candidates ?? candidates, passed });
  }
  let carried = own.get(order.find((stage) => own.has(stage)) ?? '')?.candidates ?? 0;
  return order.map((stage) => {
    const { candidates, passed } = own.get(stage) ?? { candidates: carried, passed: carried };
    carried = passed;
    return candidates;
  });
}
