// Overlays that take another person, a device, or failed jobs.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { ask, dialog, go, type Overlay, press, unused } from './steps.ts';

/** Creates a user by SCIM, which needs no invitation. Returns the name. */
async function personOfDirectory(page: Page): Promise<string> {
  const name = unused('Ada Directory');
  const { key } = await ask(page, 'POST', 'api-keys', { name: 'Directory', scopes: ['scim'] });
  const { origin } = new URL(page.url());
  const answer = await page.request.post(`${origin}/api/v1/scim/v2/Users`, {
    headers: { authorization: `Bearer ${String(key)}`, cookie: '', 'content-type': 'application/scim+json' },
    data: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: `${name.replaceAll(' ', '.').toLowerCase()}@example.test`,
      displayName: name,
      active: true,
    },
  });
  assert.equal(answer.status(), 201, await answer.text());
  return name;
}

/** Answers a call like a server with failed jobs. */
async function withDeadLetters(page: Page): Promise<void> {
  const error = 'The destination answered 503 after 30000 ms';
  const failedAt = new Date().toISOString();
  const letter = (at: number) => ({
    id: `00000000-0000-7000-8000-00000000000${at}`,
    topic: 'report.run',
    error,
    failedAt,
  });
  await page.route('**/api/v1/admin/dlq*', async (route) => {
    const answer = await route.fetch();
    const report = { ...(await answer.json()), totalEvents: 2, byTopic: { 'report.run': 2 }, alert: 'OK' };
    await route.fulfill({ response: answer, json: { ...report, events: [1, 2].map(letter) } });
  });
}

export const rareOverlays: readonly Overlay[] = [
  {
    name: 'dialog-deactivate',
    address: '/settings/people',
    open: async (page) => {
      const name = await personOfDirectory(page);
      await go(page, '/settings/people');
      await press(page, `Actions for ${name}`);
      await page.getByRole('menuitem', { name: 'Deactivate…' }).click();
      await dialog(page);
    },
  },
  {
    name: 'dialog-reject-content',
    address: '/content',
    open: async (page) => {
      // So that the author can decide, too.
      await ask(page, 'PUT', 'tenant-settings', { fourEyesEnabled: false });
      const content = { subject: 'Spring' };
      const { id } = await ask(page, 'POST', 'content', { name: unused('Letter'), channelType: 'email', content });
      await ask(page, 'POST', `content/${id}/submit`, {});
      await go(page, `/content/${id}`);
      await press(page, 'Reject');
      await dialog(page);
    },
  },
  {
    name: 'dialog-backup-codes',
    address: '/settings/me',
    open: async (page) => {
      // Answered like a server that accepts the code: the person of the other overlays has no second factor.
      await page.route('**/api/v1/auth/mfa', async (route) => {
        if (route.request().postDataJSON().action !== 'enable') return route.continue();
        const backupCodes = Array.from({ length: 10 }, (_, at) => `${at}f3a-9c2${at}-77d${at}`);
        await route.fulfill({ json: { enabled: true, backupCodes } });
      });
      await press(page, 'Set up');
      await page.getByRole('textbox', { name: 'Code' }).fill('287082');
      await press(page, 'Turn on');
      await dialog(page);
      await page.unroute('**/api/v1/auth/mfa');
    },
  },
  {
    name: 'dialog-purge',
    address: '/health',
    open: async (page) => {
      await withDeadLetters(page);
      await go(page, '/health');
      await press(page, 'Delete report.run');
      await dialog(page);
      await page.unroute('**/api/v1/admin/dlq*');
    },
  },
];
