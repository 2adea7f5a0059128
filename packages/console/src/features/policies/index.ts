import { ShieldCheck } from 'lucide-react';
import { policyTexts } from '../../messages/policies.ts';
import { feature } from '../../route/feature.ts';

export const policies = feature({
  name: 'policies',
  screens: [
    {
      path: '/policies',
      title: policyTexts.policies,
      rail: { group: 'guard', order: 10, icon: ShieldCheck, key: 'p' },
      load: () => import('./policy-list.tsx').then((module) => module.PolicyList),
    },
    {
      path: '/policies/$id',
      title: policyTexts.policy,
      load: () => import('./policy-page.tsx').then((module) => module.PolicyPage),
    },
  ],
});
