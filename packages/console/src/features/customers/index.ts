import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { addresses } from '../../route/addresses.ts';
import { feature } from '../../route/feature.ts';

/** Customers: profile, history, limits and eligible offers. */
export const customers = feature({
  name: 'customers',
  screens: recordScreens(recordKinds.customer, {
    list: () => import('./customer-list.tsx').then((m) => m.CustomerList),
    record: () => import('./customer-page.tsx').then((m) => m.CustomerPage),
  }),
  commands: [{ id: 'customers.open', title: catalogueTitles.commandOpen, act: { open: addresses.customers() } }],
});
