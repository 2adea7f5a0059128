// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// People and their access: an invitation to a second person, keys, OAuth clients, destinations, single sign-on, and a
// session that ends during an edit.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { cannotBrowse, holdEachJourney, openStage, patiently, type Stage, says } from './browser.ts';
import { mailedToken } from './mail.ts';

let stage: Stage;
let page: Page;
let eva: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
const email = 'eva@example.test';
const password = 'Passw0rd-eva';

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open();
  page.setDefaultTimeout(120_000);
  await page.goto(stage.firstRun);
  await page.getByRole('heading', { level: 1, name: /decide, see why, prove it/ }).waitFor();
  eva = await stage.open();
  eva.setDefaultTimeout(120_000);
});
holdEachJourney(() => stage);
after(() => stage?.close());

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const dialog = (name?: string) => page.getByRole('dialog', name === undefined ? {} : { name });
const bearing = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const statusWith = async (key: string) =>
  (await patiently(() => fetch(`${stage.url}/api/v1/offers`, bearing(key)))).status;
const choose = async (person: string, item: string) => {
  await button(`Actions for ${person}`).click();
  await page.getByRole('menuitem', { name: item }).click();
};

test('invites several people, and reports an address that is taken', skip, async () => {
  await page.goto(`${stage.url}/settings/people`);
  await button('Invite people').click();
  const addresses = dialog().getByLabel('Email addresses');
  await addresses.fill('nobody');
  assert.equal(await dialog().getByRole('button', { name: 'Invite' }).getAttribute('aria-disabled'), 'true');
  await addresses.fill(`Eva <${email}>\nadmin@demo.localhost\nleft@example.test`);
  await dialog().getByLabel('Role').selectOption('editor');
  await dialog().getByRole('button', { name: 'Invite 3 people' }).click();
  await dialog().getByText("1 invitation wasn't sent. Correct the address and try again.").waitFor();
  await dialog().getByText('This email is taken').waitFor();
  assert.equal(await addresses.inputValue(), 'admin@demo.localhost', 'only the failed address stays');
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await page
    .getByRole('row', { name: /eva@example\.test/ })
    .getByText('Invited')
    .waitFor();
});

test('withdraws an invitation, so that its link stops working', skip, async () => {
  const token = await mailedToken(stage, 'left@example.test', 'accept-invite');
  await choose('left@example.test', 'Withdraw invitation…');
  await says(page, 'Invitation for left@example.test withdrawn.', () =>
    dialog().getByRole('button', { name: 'Withdraw invitation' }).click(),
  );
  const answer = await eva.request.post(`${stage.url}/api/v1/auth/accept-invite`, {
    headers: { 'x-requested-with': 'journey', origin: stage.url },
    data: { token, password },
  });
  assert.equal(answer.status(), 400);
});

test('an invited editor signs in and sees what the role allows', skip, async () => {
  const token = await mailedToken(stage, email, 'accept-invite');
  const answer = await eva.request.post(`${stage.url}/api/v1/auth/accept-invite`, {
    headers: { 'x-requested-with': 'journey', origin: stage.url },
    data: { token, password },
  });
  assert.equal(answer.status(), 200, await answer.text());
  for (const [path, text] of [
    ['people', 'Only admins can view people.'],
    ['api-keys', 'Only admins can manage API keys.'],
    ['oauth-clients', 'Only admins can manage OAuth clients.'],
    ['single-sign-on', 'Only admins can manage single sign-on.'],
  ]) {
    await eva.goto(`${stage.url}/settings/${path}`);
    await eva.getByText(text ?? '').waitFor();
  }
  await eva.goto(`${stage.url}/settings/destinations`);
  const create = eva.getByRole('button', { name: 'New destination' }).first();
  await create.waitFor();
  assert.equal(await create.getAttribute('aria-disabled'), 'true');
});

test("changes a role, but doesn't let admins deactivate themselves", skip, async () => {
  await page.goto(`${stage.url}/settings/people`);
  await choose('Eva', 'Change role…');
  await dialog().getByLabel('Role').selectOption('admin');
  await says(page, 'Eva now has the admin role.', () => dialog().getByRole('button', { name: 'Change role' }).click());
  await eva.goto(`${stage.url}/settings/people`);
  await eva
    .getByRole('row', { name: /eva@example\.test/ })
    .getByText('you')
    .waitFor();
  await eva.getByRole('button', { name: 'Actions for Eva' }).click();
  const deactivate = eva.getByRole('menuitem', { name: /^Deactivate…/ });
  await deactivate.getByText('Ask another admin to deactivate you.').waitFor();
  assert.equal(await deactivate.getAttribute('aria-disabled'), 'true');
  await eva.keyboard.press('Escape');
});

