import { ShieldCheck } from 'lucide-react';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { feature } from '../../route/feature.ts';

export const policies = feature({
  name: 'policies',
  screens: [
    {
      path: '/policies',
      title: catalogueTitles.policies,
      rail: { group: 'guard', order: 10, icon: ShieldCheck, key: 'p' },
      load: () => import('./policy-list.tsx').then((module) => module.PolicyList),
    },
    {
      path: '/policies/$id',
      title: catalogueTitles.policy,
      load: () => import('./policy-page.tsx').then((module) => module.PolicyPage),
    },
  ],
});
