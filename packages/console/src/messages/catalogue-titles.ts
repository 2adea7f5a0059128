/** Names of the screens of the catalogue. They come with the shell, so they stand apart from the texts of the screens. */
export const catalogueTitles = {
  offers: 'Offers',
  offer: 'Offer',
  creatives: 'Creatives',
  creative: 'Creative',
  categories: 'Categories',
  channels: 'Channels',
  channel: 'Channel',
  placements: 'Placements',
  placement: 'Placement',
  allPlacements: 'All placements',
} as const;
