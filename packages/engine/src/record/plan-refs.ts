import type { Ordinals } from '../plan/ordinals.ts';
import type { Snapshot } from '../plan/snapshot.ts';

/** Positions of ids in a plan's content, both ways. */
export interface PlanRefs {
  readonly offers: ReadonlyMap<string, number>;
  readonly creatives: ReadonlyMap<string, number>;
  readonly channels: ReadonlyMap<string, number>;
  readonly placements: ReadonlyMap<string, number>;
  readonly snapshot: Pick<Snapshot, 'offers' | 'creatives' | 'channels' | 'placements'>;
}

/** The snapshot's offers and creatives are sorted by id, so their positions are the plan's own numbers. */
export function planRefs(snapshot: PlanRefs['snapshot'], numbers: Pick<Ordinals, 'offer' | 'creative'>): PlanRefs {
  const { offers, creatives, channels, placements } = snapshot;
  const positions = (rows: readonly { readonly id: string }[]) => new Map(rows.map((row, at) => [row.id, at]));
  return {
    offers: numbers.offer,
    creatives: numbers.creative,
    channels: positions(channels),
    placements: positions(placements),
    snapshot: { offers, creatives, channels, placements },
  };
}
