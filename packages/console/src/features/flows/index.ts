import { recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

export const flows = feature({
  name: 'flows',
  screens: recordScreens(recordKinds.decisionFlow, {
    list: () => import('./flow-list.tsx').then((module) => module.FlowList),
    record: () => import('./flow-page.tsx').then((module) => module.FlowPage),
  }),
});
