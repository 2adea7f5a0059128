import { contributionsTo, shadowScore } from '../models/model-scores.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { ScoreComponents } from '../plan/decision.ts';
import type { Run } from '../plan/run.ts';
import type { Ladder, ScoreMethod, ScoreSettings } from '../plan/scoring.ts';
import type { Json } from '../plan/snapshot.ts';
import { addTally, rowOfOffer30Days } from '../policies/tally.ts';
import { DRAWN, fitOf, PROPENSITY } from '../scratch.ts';
import { leave, standsBefore } from '../stages/candidates.ts';
import { closeStage, type StageExtras } from '../stages/close-stage.ts';
import { emphasisOf, measureImpact, writeImpact, writeRelevance } from './components.ts';
import { assignedTo, evidenceOf, modelFor, propensityOf, propensitySources, workOutPropensity } from './propensity.ts';
import { noteScores } from './rescorings.ts';
import { formulaMethod, holdoutMethod } from './score-methods.ts';
import { scoredBy, settingsFor } from './scoring.ts';

/** Collects what components compare candidates with, including mandatory offers, whose components are shown. */
export function prepareComponents(run: Run): void {
  measureImpact(run);
  run.channelParts = channelParts(run);
  run.interests = interestsOf(run);
  countContacts(run);
}

/** Scores every candidate; those below `minPropensity` or `minScore` leave. */
export function scoreStage(run: Run): void {
  noteScores(run, scoreListAgain);
  const { scoring } = run;
  const { minPropensity, minScore, overridden } = scoring;
  const { list } = run;
  const { score } = run.scratch.columns;
  for (let at = 0; at < list.length; at++) {
    const candidate = list[at]!;
    const settings = overridden ? settingsFor(scoring, candidate) : scoring.settings;
    methodFor(run, candidate, settings).score(run, candidate, settings);
    if (minPropensity > 0 && propensityOf(run, candidate) < minPropensity) {
      drop(run, candidate, 'min_propensity', { propensity: propensityOf(run, candidate), minPropensity });
    } else if (score[candidate.at]! < minScore) {
      drop(run, candidate, 'min_score', { score: score[candidate.at]!, minScore });
    }
  }
  if (scoring.banditNeedsPropensity && !run.holdout) run.warnings.push('bandit_needs_propensity');
  // Where scores change again, report them once the last of them is final.
  if (run.trace !== null && !scoresChange(run)) traceScores(run);
  closeStage(run, 'score', scoring.nodeId, run.trace === null ? undefined : scoreExtras(run));
  run.after.scoring = run.offerCount;
}

/** Returns true when a stage between score and rank may change the score node's scores. */
export function scoresChange({ phases, program, holdout }: Run): boolean {
  return phases.rescores || (program.optimize !== null && !holdout);
}

/** Scores one candidate; not of a holdout customer. */
export function scoreCandidate(run: Run, candidate: Candidate): void {
  const settings = settingsFor(scoredBy(run, candidate), candidate);
  methodFor(run, candidate, settings).score(run, candidate, settings);
}

/** The control group of the tenant, or of a called flow's experiment, is scored without models. */
function methodFor(run: Run, candidate: Candidate, { method }: ScoreSettings): ScoreMethod {
  if (run.holdout) return holdoutMethod;
  return assignedTo(run, candidate)?.isHoldout === true ? holdoutMethod : method;
}

/** Candidates dropped for a low score stay dropped. */
function scoreListAgain(run: Run): void {
  forgetPropensities(run);
  for (const candidate of run.list) scoreCandidate(run, candidate);
}

/** The candidates' expectations must be computed again. */
export function forgetPropensities({ list, scratch: { columns } }: Run): void {
  for (const { at } of list) columns.known[at] = columns.known[at]! & ~(PROPENSITY | DRAWN);
}

function drop(run: Run, candidate: Candidate, reason: 'min_propensity' | 'min_score', detail: Json): void {
  leave(run, candidate, reason, run.trace === null ? null : { ruleId: null, policyId: null, detail });
}

function scoreExtras(run: Run): StageExtras {
  const { score } = run.scratch.columns;
  let topScore: number | null = null;
  for (const { reason, at } of run.list) {
    if (reason === null && (topScore === null || score[at]! > topScore)) topScore = score[at]!;
  }
  const method = run.holdout ? holdoutMethod.name : run.scoring.settings.method.name;
  return { method, topScore };
}

/** Tells the trace of the scores of the list. */
/** Offers whose scores a trace explains, the best ones: an explanation takes some hundred times as long as a score. */
const maxExplained = 200;

