import { Route } from 'lucide-react';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { addresses } from '../../route/addresses.ts';
import { feature } from '../../route/feature.ts';

/** Which flow answers which channel and placement. */
export const flowRoutes = feature({
  name: 'flow-routes',
  screens: [
    {
      path: addresses.flowRoutes(),
      title: catalogueTitles.routes,
      rail: { group: 'decide', order: 40, icon: Route },
      load: () => import('./flow-routes-page.tsx').then((module) => module.FlowRoutesPage),
    },
  ],
});
