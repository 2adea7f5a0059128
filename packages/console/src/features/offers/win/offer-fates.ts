import { offerFates } from '@arbiter/contract/deciding/decision-lists';
import type { ReportRow } from '@arbiter/contract/operations/report-sources';

type Fate = (typeof offerFates)[number] | 'other';

/** What happened to an offer in decisions that considered it. */
export interface FateCount {
  readonly fate: Fate;
  readonly decisions: number;
}

export interface OfferFates {
  readonly all: number;
  readonly selected: number;
  /** The most frequent reason that it wasn't selected; null: it always was. */
  readonly worst: FateCount | null;
  /** Those that happened, most frequent first, after `selected`. */
  readonly counts: readonly FateCount[];
}

const fates: readonly Fate[] = [...offerFates, 'other'];

/** Reads the rows of the report `why_not_ranked`; null if no decision considered the offer. */
export function fatesOf(rows: readonly ReportRow[]): OfferFates | null {
  const counts = rows.flatMap(({ fateId, decisions }): FateCount[] => {
    const fate = fates.find((each) => each === fateId);
    return fate === undefined ? [] : [{ fate, decisions: Number(decisions) }];
  });
  const all = counts.reduce((sum, { decisions }) => sum + decisions, 0);
  if (all === 0) return null;
  const selected = counts.find(({ fate }) => fate === 'selected')?.decisions ?? 0;
  const lost = counts
    .filter(({ fate, decisions }) => fate !== 'selected' && decisions > 0)
    .toSorted((one, other) => other.decisions - one.decisions);
  return { all, selected, worst: lost[0] ?? null, counts: [{ fate: 'selected', decisions: selected }, ...lost] };
}
