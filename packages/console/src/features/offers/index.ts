import { Gift } from 'lucide-react';
import { offerTexts } from '../../messages/offers.ts';
import { feature } from '../../route/feature.ts';

export const offers = feature({
  name: 'offers',
  screens: [
    {
      path: '/offers',
      title: offerTexts.offers,
      rail: { group: 'catalogue', order: 10, icon: Gift, key: 'o' },
      load: () => import('./offer-list.tsx').then((module) => module.OfferList),
    },
    {
      path: '/offers/$id',
      title: offerTexts.offer,
      load: () => import('./offer-page.tsx').then((module) => module.OfferPage),
    },
  ],
});
