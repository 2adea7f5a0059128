import type { AutoPromoteVerdict, ExperimentResults, VariantResults } from '@arbiter/contract';
import { compareProportions, sampleRatio, wilson } from '@arbiter/engine';
import type { VariantCounts } from './results.store.ts';

/** Customers that both sides need before a difference may be significant (docs/design/api-decisioning.md 16). */
const minExposed = 100;
const level = 0.05;

/** A variant with its model and share, as it was tested. The champion comes first, the holdout last. */
export interface Arm {
  readonly variant: string;
  readonly modelId: string | null;
  /** In percent. */
  readonly share: number;
}

export const championVariant = '__champion__';
export const holdoutVariant = '__holdout__';

const notCompared = { absoluteUplift: null, relativeUplift: null, zScore: null, pValue: null };

/**
 * Works out the results of an experiment. Each challenger and the holdout is compared with the champion, at a level that is
 * divided by the number of challengers (Bonferroni).
 */
export function evaluate(
  arms: readonly Arm[],
  counted: readonly VariantCounts[],
): Pick<ExperimentResults, 'variants' | 'srm'> {
  const counts = new Map(counted.map((row) => [row.variant, row]));
  const rows = arms.map(({ variant, modelId, share }) => {
    const { exposed = 0, converted = 0 } = counts.get(variant) ?? {};
    return { variant, modelId, share, exposed, converted };
  });
  const challengers = arms.filter(({ variant }) => variant !== championVariant && variant !== holdoutVariant).length;
  const champion = rows[0];
  const proportionOf = ({ exposed, converted }: { exposed: number; converted: number }) => ({
    hits: converted,
    total: exposed,
  });
  const variants = rows.map((row): VariantResults => {
    const interval = wilson(proportionOf(row));
    const isChampion = row.variant === championVariant;
    const compared =
      isChampion || champion === undefined ? null : compareProportions(proportionOf(champion), proportionOf(row));
    const { pValue } = compared ?? notCompared;
    const isLarge = Math.min(row.exposed, champion?.exposed ?? 0) >= minExposed;
    return {
      ...row,
      rate: row.exposed === 0 ? null : row.converted / row.exposed,
      ciLower: interval?.lower ?? null,
      ciUpper: interval?.upper ?? null,
      ...(compared ?? notCompared),
      significant: isChampion ? null : isLarge && pValue !== null && pValue < level / Math.max(1, challengers),
    };
  });
  const srm = sampleRatio(
    rows.map(({ exposed }) => exposed),
    rows.map(({ share }) => share),
  );
  return { variants, srm };
}

/** Says whether a challenger takes over, and which (docs/design/api-decisioning.md 16). */
export function judge(
  { variants, srm }: Pick<ExperimentResults, 'variants' | 'srm'>,
  promoteThreshold: number,
): { readonly verdict: Exclude<AutoPromoteVerdict, 'guard'>; readonly winner: VariantResults | null } {
  if (srm?.mismatch === true) return { verdict: 'sample_ratio_mismatch', winner: null };
  const better = variants
    .filter(
      ({ variant, absoluteUplift }) =>
        variant !== championVariant &&
        variant !== holdoutVariant &&
        absoluteUplift !== null &&
        absoluteUplift >= promoteThreshold,
    )
    .sort((a, b) => (b.absoluteUplift ?? 0) - (a.absoluteUplift ?? 0));
  if (better.length === 0) return { verdict: 'not_better', winner: null };
  const winner = better.find(({ significant }) => significant === true) ?? null;
  return winner === null ? { verdict: 'not_significant', winner } : { verdict: 'promoted', winner };
}
