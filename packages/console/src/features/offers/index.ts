import { recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

export const offers = feature({
  name: 'offers',
  screens: recordScreens(recordKinds.offer, {
    list: () => import('./offer-list.tsx').then((module) => module.OfferList),
    record: () => import('./offer-page.tsx').then((module) => module.OfferPage),
  }),
});
