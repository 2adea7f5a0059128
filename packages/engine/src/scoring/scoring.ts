import type { Candidate, Run } from '../run.ts';
import type { Champions } from './champions.ts';

/** The score stage of a plan. */
export interface Scoring {
  readonly nodeId: string | null;
  readonly settings: ScoreSettings;
  /** First match wins; by position in `program.channels`: the settings of a candidate on that channel. */
  readonly byChannel: readonly ScoreSettings[];
  /** The settings of a candidate where strategies make them differ by offer; null: by channel at most. */
  readonly byOffer: ((candidate: Candidate) => ScoreSettings) | null;
  /** True when settings differ by channel or offer. */
  readonly overridden: boolean;
  /** Models that share the customers; null: settings say which model scores. */
  readonly champions: Champions | null;
  /** Positions of models that are scored for traces alone. */
  readonly shadows: readonly number[];
  /** True: a model that draws scores is named where they do not make the order by themselves. */
  readonly banditNeedsPropensity: boolean;
  readonly minPropensity: number;
  readonly minScore: number;
}

export interface ScoreSettings {
  readonly method: ScoreMethod;
  readonly exponents: Exponents;
  readonly ladder: Ladder;
}

export interface Exponents {
  readonly propensity: number;
  readonly relevance: number;
  readonly impact: number;
  readonly emphasis: number;
}

/** How to find P (docs/design/api-decisioning.md 10). */
export interface Ladder {
  /** As the flow names it. */
  readonly modelKey: string | null;
  /** Position among the plan's models; -1: none that is usable. */
  readonly model: number;
  /** True: evidence comes before the model; false: after it. */
  readonly adaptiveFirst: boolean;
  readonly offerMin: number;
  readonly categoryMin: number;
  readonly globalMin: number;
  readonly smoothing: number;
}

/** One score method. Each has a file and a line in `score-methods.ts`. */
export interface ScoreMethod {
  readonly name: string;
  /** True when the ranking depends on evidence. */
  readonly readsEvidence: boolean;
  /** Writes the candidate's score to its column. */
  score(run: Run, candidate: Candidate, settings: ScoreSettings): void;
}

/** The score stage that a candidate's score comes from: that of the flow, or of a called flow. */
export const scoredBy = (run: Run, { origin }: Candidate): Scoring => run.rescored?.get(origin)?.scoring ?? run.scoring;

/** Settings that hold for a candidate: those of its offer and of its creative's channel, else the node's. */
export function settingsFor(scoring: Scoring, candidate: Candidate): ScoreSettings {
  if (!scoring.overridden) return scoring.settings;
  if (scoring.byOffer !== null) return scoring.byOffer(candidate);
  if (candidate.creative === null) return scoring.settings;
  return scoring.byChannel[candidate.creative.channel] ?? scoring.settings;
}
