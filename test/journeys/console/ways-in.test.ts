// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// Ways to sign in besides the password: Google, single sign-on, a required second factor; from the sign-in page and
// from the tenant switch. oidc-provider plays Google and the tenant's provider.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createTestApp } from '../../../packages/server/src/features/identity/second-factor/test-app.ts';
import { startOidcProvider, type TestOidcProvider } from '../../../packages/server/src/platform/test-oidc-provider.ts';
import { cannotBrowse, holdEachJourney, openStage, type Stage } from './browser.ts';
import { mailedToken } from './mail.ts';

let stage: Stage;
let provider: TestOidcProvider;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
const nora = { email: 'nora@example.test', looms: 'Passw0rd-looms', demo: 'Passw0rd-demo' };

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage({
    settings: async (url) => {
      const redirectUris = ['auth/callback/google', 'v1/sso/callback'].map((path) => `${url}/api/${path}`);
      provider = await startOidcProvider({ redirectUris, claimsInIdToken: true });
      return {
        GOOGLE_CLIENT_ID: provider.clientId,
        GOOGLE_CLIENT_SECRET: provider.clientSecret,
        GOOGLE_ISSUER_URL: provider.issuer,
        OUTBOUND_HTTP_OK: 'true',
        OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      };
    },
    elsewhere: () => [provider.issuer],
  });
  page = await newcomer();
});
holdEachJourney(() => stage);
after(async () => {
  await stage?.close();
  await provider?.close();
});

/** A browser without sessions. */
async function newcomer(): Promise<Page> {
  const opened = await stage.open();
  // Long, because the machine may be busy. Every wait ends as soon as its condition holds.
  opened.setDefaultTimeout(60_000);
  return opened;
}

async function post(path: string, data: object): Promise<void> {
  const answer = await page.request.post(`${stage.url}/api/v1/auth/${path}`, {
    headers: { 'x-requested-with': 'journey' },
    data,
  });
  assert.ok(answer.ok(), await answer.text());
}

/** Creates a user of the demo with a password. */
async function invite(email: string, password: string): Promise<void> {
  await stage.call('POST', 'users', { email, role: 'editor' });
  await post('accept-invite', { token: await mailedToken(stage, email, 'accept-invite'), name: 'Guest', password });
  await page.context().clearCookies();
}

const button = (name: string, on = page) => on.getByRole('button', { name, exact: true });
/** Waits for Home of a tenant, and returns its name. */
async function arrived(on = page): Promise<string> {
  const heading = on.getByRole('heading', { level: 1, name: /: decide, see why, prove it$/ });
  return String(await heading.textContent()).split(':')[0] ?? '';
}
const at = (tenant: string, on = page) =>
  on.getByRole('heading', { level: 1, name: `${tenant}: decide, see why, prove it` }).waitFor();

/** Opens the sign-in to another tenant from the current page. */
async function towards(tenant: string, on = page): Promise<void> {
  await on.getByRole('button', { name: /^Tenant: .+\. Switch tenant$/ }).click();
  await on
    .getByRole('dialog')
    .getByRole('button', { name: new RegExp(`^${tenant}`) })
    .click();
}

test('registers, verifies the email by its link, and signs in', skip, async () => {
  await page.goto(stage.url);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Your name').fill('Nora');
  await page.getByLabel('Email').fill(nora.email);
  await page.getByLabel('Name of your tenant').fill('Looms');
  await page.getByLabel('New password').fill(nora.looms);
  await page.getByLabel('Repeat password').fill('Another0000');
  await button('Create account').click();
  await page.getByText("The passwords don't match.").waitFor();
  assert.equal(await page.getByLabel('Name of your tenant').inputValue(), 'Looms');
  await page.getByLabel('New password').fill(nora.looms);
  await page.getByLabel('Repeat password').fill(nora.looms);
  await button('Create account').click();
  await page.getByRole('heading', { level: 1, name: 'Check your email' }).waitFor();
  await page.goto(`${stage.url}/api/v1/auth/verify?token=${await mailedToken(stage, nora.email, 'verify')}`);
  await page.getByText('Your email address is verified').waitFor();
  await inLooms();
  await page.context().clearCookies();
});

