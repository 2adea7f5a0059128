import { BellRing } from 'lucide-react';
import { destinationTitles } from '../../messages/edit-titles.ts';
import { titles } from '../../messages/titles.ts';
import { feature } from '../../route/feature.ts';

export const destinations = feature({
  name: 'destinations',
  screens: [
    {
      path: '/settings/destinations',
      title: titles.destinations,
      rail: { group: 'operate', order: 87, icon: BellRing },
      load: () => import('./destinations-page.tsx').then((m) => m.DestinationsPage),
    },
    {
      path: '/settings/destinations/new',
      title: destinationTitles.create,
      load: () => import('./destination-form.tsx').then((m) => m.DestinationForm),
    },
    {
      path: '/settings/destinations/send',
      title: destinationTitles.send,
      load: () => import('./send-page.tsx').then((m) => m.SendPage),
    },
    {
      path: '/settings/destinations/$id/edit',
      title: destinationTitles.edit,
      load: () => import('./destination-form.tsx').then((m) => m.DestinationForm),
    },
  ],
});
