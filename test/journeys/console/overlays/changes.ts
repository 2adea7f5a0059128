// Overlays and states of screens that change something: confirmations, secrets, conflicts, results, unsaved work.
import type { Page } from 'playwright-core';
import { settled } from '../places.ts';
import { ask, dialog, editFlow, go, type Overlay, press, rowsOf, unused } from './steps.ts';

const editOffer = async (page: Page): Promise<string> => {
  const { id } = await ask(page, 'POST', 'offers', { name: unused('Iced Latte'), status: 'draft' });
  await go(page, `/offers/${id}/edit`);
  return id;
};

const offerRequest = async (page: Page, payload: object): Promise<void> => {
  // So that the requester can decide, too.
  await ask(page, 'PUT', 'tenant-settings', { fourEyesEnabled: false });
  const [offer] = await rowsOf(page, 'offers?limit=1');
  await ask(page, 'POST', 'approvals', {
    ...{ entityType: 'offer', entityId: offer?.id, entityName: offer?.name, action: 'update', payload },
  });
};

const simulate = async (page: Page): Promise<void> => {
  const field = page.getByRole('combobox', { name: 'Segment' });
  await field.click();
  await page.getByRole('option').first().click();
  await press(page, 'Simulate');
};

const secrets: readonly Overlay[] = [
  {
    name: 'dialog-key-secret',
    address: '/settings/api-keys',
    open: async (page) => {
      await press(page, 'Create key');
      await page.getByRole('dialog').getByLabel('Name').fill(unused('Website'));
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('dialog', { name: 'Copy your key now' }).waitFor();
    },
  },
  {
    name: 'dialog-revoke-key',
    address: '/settings/api-keys',
    open: async (page) => {
      await press(page, /^Revoke /);
      await dialog(page);
    },
  },
  {
    name: 'dialog-revoke-client',
    address: '/settings/oauth-clients',
    open: async (page) => {
      await press(page, /^Revoke /);
      await dialog(page);
    },
  },
  {
    name: 'dialog-directory-token',
    address: '/settings/single-sign-on',
    open: async (page) => {
      await press(page, 'Create token');
      await page.getByRole('dialog', { name: 'Copy your SCIM token now' }).waitFor();
    },
  },
  {
    name: 'dialog-test-failed',
    address: '/settings/destinations',
    open: async (page) => {
      await press(page, /^Send test to /);
      await page.getByRole('dialog', { name: /^The test to .* failed$/ }).waitFor();
    },
  },
];

const deletions: readonly Overlay[] = [
  {
    name: 'dialog-delete-destination',
    address: '/settings/destinations',
    open: async (page) => {
      const [destination] = await rowsOf(page, 'notifications/providers');
      await go(page, `/settings/destinations/${destination?.id}/edit`);
      await press(page, 'Delete');
      await dialog(page);
    },
  },
  {
    name: 'dialog-drop-field',
    address: '/data/schemas',
    open: async (page) => {
      const [schema] = await rowsOf(page, 'schemas?limit=1');
      const fields = (schema?.fields ?? []) as readonly { readonly id: string; readonly isPrimaryKey: boolean }[];
      await go(page, `/data/schemas/${schema?.id}/fields/${fields.find((field) => !field.isPrimaryKey)?.id}`);
      await press(page, 'Drop field');
      await dialog(page);
    },
  },
  {
    name: 'deletion-with-undo',
    address: '/offers',
    open: async (page) => {
      const { id, name } = await ask(page, 'POST', 'offers', { name: unused('Short lived'), status: 'draft' });
      await go(page, `/offers/${id}`);
      await press(page, 'Delete');
      await page.getByText(name).and(page.locator('[role="status"] *, li *')).first().waitFor();
      await page.getByRole('button', { name: 'Undo' }).waitFor();
    },
  },
  {
    name: 'dialog-revert-content',
    address: '/content',
    open: async (page) => {
      const { id } = await ask(page, 'POST', 'content', { name: unused('Letter'), channelType: 'email' });
      await ask(page, 'PUT', `content/${id}`, { content: { subject: 'Changed' } });
      await go(page, `/content/${id}`);
      await press(page, 'Revert to version 1');
      await dialog(page);
    },
  },
  {
    name: 'dialog-restore-version',
    address: '/flows',
    open: async (page) => {
      const [flow] = await rowsOf(page, 'decision-flows?limit=1');
      await go(page, `/flows/${flow?.id}?tab=versions`);
      await press(page, /^Restore v\d+ as the draft$/);
      await dialog(page);
    },
  },
];

