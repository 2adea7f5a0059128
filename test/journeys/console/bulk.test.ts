// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// Bulk changes: by keyboard, with a conflict, and as a viewer.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { cannotBrowse, holdEachJourney, openStage, type Stage } from './browser.ts';
import { mailedToken } from './mail.ts';
import { settled } from './places.ts';

interface Offer {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly priority: number;
}

const count = 30;
let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open();
  page.setDefaultTimeout(60_000);
  await page.goto(stage.firstRun);
  for (let at = 0; at < count; at += 1) {
    await stage.call('POST', 'offers', { name: `Bulk ${String(at).padStart(2, '0')}`, status: 'draft' });
  }
});
holdEachJourney(() => stage);
after(() => stage?.close());

const offers = async () => (await stage.call('GET', 'offers?search=Bulk&limit=100')).data as readonly Offer[];
const bar = (on: Page = page) => on.getByRole('group', { name: 'Change selected offers' });

/** Opens the list of the test's offers, with all rows selected by keyboard. */
async function selectAll(on: Page = page): Promise<void> {
  await on.goto(`${stage.url}/offers?search=Bulk`);
  await settled(on);
  await on.getByRole('checkbox', { name: 'Select all loaded rows' }).check();
  await bar(on).getByText(`${count} selected`).waitFor();
}

test('sets the priority of 30 offers, and retries one that someone else changed', skip, async () => {
  await selectAll();
  const [changed] = await offers();
  await stage.call('PUT', `offers/${changed?.id}`, { description: 'Changed in the meantime' });
  await bar().getByRole('button', { name: 'Set priority' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: `Set priority of ${count} offers` });
  await dialog.getByLabel('Priority').fill('77');
  await page.keyboard.press('Tab');
  await dialog.getByRole('button', { name: `Change ${count} offers` }).press('Enter');
  await dialog.getByText(`${count - 1} changed, 1 failed`).waitFor();
  const left = dialog.getByRole('region', { name: 'Not done' });
  assert.equal(await left.getByRole('link').count(), 1);
  assert.equal(await left.getByRole('link').textContent(), changed?.name);
  await left.getByText('Someone else changed this record.', { exact: false }).waitFor();
  assert.equal((await offers()).filter(({ priority }) => priority === 77).length, count - 1);
  await dialog.getByRole('button', { name: 'Retry 1' }).press('Enter');
  await dialog.getByText(`${count} changed`, { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().press('Enter');
  await bar().waitFor({ state: 'detached' });
  assert.ok((await offers()).every(({ priority }) => priority === 77));
});

test('stops halfway and leaves the rest unchanged', skip, async () => {
  await selectAll();
  // Slow calls, so that the run can be stopped halfway.
  await page.route('**/api/v1/offers/*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    await route.continue();
  });
  await bar().getByRole('button', { name: 'Set status' }).click();
  const dialog = page.getByRole('dialog');
  assert.equal(
    await dialog.getByRole('button', { name: `Change ${count} offers` }).getAttribute('aria-disabled'),
    'true',
    'nothing is chosen yet',
  );
  await dialog.getByLabel('Status').selectOption('archived');
  await dialog.getByRole('button', { name: `Change ${count} offers` }).click();
  await dialog.getByText(/^[4-9] of 30/).waitFor();
  await dialog.getByRole('button', { name: 'Stop' }).click();
  const summary = dialog.getByText(/^\d+ changed, \d+ not sent$/);
  await summary.waitFor();
  await page.unroute('**/api/v1/offers/*');
  const [done = 0, left = 0] = ((await summary.textContent()) ?? '').match(/\d+/g)?.map(Number) ?? [];
  assert.equal(done + left, count);
  assert.equal((await offers()).filter(({ status }) => status === 'archived').length, done);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await bar().getByText(`${left} selected`).waitFor();
});

test('deletes the selected rows', skip, async () => {
  await selectAll();
  await bar().getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: `Delete ${count} offers` });
  await dialog.getByText('An admin can restore them.', { exact: false }).waitFor();
  await dialog.getByRole('button', { name: `Delete ${count} offers` }).click();
  await dialog.getByText(`${count} deleted`, { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  assert.equal((await offers()).length, 0);
});

test('shows viewers why they cannot change anything', skip, async () => {
  const email = 'vic@example.test';
  await stage.call('POST', 'users', { email, role: 'viewer' });
  await stage.call('POST', 'offers', { name: 'Bulk seen', status: 'draft' });
  const viewer = await stage.open({ width: 390 });
  viewer.setDefaultTimeout(60_000);
  const answer = await viewer.request.post(`${stage.url}/api/v1/auth/accept-invite`, {
    headers: { 'x-requested-with': 'journey', origin: stage.url },
    data: { token: await mailedToken(stage, email, 'accept-invite'), name: 'Vic', password: 'Passw0rd-demo' },
  });
  assert.ok(answer.ok(), await answer.text());
  await viewer.goto(`${stage.url}/offers?search=Bulk`);
  await settled(viewer);
  await viewer.getByRole('checkbox', { name: 'Select row 1' }).check();
  const button = bar(viewer).getByRole('button', { name: 'Set status' });
  assert.equal(await button.getAttribute('aria-disabled'), 'true');
  const reason = viewer.locator(`[id="${await button.getAttribute('aria-describedby')}"]`);
  assert.equal(await reason.textContent(), 'Only users with the editor role can do this.');
  assert.equal(await viewer.evaluate('document.documentElement.scrollWidth'), 390);

  const flows = (await stage.call('GET', 'decision-flows?limit=1')).data as readonly { id: string; name: string }[];
  const first = flows[0]!;
  await viewer.goto(`${stage.url}/flows/${first.id}/edit`);
  await viewer.getByRole('main').getByText('Only users with the editor role can do this.').waitFor();
  await viewer.getByRole('main').getByRole('link', { name: first.name, exact: true }).last().waitFor();
  assert.equal(await viewer.getByRole('toolbar').count(), 0);
});
