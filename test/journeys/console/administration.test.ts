// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// What an admin does in the console: sign in, first steps, API keys, settings, audit log, sample data, end of a
// session.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createTestApp, type TestApp } from '../../../packages/server/src/features/identity/second-factor/test-app.ts';
import { cannotBrowse, holdEachJourney, openStage, patiently, type Stage, says } from './browser.ts';
import { mailedToken } from './mail.ts';

let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open();
  // Long, because the machine may be busy. Every wait ends as soon as its condition holds.
  page.setDefaultTimeout(120_000);
});
holdEachJourney(() => stage);
after(() => stage?.close());

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const heading = (name: string) => page.getByRole('heading', { level: 1, name });
const statusWith = async (key: string) =>
  (await patiently(() => fetch(`${stage.url}/api/v1/offers`, { headers: { authorization: `Bearer ${key}` } }))).status;

test('asks to sign in for a deep link, reports a wrong password, and opens with the printed link', skip, async () => {
  // Signed-out users can't find out which pages exist.
  await page.goto(`${stage.url}/nowhere/at-all`);
  await page.getByLabel('Email').waitFor();
  assert.match(page.url(), /\/login\?returnTo=%2Fnowhere%2Fat-all$/);
  await page.goto(`${stage.url}/health`);
  await page.getByLabel('Email').fill('nobody@example.test');
  await page.getByLabel('Password').fill('Passw0rd');
  await button('Sign in').click();
  await page.getByText('The email or password is wrong.').waitFor();
  assert.match(page.url(), /\/login\?returnTo=%2Fhealth$/);
  await page.goto(stage.firstRun);
  await page.getByRole('heading', { level: 1, name: /decide, see why, prove it/ }).waitFor();
});

test('walks through the first steps: a decision, its reasons, the limits, a call to copy', skip, async () => {
  await page.goto(stage.url);
  await page.getByText('0 of 3 steps done').waitFor();
  await page.locator('input[value="CM-000001"]').waitFor();
  await button(/^Decide\b/).click();
  await page.getByText('#1', { exact: true }).waitFor();
  const why = page.getByRole('region', { name: 'Why this offer?' });
  await why.getByText(/^Score ·/).waitFor();
  await button('Repeat decision').click();
  await page.getByText('Contact policies blocked every remaining offer.').waitFor();
  await page.getByText('2 of 3 steps done').waitFor();
  assert.match((await page.locator('pre').textContent()) ?? '', /api\/v1\/recommend'[\s\S]*"customerId":"CM-000001"/);
  await why.getByRole('link', { name: 'Open decision' }).click();
  await page.waitForURL(/\/decisions\//);
});

test('shows a key once, and revokes it', skip, async () => {
  await page.goto(`${stage.url}/settings/api-keys`);
  await button('Create key').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('website');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const key = (await dialog.getByText(/^krn_/).textContent()) ?? '';
  assert.equal(await statusWith(key), 200);
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: "I've stored it" }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await page.content()).includes(key), false, 'it is nowhere on the page any more');
  await button('Revoke website').click();
  await says(page, 'website revoked.', () =>
    page.getByRole('dialog').getByRole('button', { name: 'Revoke website' }).click(),
  );
  assert.equal(await statusWith(key), 401);
});

