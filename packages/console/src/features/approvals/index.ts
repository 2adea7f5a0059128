import { Stamp } from 'lucide-react';
import { titles } from '../../messages/titles.ts';
import { addresses } from '../../route/addresses.ts';
import { feature } from '../../route/feature.ts';

/** Requests for approval: decide those of others, follow one's own. */
export const approvals = feature({
  name: 'approvals',
  screens: [
    {
      path: addresses.approvals(),
      title: titles.approvals,
      rail: { group: 'govern', order: 5, icon: Stamp, key: 'a' },
      load: () => import('./approvals-page.tsx').then((module) => module.ApprovalsPage),
    },
  ],
});
