import { Workflow } from 'lucide-react';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { feature } from '../../route/feature.ts';

export const flows = feature({
  name: 'flows',
  screens: [
    {
      path: '/flows',
      title: catalogueTitles.flows,
      rail: { group: 'decide', order: 30, icon: Workflow, key: 'f' },
      load: () => import('./flow-list.tsx').then((module) => module.FlowList),
    },
    {
      path: '/flows/$id',
      title: catalogueTitles.flow,
      load: () => import('./flow-page.tsx').then((module) => module.FlowPage),
    },
  ],
});
