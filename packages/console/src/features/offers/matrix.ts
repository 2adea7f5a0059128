import type { Channel } from '@arbiter/contract/catalogue/channels';
import type { OfferCreativeRef } from '@arbiter/contract/catalogue/offers';
import { weightShares } from '../../forms/creatives/weight-shares.ts';

/** A placement where an offer can be shown, and its creatives for it. */
export interface MatrixPlace {
  readonly key: string;
  readonly channelId: string;
  readonly channelName: string;
  readonly channelStatus: string;
  /** Number of rows of the channel, at its first one; 0 at the others. */
  readonly span: number;
  /** Null: the row of creatives for any placement of the channel. */
  readonly placement: { readonly id: string; readonly name: string; readonly status: string } | null;
  readonly creatives: readonly OfferCreativeRef[];
  /** True if a creative for any placement of the channel covers it. */
  readonly covered: boolean;
  /** Share of customers that each creative gets for a request for the placement, by id. */
  readonly shares: ReadonlyMap<string, number>;
}

type MatrixChannel = Pick<Channel, 'id' | 'name' | 'status' | 'placements'>;

/**
 * Returns channels by name, each with its placements, and a row for creatives of any placement if there are some or
 * the channel has no placements. That row also has the creatives of deleted placements.
 */
export function matrixOf(
  channels: readonly MatrixChannel[],
  creatives: readonly OfferCreativeRef[],
): readonly MatrixPlace[] {
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
          ? [
              {
                ...base,
                key: channel.id,
                placement: null,
                creatives: loose,
                covered: false,
                shares: weightShares(own, null),
              },
            ]
          : []),
        ...channel.placements.map((placement) => {
          const here = own.filter(({ placementId }) => placementId === placement.id);
          return {
            ...base,
            key: placement.id,
            placement: { id: placement.id, name: placement.name, status: placement.status },
            creatives: here,
            covered: here.length === 0 && covering,
            shares: weightShares(own, placement.id),
          };
        }),
      ];
      return rows.map((row, at) => ({ ...row, span: at === 0 ? rows.length : 0 }));
    });
}
