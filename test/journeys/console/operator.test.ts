// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// An operator returns to a tenant: what needs them, changes by others, and dead letters, which they retry or delete.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newId } from '../../../packages/server/src/platform/ids.ts';
import { cannotBrowse, holdEachJourney, openStage, type Stage } from './browser.ts';

let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
const cronSecret = 'a secret of the operator journey';

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage({ settings: () => ({ CRON_SECRET: cronSecret }) });
  page = await stage.open();
  // Long, because the machine may be busy. Every wait ends as soon as its condition holds.
  page.setDefaultTimeout(60_000);
});
holdEachJourney(() => stage);
after(() => stage?.close());

const region = (name: string) => page.getByRole('region', { name });

/** Creates jobs without retries left: the number by topic. */
async function giveUp(letters: Readonly<Record<string, number>>): Promise<void> {
  for (const [topic, count] of Object.entries(letters)) {
    await stage.database?.ownerQuery(
      `insert into arbiter.dead_letters (tenant_id, id, topic, payload, error, retry_count, failed_at)
       select t.id, l.id, $1, '{}', 'Error: no answer after ' || l.n || ' ms', 6, now()
       from arbiter.tenants t, unnest($2::uuid[]) with ordinality as l(id, n) where t.name = 'Demo'`,
      [topic, Array.from({ length: count }, newId)],
    );
  }
}

/** The first offer of the demo. */
async function someOffer(): Promise<{ readonly id: string; readonly name: string }> {
  const { data } = await stage.call('GET', 'offers?limit=1');
  const [offer] = data as readonly { readonly id: string; readonly name: string }[];
  assert.ok(offer);
  return offer;
}

test('shows changes by others and new decisions since the last visit', skip, async () => {
  const offer = await someOffer();
  // The page stores the first visit itself. Move it two hours back instead of waiting.
  const noted = page.waitForResponse(
    (each) => each.url().endsWith('/me/preferences') && each.request().method() === 'PUT',
  );
  await page.goto(stage.firstRun);
  await noted;
  assert.equal(await region('Since your last visit').count(), 0, 'nothing at the first visit');
  const answer = await page.request.put(`${stage.url}/api/v1/users/me/preferences`, {
    headers: { 'x-requested-with': 'journey' },
    data: { home: { seenAt: Date.now() - 2 * 3_600_000, since: null } },
  });
  assert.equal(answer.status(), 200, await answer.text());
  await stage.call('PUT', 'offers', { id: offer.id, priority: 77 });
  await stage.call('PUT', 'offers', { id: offer.id, priority: 78 });
  await stage.call('POST', 'recommend', { customerId: 'CM-000031', channel: 'web' });
  await page.goto(stage.url);
  const since = region('Since your last visit');
  // Each record once with its count, including the load of the sample data.
  const line = since.getByRole('listitem').filter({ has: page.getByRole('link', { name: offer.name, exact: true }) });
  await line.getByText('Demo key · update', { exact: true }).waitFor();
  await line.getByText(/\d times/).waitFor();
  await since.getByRole('link', { name: '1 decision', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Decisions' }).waitFor();
  await page
    .getByRole('row', { name: /CM-000031/ })
    .first()
    .waitFor();
  await page.goBack();
  await since.getByRole('link', { name: offer.name }).click();
  await page.getByRole('heading', { level: 1, name: offer.name }).waitFor();
});

test('lists what needs the user, with links', skip, async () => {
  const offer = await someOffer();
  await stage.call('POST', 'approvals', {
    entityType: 'offer',
    entityId: offer.id,
    entityName: offer.name,
    action: 'update',
    payload: { priority: 90 },
    stages: [{ stageName: 'Business', requiredRole: 'admin' }],
  });
  const { data } = await stage.call('GET', 'decision-flows?limit=1&status=active');
  const [flow] = data as readonly { readonly id: string; readonly name: string; readonly draftConfig: object }[];
  assert.ok(flow);
  await stage.call('PUT', 'decision-flows', { id: flow.id, description: 'Changed after it went live.' });
  await giveUp({ 'stream.expire': 3, 'keys.expire': 2 });
  await stage.call('POST', 'alerts', { name: 'Jobs give up', metric: 'dlq_depth', operator: 'gt', threshold: 4 });
  const tick = await fetch(`${stage.url}/api/cron/tick`, {
    method: 'POST',
    headers: { 'x-cron-secret': cronSecret },
  });
  assert.equal(tick.status, 200, await tick.text());
  await page.goto(stage.url);
  const needs = region('Needs your attention');
  const lines = needs.getByRole('listitem');
  await lines.filter({ hasText: 'Approval' }).getByText(offer.name).waitFor();
  await lines.filter({ hasText: 'Alert' }).getByText('Jobs give up').waitFor();
  await lines.filter({ hasText: 'Draft' }).getByText(flow.name).waitFor();
  await needs.getByRole('link', { name: /5 jobs failed after their last retry/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor();
});

test('groups dead letters by cause, and retries or deletes them', skip, async () => {
  await page.goto(`${stage.url}/health`);
  const letters = region('Dead letters');
  await letters.getByText('3 × “Error: no answer after … ms”', { exact: false }).waitFor();
  await letters.getByText('2 × “Error: no answer after … ms”', { exact: false }).waitFor();
  await region('Alert rules').getByText('Jobs give up').waitFor();
  await letters.getByRole('button', { name: 'Retry stream.expire' }).click();
  await letters.getByText('stream.expire', { exact: true }).waitFor({ state: 'detached' });
  await letters.getByRole('button', { name: 'Delete keys.expire' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 2 dead letters of keys.expire?' });
  const purge = dialog.getByRole('button', { name: 'Delete keys.expire' });
  assert.equal(await purge.getAttribute('aria-disabled'), 'true', 'the count must be typed first');
  await dialog.getByLabel('Type “2” to confirm').fill('2');
  await purge.click();
  await dialog.waitFor({ state: 'detached' });
  await letters.getByText('No dead letters.').waitFor();
  assert.deepEqual(await stage.database?.ownerQuery('select topic from arbiter.dead_letters'), []);
});
