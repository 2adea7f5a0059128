// What an admin does in the console: the way in, the first steps, keys, settings, the audit log, sample data; and a session's end.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { cannotBrowse, openStage, type Stage } from './browser.ts';

let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open();
  // Long, because the machine may be busy; every wait ends as soon as what it waits for is there.
  page.setDefaultTimeout(60_000);
});
after(() => stage?.close());

const nothingWrong = () => assert.deepEqual(stage.faults(), []);
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const heading = (name: string) => page.getByRole('heading', { level: 1, name });
const statusWith = async (key: string) =>
  (await fetch(`${stage.url}/api/v1/offers`, { headers: { authorization: `Bearer ${key}` } })).status;

test(
  'a deep link asks to sign in, a wrong password is told, and the printed link opens the console',
  skip,
  async () => {
    await page.goto(`${stage.url}/health`);
    await page.getByLabel('E-mail address').fill('nobody@example.test');
    await page.getByLabel('Password').fill('Passw0rd');
    await button('Sign in').click();
    await page.getByText('The address or the password is wrong.').waitFor();
    assert.match(page.url(), /\/login\?returnTo=%2Fhealth$/);
    await page.goto(stage.firstRun);
    await page.getByRole('heading', { level: 1, name: /decide, see why, prove it/ }).waitFor();
    nothingWrong();
  },
);

test('the first steps: a decision, its reasons, the limits, a call to copy', skip, async () => {
  await page.goto(stage.url);
  await page.getByText('0 of 3 steps done').waitFor();
  await button(/^Decide\b/).click();
  await page.getByText('#1', { exact: true }).waitFor();
  const why = page.getByRole('region', { name: 'Why this?' });
  await why.getByText(/^Score ·/).waitFor();
  await button('Ask again').click();
  await page.getByText('Contact policies refused every offer that was left.').waitFor();
  await page.getByText('2 of 3 steps done').waitFor();
  assert.match((await page.locator('pre').textContent()) ?? '', /api\/v1\/recommend'[\s\S]*"customerId":"CM-000001"/);
  await why.getByRole('link', { name: 'Open the decision' }).click();
  await page.waitForURL(/\/decisions\//);
  nothingWrong();
});

test('a key is shown once, opens the API, and is revoked', skip, async () => {
  await page.goto(`${stage.url}/settings/api-keys`);
  await button('Make a key').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('website');
  await dialog.getByRole('button', { name: 'Make a key' }).click();
  const key = (await dialog.getByText(/^krn_/).textContent()) ?? '';
  assert.equal(await statusWith(key), 200);
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'I have kept it' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await page.content()).includes(key), false, 'it is nowhere on the page any more');
  await button('Revoke website').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke website' }).click();
  await page.getByText('website is revoked.').waitFor();
  assert.equal(await statusWith(key), 401);
  nothingWrong();
});

test('a setting that is refused says why at its field; one that is saved is saved', skip, async () => {
  await page.goto(`${stage.url}/settings`);
  const zone = page.getByLabel('Time zone');
  await zone.fill('Nowhere/At all');
  await button('Save').click();
  await page.getByRole('alert').waitFor();
  assert.equal(await zone.getAttribute('aria-invalid'), 'true');
  await zone.fill('Europe/Berlin');
  await button('Save').click();
  await page.getByText('The settings are saved.').waitFor();
  assert.equal((await stage.call('GET', 'tenant-settings')).timezone, 'Europe/Berlin');
  nothingWrong();
});

test('the browser computes every hash of the audit log again, the server checks the chain', skip, async () => {
  await page.goto(`${stage.url}/audit`);
  await heading('Audit log').waitFor();
  await page.getByText(/^\d+ rows recomputed in this browser, all right$/).waitFor();
  await button('Verify the whole chain').click();
  await page.getByText(/^\d+ rows intact$/).waitFor();
  await page
    .getByRole('row', { name: /tenantSettings/ })
    .first()
    .click();
  await page.getByText('timezone').waitFor();
  assert.match(page.url(), /\?row=/);
  nothingWrong();
});

test('sample data is removed and loaded again, and the page knows at once', skip, async () => {
  await page.goto(`${stage.url}/settings`);
  await button('Remove it').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Type coffee_rewards to confirm').fill('coffee_rewards');
  await dialog.getByRole('button', { name: 'Remove it' }).click();
  await page.getByText('The sample data is gone.').waitFor();
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await button('Load Coffee rewards').click();
  await page.getByRole('heading', { name: 'Decide now' }).waitFor();
  nothingWrong();
});

test('health shows the checks and the protected tables', skip, async () => {
  await page.goto(`${stage.url}/health`);
  await page.getByText(/^All \d+ tables with data of tenants are protected/).waitFor();
  assert.equal(await page.getByText('holds', { exact: true }).count(), 5);
  nothingWrong();
});

test('a session that ends is begun again over the page', skip, async () => {
  await page.goto(stage.url);
  await page.getByRole('heading', { name: 'Decide now' }).waitFor();
  await page.context().clearCookies();
  await button(/^Decide\b/).click();
  await page.getByRole('dialog', { name: 'You are signed out' }).waitFor();
  assert.equal(page.url(), `${stage.url}/`, 'the page stays where it is');
  nothingWrong();
});
