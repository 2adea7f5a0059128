import { HeartPulse } from 'lucide-react';
import { titles } from '../../messages/titles.ts';
import { feature } from '../../route/feature.ts';

export const health = feature({
  name: 'health',
  screens: [
    {
      path: '/health',
      title: titles.health,
      rail: { group: 'operate', order: 10, icon: HeartPulse, key: 'x' },
      load: () => import('./health-page.tsx').then((m) => m.HealthPage),
    },
  ],
});
