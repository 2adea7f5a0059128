import { readNumber, readObject, readObjects } from '../config-values.ts';
import type { Candidate } from '../plan/candidate.ts';
import { NONE } from '../plan/ordinals.ts';
import type { Exponents, ScoreSettings } from '../plan/scoring.ts';
import type { Json, JsonObject, Snapshot } from '../plan/snapshot.ts';

/** Weights of the ranking profiles of a plan, by id in lower case. */
export type ProfileWeights = ReadonlyMap<string, Readonly<Record<string, number>>>;

export function profileWeights({ rankingProfiles = [] }: Pick<Snapshot, 'rankingProfiles'>): ProfileWeights {
  return new Map(rankingProfiles.map(({ id, weights }) => [id, weights]));
}

export function weightsOf(profiles: ProfileWeights, id: Json | undefined): Readonly<Record<string, number>> | null {
  return typeof id === 'string' ? (profiles.get(id.toLowerCase()) ?? null) : null;
}

/**
 * Returns the exponents of a profile: its weights of the four components, 0 for missing ones. A profile that weighs
 * none of the four leaves all at 1 (docs/design/api-decisioning.md 8).
 */
function exponentsOf(weights: Readonly<Record<string, number>>): Exponents {
  const { propensity = 0, relevance = 0, impact = 0, emphasis = 0 } = weights;
  const saysNothing = propensity === 0 && relevance === 0 && impact === 0 && emphasis === 0;
  return saysNothing
    ? { propensity: 1, relevance: 1, impact: 1, emphasis: 1 }
    : { propensity, relevance, impact, emphasis };
}

/** One entry of `strategyOverrides`, ready to be evaluated. */
interface ScoringStrategy {
  readonly exponents: Exponents;
  readonly covers: (candidate: Candidate) => boolean;
}

interface NamedRecord {
  readonly id: string;
  readonly name: string;
}

/** Names of categories and channels, because an entry refers to them by id or name. */
export interface StrategyNames {
  readonly categories: readonly NamedRecord[];
  readonly channels: readonly NamedRecord[];
}

/**
 * Returns the entries whose profile is in the plan, in order. The first that covers a candidate provides its exponents.
 */
export function compileStrategies(
  config: JsonObject,
  profiles: ProfileWeights,
  { categories, channels }: StrategyNames,
): readonly ScoringStrategy[] {
  return readObjects(config.strategyOverrides).flatMap(({ scope, value, profileId }): ScoringStrategy[] => {
    const weights = weightsOf(profiles, profileId);
    if (weights === null || typeof value !== 'string') return [];
    const exponents = exponentsOf(weights);
    if (scope === 'productType') return [{ exponents, covers: ({ offer }) => offer.row.productType === value }];
    const ids = idsNamed(scope === 'category' ? categories : channels, value);
    if (scope === 'category') {
      return [{ exponents, covers: ({ offer: { categoryId } }) => categoryId !== null && ids.has(categoryId) }];
    }
    return [{ exponents, covers: ({ creative }) => creative !== null && ids.has(creative.row.channelId) }];
  });
}

/** The id, or the ids of those with the name: names of channels are not unique over their types. */
function idsNamed(rows: readonly NamedRecord[], value: string): ReadonlySet<string> {
  const id = value.toLowerCase();
  const ids = rows.filter((row) => row.id === id || row.id === value).map((row) => row.id);
  return new Set(ids.length > 0 ? ids : rows.filter(({ name }) => name === value).map((row) => row.id));
}

/**
 * The settings of a candidate where strategies differ by offer and channel: worked out once for each offer on each channel,
 * because a plan makes many decisions.
 */
export function strategySettings(
  strategies: readonly ScoringStrategy[],
  channels: number,
  settingsOn: (channel: number) => { readonly settings: ScoreSettings; readonly hasOwnExponents: boolean },
): (candidate: Candidate) => ScoreSettings {
  const known = new Map<number, ScoreSettings>();
  return (candidate) => {
    const { creative } = candidate;
    const channel = creative === null ? NONE : creative.channel;
    const place = candidate.ordinal * (channels + 1) + channel + 1;
    let found = known.get(place);
    if (found === undefined) {
      const { settings, hasOwnExponents } = settingsOn(channel);
      // An override of the channel beats the strategies.
      const strategy = hasOwnExponents ? undefined : strategies.find(({ covers }) => covers(candidate));
      found = strategy === undefined ? settings : { ...settings, exponents: strategy.exponents };
      known.set(place, found);
    }
    return found;
  };
}

/** The exponents that hold where neither override nor strategy does: the first of these that is set. */
export function defaultExponents(
  config: JsonObject,
  profiles: ProfileWeights,
  defaultProfileId: string | null,
): Exponents | null {
  const own = weightsOf(profiles, config.strategyProfileId);
  if (own !== null) return exponentsOf(own);
  const formula = formulaExponents(config.formula);
  if (formula !== null) return formula;
  const usual = weightsOf(profiles, defaultProfileId ?? undefined);
  return usual === null ? null : exponentsOf(usual);
}

/** Returns the exponents of the key `formula`; null when it's absent. */
export function formulaExponents(formula: Json | undefined): Exponents | null {
  if ((formula ?? null) === null) return null;
  const weights = readObject(formula);
  return {
    propensity: readNumber(weights.propensityWeight, 1),
    relevance: readNumber(weights.relevanceWeight, 1),
    impact: readNumber(weights.impactWeight, 1),
    emphasis: readNumber(weights.emphasisWeight, 1),
  };
}
