import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { createCommand, recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { addresses } from '../../route/addresses.ts';
import { feature } from '../../route/feature.ts';

/** Channels and their placements. */
export const channels = feature({
  name: 'channels',
  screens: [
    ...recordScreens(recordKinds.channel, {
      list: () => import('./channel-list.tsx').then((module) => module.ChannelList),
      record: () => import('./channel-page.tsx').then((module) => module.ChannelPage),
      form: () => import('./channel-form.tsx').then((module) => module.ChannelForm),
    }),
    ...recordScreens(recordKinds.placement, {
      list: () => import('./placement-list.tsx').then((module) => module.PlacementList),
      record: () => import('./placement-page.tsx').then((module) => module.PlacementPage),
      form: () => import('./placement-form.tsx').then((module) => module.PlacementForm),
    }),
  ],
  commands: [
    createCommand(recordKinds.channel),
    createCommand(recordKinds.placement),
    {
      id: 'channels.placements',
      title: catalogueTitles.allPlacements,
      words: 'slots, banners, cards',
      act: { open: addresses.placements() },
    },
  ],
});
