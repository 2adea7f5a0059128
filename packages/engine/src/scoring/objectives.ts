import type { Candidate } from '../plan/candidate.ts';
import type { Run } from '../plan/run.ts';
import { type Objective, objectiveNames } from '../plan/scoring.ts';
import { rowOfOffer30Days, tallyOf } from '../policies/tally.ts';
import { emphasisOf, writeImpact, writeRelevance } from './components.ts';
import { workOutPropensity } from './propensity.ts';

export const isObjective = (name: string): name is Objective => objectiveNames.some((known) => known === name);

/** Objectives that read the tenant-wide counts. */
export const countedObjectives: ReadonlySet<Objective> = new Set(['engagement', 'conversion', 'fairness']);

/** Contacts in 30 days from which on recency and fatigue are 0. */
const maxContacts = 10;

/** Writes the objective's value of a candidate, 0 to 1, to `values[at]`; NaN when it has none. */
type Write = (candidate: Candidate, values: Float64Array, at: number) => void;

/** Reads once what an objective compares the list's candidates with. */
const openers: Readonly<Record<Objective, (run: Run) => Write>> = {
  propensity: (run) => (candidate, values, at) => {
    workOutPropensity(run, candidate);
    values[at] = run.scratch.columns.propensity[candidate.at]!;
  },
  relevance: (run) => (candidate, values, at) => writeRelevance(run, candidate, values, at),
  impact: (run) => (candidate, values, at) => writeImpact(run, candidate, values, at),
  emphasis: () => (candidate, values, at) => {
    values[at] = emphasisOf(candidate);
  },
  revenue: (run) => between(run, ({ offer }) => offer.revenueValue),
  margin: (run) => between(run, ({ offer }) => offer.margin),
  businessValue: (run) => between(run, ({ offer }) => offer.businessValue),
  engagement: (run) => (candidate, values, at) => {
    const counts = run.input.objectiveCounts?.offer(candidate.offer.id);
    values[at] = shrunk(counts?.positives, counts?.impressions);
  },
  conversion: (run) => (candidate, values, at) => {
    const counts = run.input.objectiveCounts?.offer(candidate.offer.id);
    values[at] = shrunk(counts?.converts, counts?.impressions);
  },
  recency(run) {
    const contacts = run.lanes.totals[run.program.days30Window] ?? 0;
    const value = 1 - Math.min(1, contacts / maxContacts);
    return (_candidate, values, at) => {
      values[at] = value;
    };
  },
  fatigue: (run) => (candidate, values, at) => {
    const contacts = run.contacted ? tallyOf(run.scratch.tally, rowOfOffer30Days, candidate.ordinal) : 0;
    values[at] = 1 - Math.min(1, contacts / maxContacts);
  },
  fairness(run) {
    const all = run.input.objectiveCounts?.impressions7 ?? 0;
    return (candidate, values, at) => {
      const own = run.input.objectiveCounts?.offer(candidate.offer.id).impressions7 ?? 0;
      values[at] = all === 0 ? 1 : 1 - own / all;
    };
  },
};

export const openObjective = (run: Run, objective: Objective): Write => openers[objective](run);

/** A rate that a few events do not decide: as if ten impressions with one success came before. */
function shrunk(successes = 0, impressions = 0): number {
  return Math.min(1, (successes + 1) / (impressions + 10));
}

/** Place of an offer's value between the least and the most of the candidates; 0.5 when all are equal. */
function between(run: Run, read: (candidate: Candidate) => number | null): Write {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const candidate of run.list) {
    const value = read(candidate);
    if (value === null) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return (candidate, values, at) => {
    const value = read(candidate);
    values[at] = value === null ? Number.NaN : most === least ? 0.5 : (value - least) / (most - least);
  };
}
