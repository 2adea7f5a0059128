// Journey 13 of docs/design/console.md 6, its reading part: a service desk reads a customer. The server stands behind /arbiter/,
// is stopped and started again under the open page, and is read by a viewer, who may change nothing.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { simpleParser } from 'mailparser';
import type { Page } from 'playwright-core';
import { cannotBrowse, openStage, type Stage } from './browser.ts';

let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
/** Long, because the machine may be busy; every wait ends as soon as what it waits for is there. */
const timeout = 60_000;
const customer = 'CM-000031';

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage('/arbiter/');
  page = await stage.open();
  page.setDefaultTimeout(timeout);
});
after(() => stage?.close());

const nothingWrong = () => assert.deepEqual(stage.faults(), []);
const heading = (name: string, on = page) => on.getByRole('heading', { level: 1, name }).waitFor();

test('a customer is found by id: what would be shown now, what happened, what limits it', skip, async () => {
  await stage.call('POST', 'recommend', { customerId: customer, channel: 'email' });
  await stage.call('POST', 'suppressions', {
    customerId: customer,
    scope: 'global',
    reason: 'complained on the phone',
    expiresAt: '2099-01-01T00:00:00.000Z',
  });
  await page.goto(stage.firstRun);
  await page.getByRole('link', { name: 'Customers', exact: true }).click();
  await page.getByLabel('Customer id').fill(customer);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await heading(customer);
  const address = page.url();
  assert.equal(address, `${stage.url}/customers/${customer}`);
  await page
    .getByRole('region', { name: 'Next best now' })
    .getByRole('link', { name: /^Email/ })
    .waitFor();
  // What happened, newest first, and the decision behind it.
  await page.getByText('Suppressed: every offer').waitFor();
  await page.getByRole('link', { name: /Decision: 1 offer/ }).click();
  await heading(`Decision for ${customer}`);
  await page.goBack();
  await heading(customer);
  assert.equal(page.url(), address);
  await page.getByRole('tab', { name: 'Limits' }).click();
  await page.getByRole('region', { name: 'Suppressions' }).getByText('complained on the phone').waitFor();
  // A deep link shows the same after a reload.
  assert.match(page.url(), /\?tab=limits$/);
  await page.reload();
  await page.getByRole('region', { name: 'Suppressions' }).getByText('complained on the phone').waitFor();
  nothingWrong();
});

test('a server that is away is told, and the page goes on when it is back', skip, async () => {
  await page.goto(`${stage.url}/decisions`);
  await page
    .getByRole('row', { name: new RegExp(customer) })
    .first()
    .waitFor();
  await stage.stop();
  // What is asked of the server again says that nothing answers; what is shown stays.
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  const away = page.getByText('No answer: the network or the server is away.', { exact: false }).first();
  await away.waitFor();
  await page
    .getByRole('row', { name: new RegExp(customer) })
    .first()
    .waitFor();
  // A page whose code was not loaded yet cannot come now, and does not claim to know why.
  await page.getByRole('link', { name: 'Contact policies', exact: true }).click();
  await heading('This page did not arrive');
  await stage.start();
  await page.getByRole('button', { name: 'Reload', exact: true }).click();
  // The session and the data are those from before.
  await heading('Contact policies');
  assert.equal(await away.count(), 0);
  await page.getByRole('link', { name: 'Decisions', exact: true }).click();
  await page
    .getByRole('row', { name: new RegExp(customer) })
    .first()
    .waitFor();
});

test('a viewer reads everything, and is told who may do what a viewer may not', skip, async () => {
  const { recommendationId } = await stage.call('POST', 'recommend', { customerId: 'CM-000035', channel: 'web' });
  const desk = await stage.open();
  desk.setDefaultTimeout(timeout);
  const token = await invited('desk@example.test');
  const answer = await desk.request.post(`${stage.url}/api/v1/auth/accept-invite`, {
    headers: { 'x-requested-with': 'journey' },
    data: { token, name: 'Desk', password: 'Passw0rd-of-desk' },
  });
  assert.equal(answer.status(), 200, await answer.text());
  await desk.goto(`${stage.url}/customers/${customer}`);
  await heading(customer, desk);
  await desk.getByText('Suppressed: every offer').waitFor();
  await desk.goto(`${stage.url}/decisions/${String(recommendationId)}?tab=inputs`);
  await disabledBecause(desk, 'Read the inputs', /editor/);
  await desk.goto(`${stage.url}/settings`);
  await desk.getByText('Settings are changed by admins. You see how they stand.').waitFor();
  await desk.goto(`${stage.url}/settings/api-keys`);
  await desk.getByText('API keys are for admins.').waitFor();
  await desk.goto(`${stage.url}/audit`);
  await heading('Audit log', desk);
});

/** A control that cannot be used is there, reachable by keyboard, and says why. */
async function disabledBecause(on: Page, name: string, reason: RegExp): Promise<void> {
  const control = on.getByRole('button', { name, exact: true });
  await control.waitFor();
  assert.equal(await control.getAttribute('aria-disabled'), 'true');
  const described = await control.getAttribute('aria-describedby');
  assert.ok(described, name);
  assert.match((await on.locator(`[id="${described}"]`).textContent()) ?? '', reason);
  await control.focus();
  assert.equal(await control.evaluate((element) => element === document.activeElement), true);
}

/** Invites a viewer; answers the token of the link that is mailed. */
async function invited(email: string): Promise<string> {
  await stage.call('POST', 'users', { email, role: 'viewer' });
  const outbox = join(stage.folder, 'data', 'outbox');
  const until = performance.now() + timeout;
  while (performance.now() < until) {
    const files = await readdir(outbox).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    for (const file of files.filter((name) => name.endsWith('.eml'))) {
      const { text = '', to } = await simpleParser(await readFile(join(outbox, file)));
      if (!JSON.stringify(to ?? '').includes(email)) continue;
      const token = new RegExp(`${stage.url}/\\S*[?&#]token=([\\w-]+)`).exec(text)?.[1];
      assert.ok(token, text);
      return token;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('no invitation was mailed');
}

test('a tenant without data says on every list what to do first', skip, async () => {
  await stage.call('DELETE', 'seed-dataset/coffee_rewards', undefined, { 'x-confirm-delete': 'coffee_rewards' });
  await page.goto(stage.url);
  await page.getByRole('button', { name: 'Load Coffee rewards' }).waitFor();
  await page.getByRole('link', { name: 'Qualification rules', exact: true }).click();
  await heading('Qualification rules');
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  await page.getByRole('link', { name: 'Customers', exact: true }).click();
  await page.getByText('No table of customers yet').waitFor();
});
