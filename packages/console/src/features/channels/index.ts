import { RadioTower } from 'lucide-react';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { addresses } from '../../route/addresses.ts';
import { feature } from '../../route/feature.ts';

/** Channels and the placements on them. */
export const channels = feature({
  name: 'channels',
  screens: [
    {
      path: '/channels',
      title: catalogueTitles.channels,
      rail: { group: 'catalogue', order: 40, icon: RadioTower },
      load: () => import('./channel-list.tsx').then((module) => module.ChannelList),
    },
    {
      path: '/channels/placements',
      title: catalogueTitles.placements,
      load: () => import('./placement-list.tsx').then((module) => module.PlacementList),
    },
    {
      path: '/channels/placements/$id',
      title: catalogueTitles.placement,
      load: () => import('./placement-page.tsx').then((module) => module.PlacementPage),
    },
    {
      path: '/channels/$id',
      title: catalogueTitles.channel,
      load: () => import('./channel-page.tsx').then((module) => module.ChannelPage),
    },
  ],
  commands: [
    {
      id: 'channels.placements',
      title: catalogueTitles.allPlacements,
      words: 'slots, banners, cards',
      act: { open: addresses.placements() },
    },
  ],
});
