import { ListChecks } from 'lucide-react';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { feature } from '../../route/feature.ts';

export const rules = feature({
  name: 'rules',
  screens: [
    {
      path: '/rules',
      title: catalogueTitles.rules,
      rail: { group: 'guard', order: 20, icon: ListChecks },
      load: () => import('./rule-list.tsx').then((module) => module.RuleList),
    },
    {
      path: '/rules/$id',
      title: catalogueTitles.rule,
      load: () => import('./rule-page.tsx').then((module) => module.RulePage),
    },
  ],
});
