import { ScrollText } from 'lucide-react';
import { titles } from '../../messages/titles.ts';
import { feature } from '../../route/feature.ts';

export const audit = feature({
  name: 'audit',
  screens: [
    {
      path: '/audit',
      title: titles.audit,
      needs: 'admin',
      rail: { group: 'govern', order: 20, icon: ScrollText },
      load: () => import('./audit-page.tsx').then((m) => m.AuditPage),
    },
  ],
});
