import { catalogueTitles } from '../catalogue/catalogue-titles.ts';

/** Texts of the page with all offers by channel. */
export const offerMatrixTexts = {
  title: catalogueTitles.offerMatrix,
  lead: 'Active offers by active channel. An offer without an active creative on a channel is never shown there.',
  onlyHoles: 'Only offers with a gap',
  ofLoaded: 'Checks the offers loaded so far.',
  empty: 'No active offers yet',
  emptyText: 'Active offers appear here with their creatives.',
  noHoles: 'No gaps',
  noHolesText: 'Every active offer has an active creative on every channel.',
  active: (count: number) => (count === 1 ? '1 active' : `${count} active`),
  idle: (count: number) => (count === 1 ? '1 inactive' : `${count} inactive`),
  addTo: (offer: string, channel: string) => `Add a creative for ${offer} on ${channel}`,
} as const;
