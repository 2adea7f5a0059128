import { ScrollText } from 'lucide-react';
import { auditTexts } from '../../messages/audit.ts';
import { feature } from '../../route/feature.ts';

export const audit = feature({
  name: 'audit',
  screens: [
    {
      path: '/audit',
      title: auditTexts.title,
      rail: { group: 'govern', order: 20, icon: ScrollText },
      load: () => import('./audit-page.tsx').then((m) => m.AuditPage),
    },
  ],
});
