import type { DecisionListRow } from '@arbiter/contract/deciding/decision-lists';
import type { InteractionRow } from '@arbiter/contract/deciding/interaction-lists';
import type { Suppression } from '@arbiter/contract/deciding/suppressions';

/** Entry types, in the order of their filters. */
export const timelineKinds = ['decision', 'contact', 'outcome', 'suppression'] as const;
export type TimelineKind = (typeof timelineKinds)[number];

/** A customer event. */
export type TimelineEntry =
  | { readonly kind: 'decision'; readonly at: string; readonly key: string; readonly row: DecisionListRow }
  | { readonly kind: 'contact'; readonly at: string; readonly key: string; readonly row: InteractionRow }
  | { readonly kind: 'outcome'; readonly at: string; readonly key: string; readonly row: InteractionRow }
  | {
      readonly kind: 'suppression';
      readonly at: string;
      readonly key: string;
      readonly row: Omit<Suppression, 'customerId'>;
    };

/** A partially loaded list, newest first. */
interface PartialList<Row> {
  readonly rows: readonly Row[];
  readonly complete: boolean;
}

export interface Timeline {
  readonly entries: readonly TimelineEntry[];
  /** Entries are complete from this instant; null if everything is loaded. */
  readonly since: string | null;
}

/**
 * Merges lists with separate cursors, newest first. Leaves out entries older than the end of an unfinished list, because
 * entries in between aren't loaded. History is ordered by recording time, so a late event appears at its own time only after
 * everything back to it is loaded.
 */
export function timelineOf(
  decisions: PartialList<DecisionListRow>,
  history: PartialList<InteractionRow>,
  suppressions: readonly Omit<Suppression, 'customerId'>[],
): Timeline {
  const entries: TimelineEntry[] = [
    ...decisions.rows.map((row) => ({ kind: 'decision', at: row.decidedAt, key: row.recommendationId, row }) as const),
    ...history.rows.map((row) => {
      const kind = row.interactionType === 'response' ? 'outcome' : 'contact';
      return { kind, at: row.timestamp, key: row.id, row } as const;
    }),
    // A running cooldown is calculated from the contact that's already listed.
    ...suppressions
      .filter(({ id }) => id !== null)
      .map((row) => ({ kind: 'suppression', at: row.createdAt, key: row.id ?? '', row }) as const),
  ];
  const ends = [
    decisions.complete ? null : (decisions.rows.at(-1)?.decidedAt ?? null),
    history.complete ? null : (history.rows.at(-1)?.createdAt ?? null),
  ].filter((end) => end !== null);
  const since = ends.toSorted().at(-1) ?? null;
  return {
    entries: entries
      .filter(({ at }) => since === null || at >= since)
      .toSorted((one, other) => (one.at === other.at ? order(one) - order(other) : one.at < other.at ? 1 : -1)),
    since,
  };
}

/** At the same instant, effects come above their cause. */
const order = ({ kind }: TimelineEntry): number => ['suppression', 'outcome', 'contact', 'decision'].indexOf(kind);

/** Groups entries by day. */
export function byDay(
  entries: readonly TimelineEntry[],
  dateOf: (at: string) => string,
): readonly { readonly day: string; readonly entries: readonly TimelineEntry[] }[] {
  const days: { day: string; entries: TimelineEntry[] }[] = [];
  for (const entry of entries) {
    const day = dateOf(entry.at);
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}
