import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { createCommand, recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { addresses } from '../../route/addresses.ts';
import { feature } from '../../route/feature.ts';

export const offers = feature({
  name: 'offers',
  screens: [
    ...recordScreens(recordKinds.offer, {
      list: () => import('./offer-list.tsx').then((module) => module.OfferList),
      record: () => import('./offer-page.tsx').then((module) => module.OfferPage),
      form: () => import('./form/offer-form.tsx').then((module) => module.OfferForm),
    }),
    {
      path: addresses.offerMatrix(),
      title: catalogueTitles.offerMatrix,
      load: () => import('./matrix/matrix-page.tsx').then((module) => module.MatrixPage),
    },
  ],
  commands: [createCommand(recordKinds.offer)],
});
