import { FlaskConical, Scale } from 'lucide-react';
import { decisionTitles } from '../../messages/decisions/decision-titles.ts';
import { addresses } from '../../route/addresses.ts';
import { feature } from '../../route/feature.ts';

/** Decisions: list, explorer, comparison, and simulations for a customer. */
export const decisions = feature({
  name: 'decisions',
  screens: [
    {
      path: '/decisions',
      title: decisionTitles.decisions,
      rail: { group: 'decide', order: 10, icon: Scale, key: 'd' },
      load: () => import('./list/decision-list.tsx').then((m) => m.DecisionList),
    },
    {
      path: '/decisions/compare',
      title: decisionTitles.compare,
      load: () => import('./compare/compare-page.tsx').then((m) => m.ComparePage),
    },
    {
      path: '/decisions/$id',
      title: decisionTitles.decision,
      load: () => import('./explorer/decision-page.tsx').then((m) => m.DecisionPage),
    },
    {
      path: '/simulate',
      title: decisionTitles.simulate,
      rail: { group: 'decide', order: 20, icon: FlaskConical, key: 's' },
      load: () => import('./simulate/simulate-page.tsx').then((m) => m.SimulatePage),
    },
  ],
  commands: [
    {
      id: 'decisions.empty',
      title: decisionTitles.commandEmpty,
      words: 'nothing fits, no offer, contact policy',
      act: { open: addresses.decisions({ emptyReason: 'contact_policy' }) },
    },
    {
      id: 'decisions.explored',
      title: decisionTitles.commandExplored,
      words: 'exploration, chance',
      act: { open: addresses.decisions({ explored: true }) },
    },
  ],
});
