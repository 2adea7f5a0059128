import { isObject } from '../json-object.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { ModelRun } from '../plan/models.ts';
import type { Run } from '../plan/run.ts';
import type { ScoredRow } from '../plan/trace.ts';
import { stream } from '../random/stream.ts';
import { focus } from '../stages/candidates.ts';
import { endpointScores } from './ask-endpoint.ts';

/** The score of a candidate's offer by a model of the plan; null when the model is not usable, or not for this offer. */
export function modelScore(run: Run, candidate: Candidate, number: number): number | null {
  const { key } = run.program.models.list[number]!;
  if (run.input.openBreakers?.includes(key) === true) {
    run.degraded = true;
    return null;
  }
  const opened = openModel(run, number);
  const score = scoreOf(run, opened, candidate);
  if (score >= 0 && score <= 1) return score;
  opened.failed = true;
  run.degraded = true;
  return null;
}

function scoreOf(run: Run, opened: ModelRun, candidate: Candidate): number {
  const { ordinal } = candidate;
  if (opened.known[ordinal] !== run.number) {
    focus(run, candidate);
    const { program, key } = opened.model;
    const { id } = candidate.offer;
    // An offer that joined the others later has its own stream: the order of requests must not matter.
    const next = program.isRandom ? stream(run.input.seed, `model:${key}:${id}`) : never;
    keepScore(
      run,
      opened,
      ordinal,
      run.probe?.greedy === true ? opened.scorer.greedy(id) : opened.scorer.score(id, next),
    );
  }
  return opened.scores[ordinal]!;
}

function keepScore(run: Run, { scores, known }: ModelRun, ordinal: number, score: number): void {
  scores[ordinal] = score;
  known[ordinal] = run.number;
}

/**
 * Lets the bandits draw the scores of all offers that are left now, in order. Happens at a fixed point, so that draws
 * don't depend on who asks first: a trace asks more than a decision without one.
 */
export function drawModels(run: Run): void {
  for (const number of run.program.models.asked) {
    if (run.program.models.list[number]!.program.isRandom) openModel(run, number);
  }
}

/** The model in this decision. */
export function openModel(run: Run, number: number): ModelRun {
  const known = run.modelRuns[number];
  if (known !== undefined) return known;
  const opened = beginModel(run, number, tablesOf(run, number));
  run.modelRuns[number] = opened;
  return opened;
}

function beginModel(run: Run, number: number, { scores, known }: Tables): ModelRun {
  const model = run.program.models.list[number]!;
  const { modelStates, seed } = run.input;
  const given =
    modelStates !== undefined && Object.hasOwn(modelStates, model.key) ? modelStates[model.key]!.state : null;
  const { endpoint } = model.program;
  const learned = isObject(given) ? given : model.emptyState;
  const state = endpoint === undefined ? learned : endpointScores(run, model, endpoint);
  const next = model.program.isRandom ? stream(seed, `model:${model.key}`) : never;
  const scorer = model.program.begin(state, run.scope, next);
  const opened: ModelRun = { model, state, scorer, scores, known, failed: false, used: false };
  const isGreedy = run.probe?.greedy === true;
  if (model.program.isRandom) {
    for (const ordinal of offersUnderConsideration(run)) {
      const { id } = run.program.offers[ordinal]!;
      keepScore(run, opened, ordinal, isGreedy ? scorer.greedy(id) : scorer.score(id, next));
    }
  }
  return opened;
}

/**
 * A survey also scores offers that a gate has refused. They draw separately, so that the others draw as in the
 * decision.
 */
function offersUnderConsideration({ list, mandatory, survey }: Run): number[] {
  const ordinals = new Set<number>();
  for (const { ordinal, offer } of list) if (survey?.has(offer) !== true) ordinals.add(ordinal);
  for (const { ordinal } of mandatory) ordinals.add(ordinal);
  return [...ordinals].sort((a, b) => a - b);
}

/** The plan keeps tables from one decision to the next. The decision's number tells whose values they hold. */
function tablesOf(run: Run, number: number): Tables {
  const { modelTables } = run.scratch;
  modelTables[number] ??= newTables(run);
  return modelTables[number];
}

type Tables = Pick<ModelRun, 'scores' | 'known'>;

function newTables({ program }: Run): Tables {
  const size = program.offers.length;
  return { scores: new Float64Array(size), known: new Float64Array(size) };
}

function never(): number {
  throw new Error('a deterministic model drew a random number');
}

/** Features of an explanation in a trace. */
const maxContributions = 5;

/**
 * Returns the features that add most to a candidate's raw score by a model, or take most away, the largest first. None when
 * the model can't score it.
 */
export function contributionsTo(run: Run, candidate: Candidate, number: number): ScoredRow['contributions'] {
  if (run.input.openBreakers?.includes(run.program.models.list[number]!.key) === true) return [];
  const opened = openModel(run, number);
  const score = scoreOf(run, opened, candidate);
  if (!(score >= 0 && score <= 1)) return [];
  focus(run, candidate);
  return opened.scorer
    .explain()
    .toSorted((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution))
    .slice(0, maxContributions)
    .map(({ feature, contribution }) => ({ feature, value: contribution }));
}

/**
 * Returns a candidate's score by a shadow model. Unlike with a real one, failures degrade nothing, and the model
 * doesn't count as asked.
 */
export function shadowScore(run: Run, candidate: Candidate, number: number): number | null {
  run.shadowRuns ??= new Map();
  let opened = run.modelRuns[number] ?? run.shadowRuns.get(number);
  if (opened === undefined) {
    opened = beginModel(run, number, newTables(run));
    run.shadowRuns.set(number, opened);
  }
  // Nobody asks an endpoint for a shadow's scores, so there is nothing to compare.
  if (opened.model.program.endpoint !== undefined && opened.state === null) return null;
  const score = scoreOf(run, opened, candidate);
  return score >= 0 && score <= 1 ? score : null;
}

/** Returns the models whose scores were drawn in this decision, without shadow models. */
export function modelRunsByChance({ modelRuns }: Run): ModelRun[] {
  return modelRuns.filter((opened): opened is ModelRun => opened?.used === true && opened.model.program.isRandom);
}
