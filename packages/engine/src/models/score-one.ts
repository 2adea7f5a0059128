import { viewOffer } from '../compile/catalogue.ts';
import { emptyScope } from '../formula/scope.ts';
import type { Contribution } from '../plan/models.ts';
import type { Json, JsonObject, SnapshotModel, SnapshotOffer } from '../plan/snapshot.ts';
import { stream } from '../random/stream.ts';
import { modelKinds } from './model-kinds.ts';

/** What a model needs to score outside a decision. */
export interface ScoreQuestion {
  readonly attributes: JsonObject;
  /** `customer.*`. */
  readonly customer: JsonObject;
  /** Epoch ms. */
  readonly now: number;
  /** 32 hex digits, the seed of a bandit's draws. */
  readonly seed: string;
}

export interface ModelAnswer {
  readonly score: number;
  readonly rawScore: number;
  readonly explanations: readonly Contribution[];
}

/**
 * Scores offers by a model outside a decision, as decisions would (docs/design/api-decisioning.md 15); `[null]` asks for the
 * customer without an offer. Null in the answer: the model has no sound score for it. Throws for an unknown type.
 */
export function scoreOffers(
  model: Pick<SnapshotModel, 'key' | 'modelType' | 'config' | 'predictors'>,
  state: Json,
  offers: readonly (SnapshotOffer | null)[],
  { attributes, customer, now, seed }: ScoreQuestion,
): readonly (ModelAnswer | null)[] {
  const kind = modelKinds.get(model.modelType);
  if (kind === undefined) throw new Error(`a model of type ${model.modelType} can't score`);
  const scope = emptyScope();
  scope.attributes = attributes;
  scope.customer = customer;
  scope.now = now;
  const learned = state !== null && typeof state === 'object' && !Array.isArray(state) ? (state as JsonObject) : null;
  const next = stream(seed, `model:${model.key}`);
  const scorer = kind.compile(model).begin(learned, scope, next);
  return offers.map((offer) => {
    scope.offer = offer === null ? null : viewOffer(offer, offer.metadata);
    const id = offer?.id ?? '';
    const score = scorer.score(id, next);
    if (!(score >= 0 && score <= 1)) return null;
    return { score, rawScore: scorer.raw(id), explanations: scorer.explain() };
  });
}
