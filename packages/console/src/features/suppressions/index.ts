import { UserX } from 'lucide-react';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { addresses } from '../../route/addresses.ts';
import { feature } from '../../route/feature.ts';

/** Who must not be contacted, until when and why. */
export const suppressions = feature({
  name: 'suppressions',
  screens: [
    {
      path: addresses.suppressions(),
      title: catalogueTitles.suppressions,
      rail: { group: 'guard', order: 30, icon: UserX },
      load: () => import('./suppressions-page.tsx').then((module) => module.SuppressionsPage),
    },
  ],
});
