import type { Candidate } from '../plan/candidate.ts';
import type { Run } from '../plan/run.ts';
import type { ScoreSettings, Scoring } from '../plan/scoring.ts';

/** The score stage that a candidate's score comes from: that of the flow, or of a called flow. */
export const scoredBy = (run: Run, { origin }: Candidate): Scoring => run.rescored?.get(origin)?.scoring ?? run.scoring;

/** Settings that hold for a candidate: those of its offer and of its creative's channel, else the node's. */
export function settingsFor(scoring: Scoring, candidate: Candidate): ScoreSettings {
  if (!scoring.overridden) return scoring.settings;
  if (scoring.byOffer !== null) return scoring.byOffer(candidate);
  if (candidate.creative === null) return scoring.settings;
  return scoring.byChannel[candidate.creative.channel] ?? scoring.settings;
}
