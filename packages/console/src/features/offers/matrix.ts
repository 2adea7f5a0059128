import type { Channel } from '@arbiter/contract/catalogue/channels';
import type { OfferCreativeRef } from '@arbiter/contract/catalogue/offers';

/** A place where an offer can be shown, and the creatives that it has for it. */
export interface Place {
  readonly key: string;
  readonly channelId: string;
  readonly channelName: string;
  readonly channelStatus: string;
  /** How many places the channel has in the matrix, at its first one; 0 at the others. */
  readonly span: number;
  /** Null: the row of creatives for any placement of the channel. */
  readonly placement: { readonly id: string; readonly name: string; readonly status: string } | null;
  readonly creatives: readonly OfferCreativeRef[];
  /** True where the place has none of its own and a creative for any placement of the channel fills it. */
  readonly covered: boolean;
}

type MatrixChannel = Pick<Channel, 'id' | 'name' | 'status' | 'placements'>;

/**
 * Channels by name, each with its placements and, where an offer has creatives for any placement or the channel has no
 * placements, a row for those. Creatives bound to a placement that is gone stand in that row too: else they were not seen.
 */
export function matrixOf(channels: readonly MatrixChannel[], creatives: readonly OfferCreativeRef[]): readonly Place[] {
  return [...channels]
    .sort((one, other) => one.name.localeCompare(other.name))
    .flatMap((channel) => {
      const own = creatives.filter(({ channelId }) => channelId === channel.id);
      const bound = new Set(channel.placements.map(({ id }) => id));
      const loose = own.filter(({ placementId }) => placementId === null || !bound.has(placementId));
      const base = { channelId: channel.id, channelName: channel.name, channelStatus: channel.status };
      const covering = loose.some(({ placementId, status }) => placementId === null && status === 'active');
      const rows = [
        ...(loose.length > 0 || channel.placements.length === 0
          ? [{ ...base, key: channel.id, placement: null, creatives: loose, covered: false }]
          : []),
        ...channel.placements.map((placement) => {
          const here = own.filter(({ placementId }) => placementId === placement.id);
          return {
            ...base,
            key: placement.id,
            placement: { id: placement.id, name: placement.name, status: placement.status },
            creatives: here,
            covered: here.length === 0 && covering,
          };
        }),
      ];
      return rows.map((row, at) => ({ ...row, span: at === 0 ? rows.length : 0 }));
    });
}
