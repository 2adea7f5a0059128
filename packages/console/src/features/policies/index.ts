import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { createCommand, recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { addresses } from '../../route/addresses.ts';
import { feature } from '../../route/feature.ts';

/** Loads the impact of a requested change, for the pages that decide about it. */
export const loadPolicyImpact = () => import('./form/requested-impact.tsx').then((module) => module.RequestedImpact);

export const policies = feature({
  name: 'policies',
  screens: [
    ...recordScreens(recordKinds.contactPolicy, {
      list: () => import('./policy-list.tsx').then((module) => module.PolicyList),
      record: () => import('./policy-page.tsx').then((module) => module.PolicyPage),
      form: () => import('./form/policy-form.tsx').then((module) => module.PolicyForm),
    }),
    {
      path: addresses.policyStudio(),
      title: catalogueTitles.policyStudio,
      load: () => import('./studio/studio-page.tsx').then((module) => module.StudioPage),
    },
  ],
  commands: [createCommand(recordKinds.contactPolicy)],
});
