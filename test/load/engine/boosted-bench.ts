// What boosted trees add to a decision: `node test/load/engine/boosted-bench.ts`. Bars: 60 microseconds for 200 candidates and 100 trees
// of depth 5, and 500 microseconds to explain one score (issue 24). Trees read features of the customer, of the offer, or of both.
import { compile, type DecisionInput, decide, type JsonObject, openExplainer, type Plan } from '@arbiter/engine';
import { input, snapshot } from './engine-case.ts';

const features = 12;
const trees = 100;
const depth = 5;

/** Numbers that look random, the same in each run. */
let state = 9;
const next = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  return (state >>> 0) / 4_294_967_296;
};

const node = (left: number): JsonObject =>
  left === 0
    ? { leaf_value: next() - 0.5, leaf_count: 10 }
    : {
        split_feature: Math.floor(next() * features),
        threshold: next(),
        left_child: node(left - 1),
        right_child: node(left - 1),
        internal_count: 10 * 2 ** left,
      };

/** Model with `ofOffer` features of the offer, the others of the customer. */
function modelOf(ofOffer: number) {
  const names = Array.from({ length: features }, (_, at) => `${at < ofOffer ? 'offer.metadata' : 'attributes'}.f${at}`);
  const tree = () => ({ tree_structure: node(depth) });
  return { names, state: { feature_names: names, objective: 'binary', trees: Array.from({ length: trees }, tree) } };
}

/** Microseconds of processor time for one call: the best of several samples, so that neighbors disturb little. */
function best(work: () => void, rounds: number): number {
  for (let at = 0; at < rounds; at++) work();
  let least = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < 15; sample++) {
    const start = process.cpuUsage();
    for (let at = 0; at < rounds / 5; at++) work();
    least = Math.min(least, process.cpuUsage(start).user / (rounds / 5));
  }
  return least;
}

const ones = { propensityWeight: 1, relevanceWeight: 1, impactWeight: 1, emphasisWeight: 1 };
const plain = snapshot(200, ones);
const values = () => Object.fromEntries(Array.from({ length: features }, (_, at) => [`f${at}`, next()]));

/** The same decision, scored by a model: the evidence of the ladder is asked either way. */
function decisionOf(ofOffer: number | null): () => void {
  const model = ofOffer === null ? null : modelOf(ofOffer);
  const offers = plain.offers.map((offer) => ({ ...offer, metadata: values() }));
  const nodes = plain.flow.config.nodes.map((each) =>
    each.type === 'score'
      ? { ...each, config: { ...each.config, modelKey: 'gbm', propensitySource: 'model_first' } }
      : each,
  );
  const own = {
    id: 'gbm',
    key: 'gbm',
    modelType: 'gradient_boosted',
    config: {},
    predictors: model?.names ?? [],
    names: ['gbm'],
  };
  const flow = { ...plain.flow, config: { ...plain.flow.config, nodes } };
  const plan: Plan = compile({ ...plain, offers, ...(model === null ? {} : { flow, models: [own] }) });
  const made = input(plan, 30);
  const states = model === null ? {} : { modelStates: { gbm: { hash: 'h', state: model.state } } };
  const question: DecisionInput = { ...made, ...states, request: { ...made.request, attributes: values() } };
  return () => {
    decide(plan, question);
  };
}

const without = best(decisionOf(null), 4_000);
console.log(`200 candidates without a model: ${without.toFixed(1)} us`);
for (const ofOffer of [0, 3, 6, 12]) {
  const added = best(decisionOf(ofOffer), 4_000) - without;
  console.log(
    `${trees} trees of depth ${depth}, ${ofOffer} of ${features} features of the offer: ${added.toFixed(1)} us more`,
  );
}
const { names, state: explained } = modelOf(3);
const explainer = openExplainer(names, explained);
const given = Object.fromEntries(names.map((name) => [name, next()]));
console.log(`SHAP values of one score: ${best(() => void explainer?.values(given, null), 400).toFixed(0)} us`);
