import { recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

export const policies = feature({
  name: 'policies',
  screens: recordScreens(recordKinds.contactPolicy, {
    list: () => import('./policy-list.tsx').then((module) => module.PolicyList),
    record: () => import('./policy-page.tsx').then((module) => module.PolicyPage),
  }),
});
