import { viewOffer } from '../compile/catalogue.ts';
import { emptyScope } from '../formula/scope.ts';
import { isObject } from '../json-object.ts';
import type { FormulaScope } from '../plan/formula.ts';
import type { Contribution, EndpointProgram } from '../plan/models.ts';
import type { EndpointQuestion } from '../plan/run.ts';
import type { Json, JsonObject, SnapshotModel, SnapshotOffer } from '../plan/snapshot.ts';
import { stream } from '../random/stream.ts';
import type { ModelKind } from './model-kind.ts';
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
  /** How certain the score is, from 0 to 1; null: the model can't tell. */
  readonly confidence: number | null;
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
  const work = scoreInSlices(model, state, offers, { attributes, customer, now, seed });
  for (;;) {
    const slice = work.next();
    if (slice.done) return slice.value;
  }
}

/** The same, with a pause after each offer: explaining a large model takes milliseconds. */
export function* scoreInSlices(
  model: Pick<SnapshotModel, 'key' | 'modelType' | 'config' | 'predictors'>,
  state: Json,
  offers: readonly (SnapshotOffer | null)[],
  { attributes, customer, now, seed }: ScoreQuestion,
): Generator<void, readonly (ModelAnswer | null)[]> {
  const kind = kindOf(model.modelType);
  const scope = scopeOf({ attributes, customer, now });
  const learned = isObject(state) ? state : (kind.state?.empty(model.config) ?? null);
  const next = stream(seed, `model:${model.key}`);
  const scorer = kind.compile(model).begin(learned, scope, next);
  const answers: (ModelAnswer | null)[] = [];
  for (const offer of offers) {
    scope.offer = offer === null ? null : viewOffer(offer, offer.metadata);
    const id = offer?.id ?? '';
    const score = scorer.score(id, next);
    const isSound = score >= 0 && score <= 1;
    const confidence = scorer.confidence ?? null;
    answers.push(isSound ? { score, rawScore: scorer.raw(id), confidence, explanations: scorer.explain() } : null);
    yield;
  }
  return answers;
}

/** What the endpoint of a model is asked outside a decision; null: it works scores out itself. */
export function endpointQuestion(
  model: Pick<SnapshotModel, 'modelType' | 'config' | 'predictors'>,
  offers: readonly SnapshotOffer[],
  question: Pick<ScoreQuestion, 'attributes' | 'customer' | 'now'>,
): { readonly endpoint: EndpointProgram; readonly question: EndpointQuestion } | null {
  const { endpoint } = kindOf(model.modelType).compile(model);
  if (endpoint === undefined) return null;
  const scope = scopeOf(question);
  const candidates = offers.map((offer) => {
    scope.offer = viewOffer(offer, offer.metadata);
    return { id: offer.id, name: offer.name, attributes: endpoint.offerAttributes(scope) };
  });
  return { endpoint, question: { attributes: endpoint.attributes(scope), candidates } };
}

function kindOf(type: string): ModelKind {
  const kind = modelKinds.get(type);
  if (kind === undefined) throw new Error(`a model of type ${type} can't score`);
  return kind;
}

function scopeOf({ attributes, customer, now }: Pick<ScoreQuestion, 'attributes' | 'customer' | 'now'>): FormulaScope {
  const scope = emptyScope();
  scope.attributes = attributes;
  scope.customer = customer;
  scope.now = now;
  return scope;
}
