// Overlays and replacements of screens, for screenshots and axe.
import type { Page } from 'playwright-core';
import { settled } from '../places.ts';
import { badDayOverlays } from './bad-days.ts';
import { changeOverlays } from './changes.ts';
import { judgingOverlays } from './judging.ts';
import { rareOverlays } from './rare.ts';
import { dialog, editFlow, type Overlay, press, unused } from './steps.ts';
import { twoPeopleOverlays } from './two-people.ts';

/** Opens records of the demo, pins one, and returns to Home. */
const keepSome = async (page: Page): Promise<void> => {
  for (const address of ['decisions', 'policies', 'offers']) {
    await page.goto(new URL(`/${address}`, page.url()).href);
    // Rows come first: the page also links to its form, and to the policy studio and the matrix of offers.
    const record = page.locator(`main [role="row"] a[href*="/${address}/"]`).first();
    await record.waitFor({ state: 'attached' });
    await page.goto(new URL((await record.getAttribute('href')) ?? '', page.url()).href);
    const pin = page.getByRole('button', { name: 'Pin', exact: true });
    await pin.waitFor();
    if ((await pin.getAttribute('aria-pressed')) !== 'true') await pin.click();
  }
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await page.getByRole('region', { name: 'Pinned' }).getByRole('link').first().waitFor();
  await settled(page);
};

const chartMenu = async (page: Page, title: string): Promise<void> => {
  const button = page.getByRole('button', { name: `${title}: view and export`, exact: true });
  // Decisions are counted a moment later, and the page refetches only after a while.
  for (let tries = 0; tries < 30 && (await button.count()) === 0; tries += 1) {
    await page.reload();
    await settled(page);
  }
  await button.click();
  await page.getByRole('menu').waitFor();
};

/** Selects all offers of the list. */
const selectAll = async (page: Page): Promise<void> => {
  await page.getByRole('checkbox', { name: 'Select all loaded rows' }).check();
  await page.getByRole('group', { name: 'Change selected offers' }).waitFor();
};

const importOf = async (page: Page, text: string): Promise<void> => {
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'walkers.csv', mimeType: 'text/csv', buffer: Buffer.from(text, 'latin1') });
  await page.getByRole('button', { name: /^Load \d+ rows?$/ }).waitFor();
};

/** Opens the form of the first content item. */
const editContent = async (page: Page): Promise<void> => {
  const item = page.locator('main a[href*="/content/"]:not([href$="/new"])').first();
  await item.waitFor({ state: 'attached' });
  await page.goto(new URL(`${(await item.getAttribute('href')) ?? ''}/edit`, page.url()).href);
  await page.getByRole('heading', { name: 'Blocks' }).waitFor();
  await settled(page);
};

