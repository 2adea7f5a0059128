import { Gift } from 'lucide-react';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { feature } from '../../route/feature.ts';

export const offers = feature({
  name: 'offers',
  screens: [
    {
      path: '/offers',
      title: catalogueTitles.offers,
      rail: { group: 'catalogue', order: 10, icon: Gift, key: 'o' },
      load: () => import('./offer-list.tsx').then((module) => module.OfferList),
    },
    {
      path: '/offers/$id',
      title: catalogueTitles.offer,
      load: () => import('./offer-page.tsx').then((module) => module.OfferPage),
    },
  ],
});
