import { ListChecks } from 'lucide-react';
import { ruleTexts } from '../../messages/rules.ts';
import { feature } from '../../route/feature.ts';

export const rules = feature({
  name: 'rules',
  screens: [
    {
      path: '/rules',
      title: ruleTexts.rules,
      rail: { group: 'guard', order: 20, icon: ListChecks },
      load: () => import('./rule-list.tsx').then((module) => module.RuleList),
    },
    {
      path: '/rules/$id',
      title: ruleTexts.rule,
      load: () => import('./rule-page.tsx').then((module) => module.RulePage),
    },
  ],
});