export function traceScores(run: Run): void {
  const { columns } = run.scratch;
  const ordered = run.list.toSorted((a, b) => (standsBefore(run, a, b) ? -1 : 1));
  for (const [rank, candidate] of ordered.entries()) {
    const settings = settingsFor(scoredBy(run, candidate), candidate);
    const { ladder } = settings;
    const method = methodFor(run, candidate, settings);
    const { at } = candidate;
    const model = run.program.models.list[modelFor(run, candidate, ladder)];
    const [positives, negatives] = evidenceOf(run, candidate);
    run.trace?.scored({
      offerId: candidate.offer.id,
      score: columns.score[at]!,
      method: method.name,
      exponents: method === formulaMethod ? settings.exponents : null,
      creativeWeight: candidate.creative?.weight ?? 100,
      priority: candidate.priority,
      components: componentsOf(run, candidate),
      modelKey: modelKeyFor(run, candidate, ladder),
      modelType: model?.type ?? null,
      propensitySource: propensitySources[columns.source[at]!]!,
      positives,
      negatives,
      shadowScores: shadowScores(run, candidate),
      contributions:
        run.scoring.explains && !run.holdout && model !== undefined && rank < maxExplained
          ? contributionsTo(run, candidate, model.number)
          : [],
    });
  }
}

/** Key of the model that scores the candidate, or the flow's name for one that can't. */
function modelKeyFor(run: Run, candidate: Candidate, ladder: Ladder): string | null {
  const assigned = assignedTo(run, candidate);
  if (run.holdout || assigned?.isHoldout === true) return null;
  return run.program.models.list[modelFor(run, candidate, ladder)]?.key ?? assigned?.name ?? ladder.modelKey;
}

/** Returns a candidate's scores by shadow models. Unusable ones return nothing. */
function shadowScores(run: Run, candidate: Candidate): Record<string, number> {
  const scores: Record<string, number> = {};
  if (run.holdout) return scores;
  for (const number of run.program.scoring.shadows) {
    const score = shadowScore(run, candidate, number);
    if (score !== null) scores[run.program.models.list[number]!.key] = score;
  }
  return scores;
}

const means = new Float64Array(2);

/** Returns all five, including those that the method doesn't use. */
export function componentsOf(run: Run, candidate: Candidate): ScoreComponents {
  const { columns } = run.scratch;
  const { at } = candidate;
  workOutPropensity(run, candidate);
  writeRelevance(run, candidate, means, 0);
  writeImpact(run, candidate, means, 1);
  return {
    propensity: columns.propensity[at]!,
    relevance: means[0]!,
    impact: means[1]!,
    emphasis: emphasisOf(candidate),
    fitMultiplier: fitOf(columns, at),
  };
}

/** Part of relevance by channel number: 1 for the reference channel (id or type), else 0.5; null without one. */
function channelParts(run: Run): Float64Array | null {
  const reference = textOf(run.customer.preferred_channel) ?? run.request.channelId ?? run.request.channel;
  if (reference === null) return null;
  const { channels } = run.program;
  const parts = run.scratch.channelParts;
  for (let at = 0; at < channels.length; at++) {
    const { id, channelType } = channels[at]!;
    parts[at] = id === reference || channelType === reference ? 1 : 0.5;
  }
  return parts;
}

/** Interests of the customer by interest number; null when there are none. Those that no offer has matter by being. */
function interestsOf(run: Run): Uint8Array | null {
  const { interestNumber } = run.program;
  const { interests } = run.scratch;
  interests.fill(0);
  let any = false;
  const add = (value: unknown): void => {
    if (Array.isArray(value)) for (const entry of value) addText(entry);
    else addText(value);
  };
  const addText = (value: unknown): void => {
    if (typeof value !== 'string' || value === '') return;
    any = true;
    const number = interestNumber.get(value.toLowerCase());
    if (number !== undefined) interests[number] = 1;
  };
  const { attributes } = run.request;
  if (Object.hasOwn(attributes, 'interests')) add(attributes.interests);
  add(run.customer.interests);
  add(run.customer.preferred_product_type);
  for (const segment of run.segments) addText(segment);
  return any ? interests : null;
}

/** Tallies the counted contacts per offer in the tenant's last 30 days. */
function countContacts(run: Run): void {
  const { lanes } = run;
  const first = run.program.days30Window * lanes.size;
  for (let lane = 0; lane < lanes.size; lane++) {
    const offer = lanes.offer[lane]!;
    const count = lanes.counts[first + lane]!;
    if (offer < 0 || count === 0) continue;
    addTally(run.scratch.tally, rowOfOffer30Days, offer, count, 0);
    run.contacted = true;
  }
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
