import type { Candidate } from './candidate.ts';
import type { Run } from './run.ts';

/** The score stage of a plan. */
export interface Scoring {
  readonly flowKey: string;
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
  /** Comes before `champions`; null: none applies. */
  readonly experiment: Experiment | null;
  /** Positions of models that are scored for traces alone. */
  readonly shadows: readonly number[];
  /** True: a model that draws scores is named where they do not make the order on their own. */
  readonly banditNeedsPropensity: boolean;
  /** True: traces say what each feature adds to the score of a model. */
  readonly explains: boolean;
  readonly minPropensity: number;
  readonly minScore: number;
}

export interface ScoreSettings {
  readonly method: ScoreMethod;
  readonly exponents: Exponents;
  readonly ladder: Ladder;
}

/** One score method. Each has a file and a line in `score-methods.ts`. */
export interface ScoreMethod {
  readonly name: string;
  /** True when the ranking depends on evidence. */
  readonly readsEvidence: boolean;
  /** Writes the candidate's score to its column. */
  score(run: Run, candidate: Candidate, settings: ScoreSettings): void;
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

/** A score stage of a called flow, and the maxima over the candidates that entered it. */
export interface ScoredBy {
  readonly scoring: Scoring;
  readonly assigned: AssignedModel | null;
  readonly maxMargin: number;
  readonly maxRevenue: number;
}

/** A stage that scored candidates, recorded so that it can be repeated when a model draws other scores. */
export interface Rescoring {
  /** The candidates it scored. */
  readonly list: Candidate[];
  /** What called flows had scored by then, including its own part. */
  readonly rescored: NonNullable<Run['rescored']>;
  /** True: it reads the expected propensity whatever the score method is. */
  readonly readsPropensity: boolean;
  /** Scores the candidates of `run.list` again without removing any. */
  readonly again: (run: Run) => void;
}

/** Models that share the customers of a flow (docs/design/api-decisioning.md 8, championChallenger). */
export interface Champions {
  /** What customers are assigned by, besides their id. */
  readonly label: string;
  /** The champion first. */
  readonly shares: readonly ChampionShare[];
}

interface ChampionShare {
  readonly name: string;
  /** Position among the plan's models; -1: not usable. */
  readonly model: number;
  /** Of 100. */
  readonly weight: number;
}

/** An experiment that shares the customers of a score stage (docs/design/api-decisioning.md 16). */
export interface Experiment {
  readonly id: string;
  readonly key: string;
  readonly isRunning: boolean;
  readonly champion: { readonly name: string; readonly model: number };
  /** The champion first, the holdout last, if it has a share. */
  readonly shares: readonly ExperimentShare[];
}

export interface ExperimentShare extends ChampionShare {
  /** `__champion__`, `__holdout__` or the key of the challenger. */
  readonly variant: string;
}

/** The model that scores this decision. */
export interface AssignedModel {
  /** Null for a holdout, which asks none. */
  readonly name: string | null;
  readonly model: number;
  /** Share of the customers, 0 to 1; null: nobody was assigned, because the experiment isn't running. */
  readonly share: number | null;
  readonly variant: string;
  readonly fallback: boolean;
  /** True: the stage scores as for the tenant's holdout. */
  readonly isHoldout: boolean;
  readonly experimentKey: string | null;
}

/** Objectives of ranking profiles (docs/design/api-catalogue.md 17). */
export const objectiveNames = [
  'propensity',
  'relevance',
  'impact',
  'emphasis',
  'revenue',
  'margin',
  'businessValue',
  'engagement',
  'conversion',
  'recency',
  'fatigue',
  'fairness',
] as const;

export type Objective = (typeof objectiveNames)[number];

/** The optimize node of a plan. */
export interface Optimizing {
  readonly nodeId: string;
  /** Objectives with a weight above 0, in key order. */
  readonly terms: readonly { readonly objective: Objective; readonly weight: number }[];
  /** True: the weighed objectives are the score; false: they are blended with it. */
  readonly replaces: boolean;
  readonly blendFactor: number;
}