test("reassigns a person's credentials before deactivating them", skip, async () => {
  const email = 'leaving@example.test';
  await stage.call('POST', 'users', { email, role: 'admin' });
  const token = await mailedToken(stage, email, 'accept-invite');
  const leaving = await stage.open();
  const post = async (path: string, data: object) => {
    const answer = await leaving.request.post(`${stage.url}/api/v1/${path}`, {
      headers: { 'x-requested-with': 'journey', origin: stage.url },
      data,
    });
    assert.ok(answer.ok(), await answer.text());
    return answer.json();
  };
  await post('auth/accept-invite', { token, name: 'Leo', password: 'Passw0rd-demo' });
  const { key } = await post('api-keys', { name: 'nightly import', scopes: ['read'] });
  assert.equal(await statusWith(key), 200);
  await page.goto(`${stage.url}/settings/people`);
  await button('Actions for Leo').click();
  await page.getByRole('menuitem', { name: 'Deactivate…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('nightly import').waitFor();
  await dialog.getByLabel('Reassign to').selectOption({ index: 1 });
  await dialog.getByRole('button', { name: 'Reassign', exact: true }).click();
  await dialog.getByText('They own no API keys or OAuth clients.').waitFor();
  await says(page, 'Leo deactivated.', () => dialog.getByRole('button', { name: 'Deactivate Leo' }).click());
  assert.equal(await statusWith(key), 200, 'the key keeps working for its new owner');
});

test('shows the error of a setting at its field, and saves valid ones', skip, async () => {
  await page.goto(`${stage.url}/settings`);
  const limit = page.getByLabel('Maximum offers per decision');
  await limit.fill('0');
  await button('Save changes').click();
  await page.getByRole('alert').waitFor();
  assert.equal(await limit.getAttribute('aria-invalid'), 'true');
  await limit.fill('50');
  const zone = page.getByRole('combobox', { name: 'Time zone' });
  await zone.fill('berlin');
  await page.getByRole('option', { name: 'Europe/Berlin' }).waitFor();
  await zone.press('Enter');
  await says(page, 'Settings saved.', () => button('Save changes').click());
  assert.equal((await stage.call('GET', 'tenant-settings')).timezone, 'Europe/Berlin');
  await zone.fill('nowhere at all');
  await zone.press('Tab');
  // The field restores its value after losing the focus.
  for (let tries = 0; tries < 100 && (await zone.inputValue()) !== 'Europe/Berlin'; tries++)
    await page.waitForTimeout(50);
  assert.equal(await zone.inputValue(), 'Europe/Berlin', 'a text that is no time zone is discarded');
});

test('verifies the hashes of the audit log in the browser, and the chain on the server', skip, async () => {
  await page.goto(`${stage.url}/audit`);
  await heading('Audit log').waitFor();
  await page.getByText(/^\d+ rows verified in your browser$/).waitFor();
  await button('Verify entire log').click();
  await page.getByText(/^\d+ rows intact$/).waitFor();
  await page
    .getByRole('row', { name: /tenant settings/ })
    .first()
    .click();
  await page.getByText('timezone').waitFor();
  assert.match(page.url(), /\?row=/);
});

test('keeps the draft after a failed save, and retries', skip, async () => {
  await page.goto(`${stage.url}/settings`);
  const cap = page.getByLabel('Mandatory offers per customer per day');
  await cap.fill('7');
  await stage.stop();
  await button('Save changes').click();
  const again = page.locator('form').getByRole('button', { name: 'Try again' });
  await again.waitFor();
  assert.equal(await cap.inputValue(), '7');
  await stage.start();
  await says(page, 'Settings saved.', () => again.click());
  assert.equal((await stage.call('GET', 'tenant-settings')).mandatoryDailyCap, 7);
});

test('removes and loads sample data, and updates the page', skip, async () => {
  await page.goto(`${stage.url}/settings`);
  await button('Remove').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Type “coffee_rewards” to confirm').fill('coffee_rewards');
  await says(page, 'Sample data removed.', () => dialog.getByRole('button', { name: 'Remove' }).click());
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await button('Load Coffee rewards').click();
  await page.getByRole('heading', { name: 'Decide now' }).waitFor();
  // The load was a job, so the jobs tray on every page lists it.
  await button('Jobs').click();
  const jobs = page.getByRole('dialog', { name: 'Jobs' });
  await jobs.getByText('Sample data: Coffee rewards').waitFor();
  await jobs.getByText('done', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
});

test('shows a record as a change left it, and what changed since', skip, async () => {
  const { id } = await stage.call('POST', 'offers', { name: 'As it was', status: 'draft', priority: 41 });
  await stage.call('PUT', `offers/${id}`, { priority: 42 });
  await stage.call('PUT', `offers/${id}`, { priority: 43, shortDesc: 'Later' });
  await page.goto(`${stage.url}/offers/${id}`);
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByText(/^3 rows verified in your browser$/).waitFor();
  await page.getByRole('row').nth(2).click();
  await button('Show version 2').click();
  const then = page.getByRole('region', { name: 'Record at version 2' });
  await then.getByText('"priority": 42', { exact: false }).waitFor();
  const since = page.getByRole('region', { name: 'Changed since' });
  await since.getByRole('insertion').filter({ hasText: /^43$/ }).waitFor();
  await since.getByRole('deletion').filter({ hasText: /^42$/ }).waitFor();
});

test('sets up a second factor, and switches between two tenants', skip, async () => {
  const email = 'ada@example.test';
  const ada = await stage.open();
  ada.setDefaultTimeout(120_000);
  const press = (name: string) => ada.getByRole('button', { name, exact: true }).click();
  const post = async (path: string, data: object) => {
    const answer = await ada.request.post(`${stage.url}/api/v1/auth/${path}`, {
      headers: { 'x-requested-with': 'journey' },
      data,
    });
    assert.ok(answer.ok(), await answer.text());
  };
  // Her own tenant, then an invitation to the demo: each account has its own password and a verified email.
  await post('register', { name: 'Ada', email, password: 'Passw0rd-engines', tenantName: 'Engines' });
  await ada.goto(`${stage.url}/api/v1/auth/verify?token=${await mailedToken(stage, email, 'verify')}`);
  await stage.call('POST', 'users', { email, role: 'editor' });
  const token = await mailedToken(stage, email, 'accept-invite');
  await post('accept-invite', { token, name: 'Ada', password: 'Passw0rd-demo' });
  await ada.context().clearCookies();
  const signIn = async (password: string) => {
    await ada.getByLabel('Email').fill(email);
    await ada.getByLabel('Password').fill(password);
    await press('Sign in');
  };
  const at = (tenant: string, on = ada) =>
    on.getByRole('heading', { level: 1, name: `${tenant}: decide, see why, prove it` }).waitFor();
  await ada.goto(`${stage.url}/settings/me`);
  await signIn('Passw0rd-engines');
  // The second factor: a QR code, and its text.
  await press('Set up');
  await ada.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  const secret = (await ada.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? '';
  const app = createTestApp(secret);
  await ada.getByLabel('Code', { exact: true }).fill(app.code(new Date()));
  await press('Turn on');
  await ada.getByRole('dialog', { name: 'Save your backup codes' }).waitFor();
  await press("I've saved them");
  await ada.getByRole('region', { name: 'Second factor' }).getByText('on', { exact: true }).waitFor();
  // To the demo, also in the other tab: a cookie belongs to the browser, not to a tab.
  const other = await ada.context().newPage();
  other.setDefaultTimeout(120_000);
  await other.goto(`${stage.url}/offers`);
  await press('Tenant: Engines. Switch tenant');
  const dialog = ada.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Demo/ }).click();
  await dialog.getByLabel('Password').fill('Passw0rd-engines');
  await press('Switch to Demo');
  await dialog.getByText('The email or password is wrong.').waitFor();
  await dialog.getByLabel('Password').fill('Passw0rd-demo');
  await press('Switch to Demo');
  await at('Demo');
  await at('Demo', other);
  // And back, which needs the second factor.
  await ada.getByRole('button', { name: /'s account$/ }).click();
  await ada.getByRole('menuitem', { name: 'Switch tenant' }).click();
  await dialog.getByText('current').waitFor();
  await dialog.getByRole('button', { name: /^Engines/ }).click();
  await dialog.getByLabel('Password').fill('Passw0rd-engines');
  await press('Switch to Engines');
  await dialog.getByLabel('Authentication code').fill(laterCode(app));
  await press('Continue');
  await at('Engines');
  await at('Engines', other);
});

/** Returns an unused code: that of the next 30 seconds, which the server accepts too. */
function laterCode(app: TestApp): string {
  return app.code(new Date(), 1);
}

test('shows checks and protected tables on Health', skip, async () => {
  await page.goto(`${stage.url}/health`);
  await page.getByText(/Forced row-level security protects all \d+ tables/).waitFor();
  // The checks load separately and may arrive later.
  await page.getByText('OK', { exact: true }).nth(4).waitFor();
  assert.equal(await page.getByText('OK', { exact: true }).count(), 5);
});

test('signs in again over the page', skip, async () => {
  await page.goto(stage.url);
  await page.getByRole('heading', { name: 'Decide now' }).waitFor();
  await page.locator('input[value="CM-000001"]').waitFor();
  await page.context().clearCookies();
  // The click finds out, unless the event stream was first: then the dialog covers the button.
  const signInDialog = page.getByRole('dialog', { name: "You're signed out" }).waitFor();
  await Promise.race([signInDialog, button(/^Decide\b/).click()]);
  await signInDialog;
  assert.equal(page.url(), `${stage.url}/`, 'the page stays where it is');
});