export const overlays: readonly Overlay[] = [
  ...changeOverlays,
  ...judgingOverlays,
  ...rareOverlays,
  ...twoPeopleOverlays,
  ...badDayOverlays,
  {
    name: 'content-archive',
    address: '/content',
    open: async (page) => {
      const item = page.locator('main a[href*="/content/"]:not([href$="/new"])').first();
      await item.waitFor({ state: 'attached' });
      await page.goto(new URL((await item.getAttribute('href')) ?? '', page.url()).href);
      await press(page, 'Archive');
      await dialog(page);
    },
  },
  {
    name: 'content-blocks',
    address: '/content',
    open: async (page) => {
      await editContent(page);
      await press(page, 'Add block');
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'content-tokens',
    address: '/content',
    open: async (page) => {
      await editContent(page);
      await page.getByRole('textbox', { name: 'Preheader' }).pressSequentially('For {fi');
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'policy-timelines',
    address: '/policies/studio?tab=timelines&customer=CM-000001',
    open: async (page) => {
      await page.getByText('Policies that block now').waitFor();
      await settled(page);
    },
  },
  { name: 'bulk-bar', address: '/offers', only: 'wide', open: selectAll },
  {
    name: 'bulk-value',
    address: '/offers',
    only: 'wide',
    open: async (page) => {
      await selectAll(page);
      await press(page, 'Set category');
      await dialog(page);
    },
  },
  {
    name: 'bulk-one',
    address: '/offers',
    only: 'narrow',
    open: async (page) => {
      await page.getByRole('checkbox', { name: 'Select row 1' }).check();
      await press(page, 'Delete');
      await dialog(page);
    },
  },
  {
    name: 'import-columns',
    address: '/data/schemas/import',
    open: (page) => importOf(page, 'id;Größe;default\n1;38;no\n2;41;yes\n'),
  },
  {
    name: 'import-bad-lines',
    address: '/data/schemas/import',
    open: async (page) => {
      const rows = Array.from({ length: 120 }, (_, at) => `${at},${at === 110 ? 'x' : at}`);
      await importOf(page, ['customer_id,size', ...rows].join('\n'));
      await press(page, 'Load 120 rows');
      await page.getByText('One line has a wrong value').waitFor();
    },
  },
  { name: 'pins', address: '/', open: keepSome },
  {
    name: 'palette-saved',
    address: '/',
    open: async (page) => {
      await keepSome(page);
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('group', { name: 'Pinned' }).waitFor();
    },
  },
  {
    name: 'pin-of-nothing',
    address: '/',
    open: async (page) => {
      await keepSome(page);
      // As if it had been deleted: its pin refers to a missing record.
      const missingId = '00000000-0000-7000-8000-000000000000';
      await page.evaluate((id) => {
        const name = Object.keys(localStorage).find((each) => each.endsWith(':pins')) ?? '';
        const [first, ...others] = JSON.parse(localStorage.getItem(name) ?? '[]');
        localStorage.setItem(name, JSON.stringify([{ ...first, kind: 'offer', id, name: 'Summer Cup' }, ...others]));
      }, missingId);
      await page.goto(new URL(`/offers/${missingId}`, page.url()).href);
      await page.getByText('The pinned offer Summer Cup was deleted').waitFor();
    },
  },
  { name: 'chart-menu', address: '/health', open: (page) => chartMenu(page, 'Decisions by day') },
  {
    name: 'chart-table',
    address: '/health',
    open: async (page) => {
      await chartMenu(page, 'Decisions by day');
      await page.getByRole('menuitem', { name: 'Show as table' }).click();
      await page.getByRole('figure', { name: 'Decisions by day' }).getByRole('table').waitFor();
    },
  },
  {
    name: 'palette',
    address: '/decisions',
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('customers');
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'keys',
    address: '/decisions',
    open: async (page) => {
      await page.keyboard.press('?');
      await dialog(page);
    },
  },
  {
    name: 'drawer',
    address: '/decisions',
    only: 'narrow',
    open: async (page) => {
      await press(page, 'Open navigation');
      await dialog(page);
    },
  },
  {
    name: 'menu-help',
    address: '/decisions',
    only: 'wide',
    open: async (page) => {
      await press(page, 'Help');
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'menu-person',
    address: '/decisions',
    open: async (page) => {
      await press(page, /'s account$/);
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'jobs',
    address: '/decisions',
    open: async (page) => {
      await press(page, 'Jobs');
      await dialog(page);
    },
  },
  {
    name: 'tenants',
    address: '/decisions',
    open: async (page) => {
      await press(page, /'s account$/);
      await page.getByRole('menuitem', { name: 'Switch tenant' }).click();
      await page.getByText('You have no other tenants.').waitFor();
    },
  },
  {
    name: 'dialog-make-key',
    address: '/settings/api-keys',
    open: async (page) => {
      await press(page, 'Create key');
      await dialog(page);
    },
  },
  {
    name: 'dialog-replace-key',
    address: '/settings/api-keys',
    open: async (page) => {
      await press(page, /^Replace /);
      await dialog(page);
    },
  },
  {
    name: 'dialog-make-client',
    address: '/settings/oauth-clients',
    open: async (page) => {
      await press(page, 'Create client');
      await dialog(page);
    },
  },
  {
    name: 'dialog-client-secret',
    address: '/settings/oauth-clients',
    open: async (page) => {
      await press(page, 'Create client');
      await page.getByRole('dialog').getByLabel('Name').fill(unused('Newsletter'));
      await page.getByRole('dialog').getByRole('button', { name: 'Create client' }).click();
      await page.getByRole('dialog', { name: 'Copy your client secret now' }).waitFor();
    },
  },
  {
    name: 'dialog-invite',
    address: '/settings/people',
    open: async (page) => {
      await press(page, 'Invite people');
      await page.getByRole('dialog').getByLabel('Email addresses').fill('ada@example.test\nnobody\n');
      await page.getByText('Not an email address: nobody').first().waitFor();
    },
  },
  {
    name: 'menu-of-person',
    address: '/settings/people',
    open: async (page) => {
      await press(page, /^Actions for /);
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'dialog-role',
    address: '/settings/people',
    open: async (page) => {
      await press(page, /^Actions for /);
      await page.getByRole('menuitem', { name: 'Change role…' }).click();
      await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
    },
  },
  {
    name: 'dialog-withdraw',
    address: '/settings/people?status=invited',
    open: async (page) => {
      await press(page, 'Actions for invited@example.test');
      await page.getByRole('menuitem', { name: 'Withdraw invitation…' }).click();
      await dialog(page);
    },
  },
  {
    name: 'sso-saml',
    address: '/settings/single-sign-on',
    open: async (page) => {
      await page.getByLabel('Protocol').selectOption('saml');
      await page.getByLabel('Require single sign-on').check();
      await page.getByText('No one can sign in with a password anymore, including you').waitFor();
    },
  },
  {
    name: 'dialog-confirm',
    address: '/settings',
    open: async (page) => {
      await press(page, 'Remove');
      await dialog(page);
    },
  },
  {
    name: 'second-factor',
    address: '/settings/me',
    open: async (page) => {
      await press(page, 'Set up');
      await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    },
  },
  {
    name: 'list-view',
    address: '/offers?sort=-priority&status=active',
    open: async (page) => {
      await press(page, 'View options for offers');
      const panel = page.getByRole('dialog', { name: 'View options for offers' });
      const name = panel.getByLabel('View name');
      await name.waitFor();
      // On later visits of this screen, the view exists already.
      if ((await panel.getByRole('link', { name: 'By priority' }).count()) === 0) {
        await panel.getByRole('checkbox', { name: 'Schedule' }).uncheck();
        await name.fill('By priority');
        await press(page, 'Save view');
      }
      await panel.getByText('current').waitFor();
    },
  },
  {
    name: 'list-view-of-a-customer',
    address: '/decisions?customerId=CM-000031',
    open: async (page) => {
      await press(page, 'View options for decisions');
      await page.getByText("the browser doesn't store customer data", { exact: false }).waitFor();
    },
  },
  {
    name: 'list-row',
    address: '/offers',
    open: async (page) => {
      await page.getByRole('grid').focus();
      await page.keyboard.press('Space');
      await page.waitForURL(/peek=/);
      await page.getByRole('button', { name: 'Close preview' }).waitFor();
      await settled(page);
    },
  },
  { name: 'list-with-deleted', address: '/rules?includeDeleted=true' },
  { name: 'list-filter-without-field', address: '/creatives?offerId=00000000-0000-7000-8000-000000000000' },
  {
    name: 'inspector',
    address: '/decisions',
    open: async (page) => {
      await page.getByRole('grid').focus();
      await page.keyboard.press('Space');
      await page.waitForURL(/peek=/);
      await settled(page);
    },
  },
  {
    // Its states are long enough to scroll.
    name: 'audit-row',
    address: '/audit?entityType=contactPolicy',
    open: async (page) => {
      await page.getByRole('row').nth(1).click();
      await page.waitForURL(/row=/);
      await page.getByRole('insertion').first().waitFor();
      await settled(page);
    },
  },
  {
    name: 'audit-version',
    address: '/audit?entityType=contactPolicy',
    open: async (page) => {
      await page.getByRole('row').nth(1).click();
      await press(page, /^Show version \d+$/);
      await page
        .getByRole('region', { name: /^Record at version/ })
        .locator('pre')
        .waitFor();
      await settled(page);
    },
  },
  {
    name: 'audit-scrolled',
    address: '/audit',
    open: async (page) => {
      const grid = page.getByRole('grid');
      await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await settled(page);
    },
  },
  {
    name: 'audit-verified',
    address: '/audit',
    open: async (page) => {
      await press(page, 'Verify entire log');
      await page.getByText(/^\d+ rows intact$/).waitFor();
    },
  },
  {
    name: 'tables-with-data',
    address: '/health',
    open: async (page) => {
      await page.getByRole('region', { name: 'Tenant isolation' }).getByRole('button').click();
      await page.getByRole('grid', { name: 'Tenant isolation' }).waitFor();
    },
  },
  {
    name: 'filters-with-a-list',
    address: '/decisions',
    open: async (page) => {
      await press(page, 'Add filter');
      const dialog = page.getByRole('dialog', { name: 'Add filter' });
      await dialog.getByRole('combobox', { name: 'Offer', exact: true }).click();
      await dialog.getByRole('listbox').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'a-decision-for-show',
    address: '/',
    open: async (page) => {
      await page.getByRole('checkbox', { name: /^Record this decision/ }).uncheck();
      await press(page, /^Decide\b/);
      await page.getByText('#1', { exact: true }).waitFor();
    },
  },
  {
    name: 'flow-insert-menu',
    address: '/flows',
    open: async (page) => {
      await editFlow(page);
      await page.getByRole('button', { name: 'Insert node' }).click();
      await page.getByRole('menuitem', { name: /^Filter/ }).waitFor();
    },
  },
  {
    name: 'flow-with-problems',
    address: '/flows',
    only: 'wide',
    open: async (page) => {
      await editFlow(page);
      await page.getByRole('button', { name: 'Insert node' }).click();
      await page.getByRole('menuitem', { name: /^Set properties/ }).click();
      await press(page, 'Add to properties');
      const formula = page.getByRole('combobox', { name: /^Formula/ });
      await formula.fill('offer.nam +');
      await page.getByText(/^Character \d+: /).waitFor();
      await formula.fill('off');
      await page.getByRole('listbox', { name: 'Names and functions' }).getByRole('option').first().waitFor();
      await page.getByRole('region', { name: 'Problems' }).waitFor();
    },
  },
  {
    name: 'flow-conditional',
    address: '/flows',
    only: 'wide',
    open: async (page) => {
      await editFlow(page);
      await page.getByRole('button', { name: 'Insert node' }).click();
      await page.getByRole('menuitem', { name: /^Conditional/ }).click();
      await press(page, 'Add condition');
      await page.getByRole('combobox', { name: 'Then' }).first().selectOption('Skip to a node');
      await page.getByRole('combobox', { name: 'Node' }).waitFor();
    },
  },
  {
    name: 'flow-editor-canvas',
    address: '/flows',
    only: 'wide',
    open: async (page) => {
      await editFlow(page, '&view=canvas');
      await page.getByRole('button', { name: /^Rank/ }).first().waitFor();
    },
  },
  { name: 'no-such-record', address: '/decisions/00000000-0000-7000-8000-000000000000' },
  { name: 'no-such-offer', address: '/offers/00000000-0000-7000-8000-000000000000' },
  { name: 'no-such-page', address: '/nowhere' },
  { name: 'an-unknown-customer', address: '/customers/nobody' },
  { name: 'an-empty-list', address: '/decisions?customerId=nobody' },
  { name: 'an-empty-search', address: '/offers?search=nothing-is-called-so' },
  {
    name: 'flow-editor-segment',
    address: '/flows',
    open: async (page) => {
      await editFlow(page, '&trial=segment');
      const field = page.getByRole('combobox', { name: 'Segment' });
      await field.click();
      await page.getByRole('option').first().click();
      await page.getByText('sampled customers get an offer', { exact: false }).waitFor();
    },
  },
  {
    name: 'flow-editor-pinned',
    address: '/flows',
    open: async (page) => {
      await editFlow(page, '&trial=pinned');
      const trials = page.getByRole('region', { name: 'Try the draft' });
      await trials.getByLabel('Customer', { exact: true }).fill('CM-000001');
      await page.keyboard.press('Enter');
      await trials.getByRole('button', { name: "Expect the draft's offer" }).click();
      await trials.getByLabel('as expected', { exact: true }).waitFor();
    },
  },
  {
    name: 'what-if',
    address: '/decisions',
    open: async (page) => {
      const decision = page.locator('main a[href*="/decisions/"]').first();
      await decision.waitFor({ state: 'attached' });
      const address = (await decision.getAttribute('href')) ?? '';
      await page.goto(new URL(`${address.split('?')[0]}?tab=what-if`, page.url()).href);
      await page.getByRole('button', { name: 'Load inputs' }).click();
      await page.getByRole('spinbutton', { name: 'Age' }).fill('9');
      await page.getByText('Different from the record.').waitFor();
    },
  },
];
