import { Database } from 'lucide-react';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { feature } from '../../route/feature.ts';

export const schemas = feature({
  name: 'schemas',
  screens: [
    {
      path: '/data/schemas',
      title: catalogueTitles.schemas,
      rail: { group: 'data', order: 10, icon: Database },
      load: () => import('./schema-list.tsx').then((module) => module.SchemaList),
    },
    {
      path: '/data/schemas/$id',
      title: catalogueTitles.schema,
      load: () => import('./schema-page.tsx').then((module) => module.SchemaPage),
    },
  ],
});
