import { Users } from 'lucide-react';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { addresses } from '../../route/addresses.ts';
import { feature } from '../../route/feature.ts';

/** Customers: profile, history, limits and eligible offers. */
export const customers = feature({
  name: 'customers',
  screens: [
    {
      path: '/customers',
      title: catalogueTitles.customers,
      rail: { group: 'audience', order: 10, icon: Users, key: 'c' },
      load: () => import('./customer-list.tsx').then((m) => m.CustomerList),
    },
    {
      path: '/customers/$id',
      title: catalogueTitles.customer,
      load: () => import('./customer-page.tsx').then((m) => m.CustomerPage),
    },
  ],
  commands: [{ id: 'customers.open', title: catalogueTitles.commandOpen, act: { open: addresses.customers() } }],
});
