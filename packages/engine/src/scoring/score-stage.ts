import { closeStage } from '../nodes/close-stage.ts';
import { type Candidate, leave, type Run, standsBefore } from '../run.ts';
import type { Json } from '../snapshot.ts';
import { emphasisOf, impactOf, measureImpact, relevanceOf } from './components.ts';
import { propensityOf } from './propensity.ts';
import { holdoutMethod } from './score-methods.ts';
import { settingsFor } from './scoring.ts';

/** Gathers what components compare candidates with; also for mandatory offers, whose components are shown. */
export function prepareComponents(run: Run): void {
  measureImpact(run);
  run.channelParts = channelParts(run);
  run.interests = interestsOf(run);
  run.contacts30Days = contactsByOffer(run);
}

/** Scores every candidate; those below `minPropensity` or `minScore` leave. */
export function scoreStage(run: Run): void {
  const { scoring } = run.program;
  const { list } = run;
  for (let at = 0; at < list.length; at++) {
    const candidate = list[at]!;
    const settings = settingsFor(scoring, candidate);
    const method = run.holdout ? holdoutMethod : settings.method;
    candidate.score = method.score(run, candidate, settings);
    if (scoring.minPropensity > 0 && propensityOf(run, candidate) < scoring.minPropensity) {
      drop(run, candidate, 'min_propensity', {
        propensity: candidate.propensity,
        minPropensity: scoring.minPropensity,
      });
    } else if (candidate.score < scoring.minScore) {
      drop(run, candidate, 'min_score', { score: candidate.score, minScore: scoring.minScore });
    }
  }
  if (run.trace !== null) traceScores(run);
  const method = run.holdout ? holdoutMethod.name : scoring.settings.method.name;
  closeStage(run, 'score', scoring.nodeId, run.trace === null ? {} : { method, topScore: topScore(run) });
  run.after.scoring = run.offerCount;
}

function drop(run: Run, candidate: Candidate, reason: 'min_propensity' | 'min_score', detail: Json): void {
  leave(run, candidate, reason, run.trace === null ? null : { ruleId: null, policyId: null, detail });
}

function topScore(run: Run): number | null {
  let top: number | null = null;
  for (const { reason, score } of run.list) if (reason === null && (top === null || score > top)) top = score;
  return top;
}

function traceScores(run: Run): void {
  const ordered = run.list.toSorted((a, b) => (standsBefore(a, b) ? -1 : 1));
  for (const candidate of ordered) {
    const { ladder } = settingsFor(run.program.scoring, candidate);
    run.trace?.scored({
      offerId: candidate.offer.id,
      score: candidate.score,
      priority: candidate.priority,
      components: componentsOf(run, candidate),
      modelKey: run.holdout ? null : ladder.modelKey,
      modelType: null,
      propensitySource: candidate.propensitySource,
      positives: candidate.positives,
      negatives: candidate.negatives,
    });
  }
}

/** All five, whatever the method. */
export function componentsOf(run: Run, candidate: Candidate) {
  return {
    propensity: propensityOf(run, candidate),
    relevance: relevanceOf(run, candidate),
    impact: impactOf(run, candidate),
    emphasis: emphasisOf(candidate),
    fitMultiplier: candidate.fit,
  };
}

/** Part of relevance by channel number: 1 for the reference channel (id or type), else 0.5; null without one. */
function channelParts(run: Run): Float64Array | null {
  const reference = textOf(run.customer.preferred_channel) ?? run.request.channelId ?? run.request.channel;
  if (reference === null) return null;
  const { channels } = run.program;
  const parts = new Float64Array(channels.length);
  channels.forEach(({ id, channelType }, at) => {
    parts[at] = id === reference || channelType === reference ? 1 : 0.5;
  });
  return parts;
}

/** Interests of the customer by interest number; null when there are none. Those that no offer has matter by being. */
function interestsOf(run: Run): Uint8Array | null {
  const { interestNumber } = run.program;
  const interests = new Uint8Array(interestNumber.size);
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

/** Counted contacts per offer in the tenant's last 30 days, by offer number. */
function contactsByOffer(run: Run): ReadonlyMap<number, number> {
  const byOffer = new Map<number, number>();
  const { lanes } = run;
  const counts = lanes.size === 0 ? undefined : lanes.counts[run.program.days30Window];
  if (counts === undefined) return byOffer;
  for (let lane = 0; lane < lanes.size; lane++) {
    const offer = lanes.offer[lane]!;
    const count = counts[lane]!;
    if (offer >= 0 && count > 0) byOffer.set(offer, (byOffer.get(offer) ?? 0) + count);
  }
  return byOffer;
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