test('signs in with Google to the last tenant, and switches to the other one without a password', skip, async () => {
  await invite(nora.email, nora.demo);
  provider.person = { subject: 'google-nora', email: nora.email, emailVerified: true, name: 'Nora' };
  await page.goto(stage.url);
  await page.getByRole('link', { name: 'Sign in with Google' }).click();
  const here = await arrived();
  const there = here === 'Demo' ? 'Looms' : 'Demo';
  await towards(there);
  await button('Use Google instead').click();
  await at(there);
  await towards(here);
  await button('Use Google instead').click();
  await at(here);
});

test('explains that an account has no Google sign-in, and signs in with the password', skip, async () => {
  const email = 'otto@example.test';
  provider.person = { subject: 'google-otto', email, emailVerified: true, name: 'Otto' };
  const otto = await newcomer();
  await otto.goto(stage.url);
  await otto.getByRole('link', { name: 'Sign in with Google' }).click();
  // A new user gets his own tenant. Google doesn't know the account that the demo then creates for him.
  await arrived(otto);
  await invite(email, 'Passw0rd-of-otto');
  await towards('Demo', otto);
  const dialog = otto.getByRole('dialog');
  await button('Use Google instead', otto).click();
  await dialog.getByText("Google sign-in doesn't work for this account").waitFor();
  await dialog.getByLabel('Password').fill('Passw0rd-of-otto');
  await button('Switch to Demo', otto).click();
  await at('Demo', otto);
});

/** Signs Nora in to her own tenant with its password, whoever was signed in before. */
async function inLooms(): Promise<void> {
  await page.context().clearCookies();
  await page.goto(stage.url);
  await page.getByLabel('Email').fill(nora.email);
  await page.getByLabel('Password').fill(nora.looms);
  await button('Sign in').click();
  await at('Looms');
}

async function towardsByPassword(): Promise<void> {
  await towards('Demo');
  await page.getByRole('dialog').getByLabel('Password').fill(nora.demo);
  await button('Switch to Demo').click();
}

test('leads to the setup of a required second factor, and signs in afterwards', skip, async () => {
  await stage.call('PUT', 'tenant-settings', { mfaRequired: true });
  await inLooms();
  await towardsByPassword();
  await page.getByText("This tenant requires a second factor, and you haven't set one up there.").waitFor();
  await page.getByRole('link', { name: 'Set it up on its sign-in page' }).click();
  await page.getByLabel('Email').fill(nora.email);
  await page.getByLabel('Password').fill(nora.demo);
  await button('Sign in').click();
  await page.getByRole('heading', { level: 1, name: 'Set up a second factor' }).waitFor();
  const secret = (await page.locator('code.secret').textContent()) ?? '';
  await page.getByLabel('Code', { exact: true }).fill(createTestApp(secret.replaceAll(' ', '')).code(new Date()));
  await button('Turn on and sign in').click();
  await page.getByRole('link', { name: "I've saved them" }).click();
  await at('Demo');
  await stage.call('PUT', 'tenant-settings', { mfaRequired: false });
});

test('requires single sign-on, and signs in through the provider', skip, async () => {
  await stage.call('POST', 'sso', {
    action: 'configure',
    config: {
      provider: 'oidc',
      enabled: true,
      oidcIssuer: provider.issuer,
      oidcClientId: provider.clientId,
      oidcClientSecret: provider.clientSecret,
      enforceForAllUsers: true,
    },
  });
  provider.person = { subject: 'google-nora', email: nora.email, emailVerified: true, name: 'Nora' };
  await inLooms();
  await towardsByPassword();
  await page.getByText('This tenant uses single sign-on').waitFor();
  await page.getByRole('link', { name: 'Use single sign-on' }).click();
  await at('Demo');
  // A provider signs in to its own tenant only.
  await button('Tenant: Demo. Switch tenant').click();
  await page.getByRole('dialog').getByText('You have no other tenants.').waitFor();
  await page.keyboard.press('Escape');
  // And a browser that was there before offers it.
  await page.getByRole('button', { name: /'s account$/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Single sign-on' }).click();
  await at('Demo');
});
