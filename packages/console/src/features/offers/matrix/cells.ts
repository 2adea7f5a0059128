import type { Offer } from '@arbiter/contract/catalogue/offers';

/** An offer's creatives on one channel. */
export interface MatrixCell {
  readonly active: number;
  /** Drafts and paused ones. */
  readonly idle: number;
}

/** Returns the creatives of an offer on a channel; archived ones don't count. */
export function cellOf({ creatives }: Pick<Offer, 'creatives'>, channelId: string): MatrixCell {
  const own = creatives.filter((creative) => creative.channelId === channelId && creative.status !== 'archived');
  const active = own.filter(({ status }) => status === 'active').length;
  return { active, idle: own.length - active };
}

/** Whether the offer can't be shown on one of the channels. */
export const hasHole = (offer: Pick<Offer, 'creatives'>, channelIds: readonly string[]): boolean =>
  channelIds.some((id) => cellOf(offer, id).active === 0);