const forms: readonly Overlay[] = [
  {
    name: 'form-with-problems',
    address: '/offers/new',
    open: async (page) => {
      await page.getByRole('textbox', { name: 'Name' }).fill('Pastry Pairing');
      await page.getByRole('textbox', { name: 'Priority', exact: true }).fill('1000');
      await press(page, 'Create offer');
      await page
        .getByText(/needs? attention$/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'form-restored',
    address: '/offers/new',
    open: async (page) => {
      await page.getByRole('textbox', { name: 'Name' }).fill('Never saved');
      await page
        .getByText(/^1 change|unsaved|Changed/i)
        .first()
        .waitFor();
      await page.reload();
      await page.getByText('We restored your unsaved changes.').waitFor();
    },
  },
  {
    name: 'form-with-conflict',
    address: '/offers',
    open: async (page) => {
      const id = await editOffer(page);
      await page.getByRole('textbox', { name: 'Name' }).fill(unused('Mine'));
      await page.getByRole('textbox', { name: 'Priority', exact: true }).fill('61');
      await ask(page, 'PUT', `offers/${id}`, { name: unused('Theirs'), priority: 62, description: 'New' });
      await press(page, 'Save');
      await page.getByText('Someone else changed this record').waitFor();
    },
  },
  {
    name: 'form-after-sign-out',
    address: '/offers',
    open: async (page) => {
      await editOffer(page);
      await page.getByRole('textbox', { name: 'Name' }).fill(unused('Signed out'));
      let isSaved = false;
      // Answered as without a session, without ending it: other overlays need it. A read before the save would cover its button.
      await page.route('**/api/v1/offers/*', async (route) => {
        isSaved ||= route.request().method() === 'PUT';
        if (!isSaved) return route.continue();
        const answer = await fetch(route.request().url());
        const headers = { 'content-type': answer.headers.get('content-type') ?? '' };
        await route.fulfill({ status: answer.status, headers, body: await answer.text() });
      });
      await press(page, 'Save');
      await page.getByRole('dialog', { name: "You're signed out" }).waitFor();
      await page.unroute('**/api/v1/offers/*');
    },
  },
  {
    name: 'dialog-set-route',
    address: '/flows/routes',
    open: async (page) => {
      await press(page, /^Set route/);
      await dialog(page);
    },
  },
  {
    name: 'dialog-suppress',
    address: '/suppressions',
    open: async (page) => {
      await press(page, 'New suppression');
      await page.getByRole('dialog').getByLabel('Blocks').selectOption({ index: 1 });
    },
  },
  {
    name: 'bulk-results',
    address: '/offers',
    only: 'wide',
    open: async (page) => {
      const [offer] = await rowsOf(page, 'offers?limit=1');
      await page.getByRole('checkbox', { name: 'Select all loaded rows' }).check();
      await ask(page, 'PUT', `offers/${offer?.id}`, { description: unused('Changed meanwhile') });
      await press(page, 'Set priority');
      await page.getByRole('dialog').getByLabel('Priority').fill('66');
      await page.keyboard.press('Tab');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Change \d+ offers$/ })
        .click();
      await page.getByRole('region', { name: 'Not done' }).waitFor();
    },
  },
];

const outlooks: readonly Overlay[] = [
  {
    name: 'approval-request',
    address: '/approvals',
    open: async (page) => {
      await offerRequest(page, { priority: 71, shortDesc: unused('Asked') });
      await page.reload();
      await page.getByRole('region', { name: 'Requests' }).waitFor();
      await settled(page);
    },
  },
  {
    name: 'approval-selection',
    address: '/approvals',
    open: async (page) => {
      await offerRequest(page, { priority: 72 });
      await page.reload();
      await page.getByRole('region', { name: 'Requests' }).waitFor();
      await settled(page);
      await page.keyboard.press('x');
      await page.getByRole('button', { name: 'Approve 1 request' }).waitFor();
    },
  },
  {
    name: 'publish-impact',
    address: '/flows',
    open: async (page) => {
      const [flow] = await rowsOf(page, 'decision-flows?limit=1');
      const { draftConfig } = await ask(page, 'GET', `decision-flows/${flow?.id}`);
      const changed = { ...Object(draftConfig), flowConfig: { ...Object(draftConfig).flowConfig, defaultLimit: 2 } };
      await ask(page, 'PUT', `decision-flows/${flow?.id}`, { draftConfig: changed });
      await go(page, `/flows/${flow?.id}/publish`);
      await simulate(page);
      await page
        .getByText(/of \d+ (sampled )?customers/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'flow-with-conflict',
    address: '/flows',
    only: 'wide',
    open: async (page) => {
      await editFlow(page);
      const id = new URL(page.url()).pathname.split('/')[2];
      await page.locator('[data-node]').first().click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(unused('Mine'));
      const { draftConfig } = await ask(page, 'GET', `decision-flows/${id}`);
      const [node, ...others] = Object(draftConfig).nodes;
      const theirs = { ...Object(draftConfig), nodes: [{ ...node, name: unused('Theirs') }, ...others] };
      await ask(page, 'PUT', `decision-flows/${id}`, { draftConfig: theirs });
      await page.keyboard.press('Control+s');
      await page.getByText('Someone else changed this flow').waitFor();
    },
  },
  {
    name: 'rule-reach',
    address: '/rules',
    open: async (page) => {
      const rule = (await rowsOf(page, 'qualification-rules')).find(
        ({ ruleType }) => ruleType === 'attribute_condition',
      );
      await go(page, `/rules/${rule?.id}`);
      await press(page, 'Estimate reach');
      await page
        .getByText(/sampled customers/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'policy-impact',
    address: '/policies',
    open: async (page) => {
      const policy = (await rowsOf(page, 'contact-policies')).find(({ ruleType }) => ruleType === 'frequency_cap');
      await go(page, `/policies/${policy?.id}/edit`);
      await press(page, 'Preview impact');
      await page
        .getByText(/affected: |no traffic/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'offer-before-live',
    address: '/offers',
    open: async (page) => {
      const { id } = await ask(page, 'POST', 'offers', { name: unused('Not live'), status: 'draft' });
      await go(page, `/offers/${id}`);
    },
  },
  {
    name: 'why-not-of-a-customer',
    address: '/customers/CM-000031?tab=offers',
    open: async (page) => {
      await page.getByRole('grid').focus();
      await page.keyboard.press('Space');
      await dialog(page);
    },
  },
  {
    name: 'palette-without-result',
    address: '/offers',
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('zzzzzzz');
      await page
        .getByRole('dialog')
        .getByText(/^(Nothing|No )/)
        .first()
        .waitFor();
    },
  },
];

export const changeOverlays: readonly Overlay[] = [...secrets, ...deletions, ...forms, ...outlooks];