test('replaces a key: both work until the old one is revoked', skip, async () => {
  const keyFrom = async () => (await dialog('Copy your key now').getByText(/^krn_/).textContent()) ?? '';
  const stored = () => dialog('Copy your key now').getByRole('button', { name: "I've stored it" }).click();
  await page.goto(`${stage.url}/settings/api-keys`);
  await button('Create key').click();
  await dialog().getByLabel('Name').fill('shop');
  await dialog().getByLabel('Expires on').fill('2020-01-01');
  await dialog().getByText('Choose a day in the future.').first().waitFor();
  await dialog().getByLabel('Expires on').fill('');
  await dialog().getByRole('button', { name: 'Create key' }).click();
  const first = await keyFrom();
  await stored();
  await button('Replace shop').click();
  await dialog().getByRole('button', { name: 'Create key' }).click();
  const second = await keyFrom();
  await stored();
  assert.deepEqual([await statusWith(first), await statusWith(second)], [200, 200]);
  const row = page.getByRole('row').filter({ hasText: first.slice(0, 12) });
  await row.getByRole('button', { name: 'Revoke shop' }).click();
  await says(page, 'shop revoked.', () => dialog().getByRole('button', { name: 'Revoke shop' }).click());
  assert.deepEqual([await statusWith(first), await statusWith(second)], [401, 200]);
});

test('creates an OAuth client whose secret gets a token', skip, async () => {
  await page.goto(`${stage.url}/settings/oauth-clients`);
  await button('Create client').first().click();
  await dialog().getByLabel('Name').fill('Campaign tool');
  await dialog().getByRole('button', { name: 'Create client' }).click();
  const shown = dialog('Copy your client secret now');
  const [id, secret] = [await shown.getByText(/^kci_/).textContent(), await shown.getByText(/^kcs_/).textContent()];
  await shown.getByRole('button', { name: "I've stored it" }).click();
  const answer = await fetch(`${stage.url}/api/v1/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  assert.equal(await statusWith(token), 200);
  await button('Revoke Campaign tool').click();
  await says(page, 'Campaign tool revoked.', () =>
    dialog().getByRole('button', { name: 'Revoke Campaign tool' }).click(),
  );
});

test('creates a destination, and keeps its secret when something else changes', skip, async () => {
  await page.goto(`${stage.url}/settings/destinations/new`);
  await page.getByLabel('Kind').selectOption('webhook');
  await page.getByLabel('Name').fill('On call');
  await button('Create destination').click();
  await page.getByText('One field needs attention').waitFor();
  await page.getByLabel('URL', { exact: false }).first().fill('https://hooks.example.com/arbiter');
  await page.getByLabel('Signing secret').fill('a secret of 16 or more');
  const drafts = await page.evaluate(() => JSON.stringify(localStorage));
  assert.match(drafts, /hooks\.example\.com/);
  assert.doesNotMatch(drafts, /a secret of 16/, "secrets aren't stored in the browser");
  await says(page, 'Created On call', () => button('Create destination').click());
  await page.waitForURL(/\/edit$/);
  await page.getByLabel('Name').fill('On call at night');
  await says(page, 'Saved On call at night', () => button('Save').click());
  const { data } = await stage.call('GET', 'notifications/providers');
  const [stored] = data as readonly { readonly name: string; readonly config: Readonly<Record<string, unknown>> }[];
  assert.deepEqual([stored?.name, stored?.config.secret], ['On call at night', '••••••••']);
});

test('configures single sign-on with its secret kept, and reports a provider that does not answer', skip, async () => {
  await page.goto(`${stage.url}/settings/single-sign-on`);
  await page.getByLabel('Protocol').selectOption('oidc');
  await page.getByText(`${stage.url}/api/v1/sso/callback`, { exact: true }).waitFor();
  await page.getByLabel('Issuer').fill('https://id.example.invalid');
  await page.getByLabel('Enabled').check();
  await button('Save').click();
  await page.getByText('2 fields need attention').waitFor();
  await page.getByLabel('Client ID').fill('arbiter');
  await page.getByLabel('Client secret').fill('of the provider');
  await says(page, 'Single sign-on saved.', () => button('Save').click());
  await page.getByLabel('Add people when they first sign in').check();
  await page.getByText('Unsaved change: Single sign-on').waitFor();
  await button('Save').click();
  await page.getByRole('status').filter({ hasText: 'No unsaved changes' }).waitFor();
  const stored = await stage.call('GET', 'sso');
  assert.deepEqual([stored.enabled, stored.hasOidcClientSecret, stored.autoProvision], [true, true, true]);
  await button('Test configuration').click();
  await page.getByRole('region', { name: 'Test', exact: true }).getByRole('alert').waitFor();
  await button('Create token').click();
  const shown = dialog('Copy your SCIM token now');
  const token = (await shown.getByText(/^krn_/).textContent()) ?? '';
  await shown.getByRole('button', { name: "I've stored it" }).click();
  const users = await fetch(`${stage.url}/api/v1/scim/v2/Users`, bearing(token));
  assert.equal(users.status, 200);
  assert.equal(await statusWith(token), 403, 'it opens nothing else');
});

test('keeps the form when the session ends during an edit', skip, async () => {
  await eva.goto(`${stage.url}/settings/destinations`);
  await eva.getByRole('row', { name: /On call at night/ }).click();
  const name = eva.getByLabel('Name');
  await name.fill('On call, weekends');
  await eva.context().clearCookies();
  const save = eva.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  const signIn = eva.getByRole('dialog', { name: "You're signed out" });
  await signIn.getByLabel('Password').fill(password);
  await signIn.getByRole('button', { name: 'Sign in', exact: true }).click();
  await signIn.waitFor({ state: 'detached' });
  assert.equal(await name.inputValue(), 'On call, weekends');
  await eva.reload();
  await eva.getByText('We restored your unsaved changes.').waitFor();
  assert.equal(await name.inputValue(), 'On call, weekends');
  await says(eva, 'Saved On call, weekends', () => save.click());
});
