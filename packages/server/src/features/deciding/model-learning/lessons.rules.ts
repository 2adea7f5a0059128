import type { Lesson } from '@arbiter/engine';
import type { InteractionEvent } from '../interactions/index.ts';

/** A lesson without what the model read. */
export type Outcome = Omit<Lesson, 'features'>;

/**
 * What an outcome teaches (docs/design/api-decisioning.md 3): positive is reward 1, negative reward 0, neutral nothing, unless the
 * model weighs the outcome: above 0 reward 1, below 0 reward 0, with its absolute value as weight; 0: nothing. Null: nothing.
 */
export function lessonOf(
  { offerId, outcomeTypeKey, classification }: Pick<InteractionEvent, 'offerId' | 'outcomeTypeKey' | 'classification'>,
  weights: Readonly<Record<string, number>>,
): Outcome | null {
  if (offerId === null) return null;
  if (Object.hasOwn(weights, outcomeTypeKey)) {
    const weight = weights[outcomeTypeKey]!;
    return weight === 0 ? null : { offerId, reward: weight > 0 ? 1 : 0, weight: Math.abs(weight) };
  }
  if (classification === 'neutral') return null;
  return { offerId, reward: classification === 'positive' ? 1 : 0, weight: 1 };
}
