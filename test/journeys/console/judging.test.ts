// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// Decision tests and studies: a test made of a decision passes, a changed offer breaks it, and a backtest says what changes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { cannotBrowse, holdEachJourney, openStage, type Stage } from './browser.ts';
import { mailedToken } from './mail.ts';
import { settled } from './places.ts';
import { stopExploring } from './walks.ts';

const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };

let stage: Stage;
let page: Page;
let offer: { readonly id: string; readonly name: string };

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open();
  page.setDefaultTimeout(120_000);
  await stopExploring(stage);
  await page.goto(stage.firstRun);
  await settled(page);
});
holdEachJourney(() => stage);
after(() => stage?.close());

const row = (name: string) => page.getByRole('row').filter({ hasText: name });

test('makes a test of a decision, without the values of the customer', skip, async () => {
  const decision = await stage.call('POST', 'recommend', { customerId: 'CM-000031', channel: 'email' });
  const [first] = decision.decisions as readonly { readonly offerId: string; readonly offerName: string }[];
  assert.ok(first);
  offer = { id: first.offerId, name: first.offerName };
  await page.goto(`${stage.url}/decisions/${String(decision.recommendationId)}`);
  await page.getByRole('link', { name: 'Make a test' }).click();
  await page.getByText("without the customer's values", { exact: false }).waitFor();
  await page.getByText('customer.age', { exact: true }).waitFor();
  // The test names the offer, and names have spaces.
  await page.getByText(offer.name, { exact: true }).first().waitFor();
  const values = page.getByRole('group', { name: 'Values', exact: true });
  assert.equal(await values.getByRole('textbox').count(), 0);
  for (const [name, value] of Object.entries({ age: '22', tier: 'green' })) {
    await page.getByRole('button', { name: 'Add to values' }).click();
    await values.getByRole('textbox').nth(-2).fill(name);
    await values.getByRole('textbox').last().fill(value);
  }
  const name = page.getByRole('textbox', { name: 'Name' });
  assert.match(await name.inputValue(), /^Decision of \w{3} \d{1,2}, \d{4}, \d{1,2}:\d\d:\d\d\s[AP]M$/);
  await name.fill('Young members get stars');
  await page.getByRole('button', { name: 'Create decision test' }).click();
  await page.getByRole('heading', { level: 1, name: 'Young members get stars' }).waitFor();
  const id = new URL(page.url()).pathname.split('/')[2];
  const { given } = await stage.call('GET', `decision-tests/${id}`);
  assert.deepEqual(Reflect.get(Object(given), 'customer'), { age: 22, tier: 'green' });
});

test('shows what is expected and what happens, with the draft and live', skip, async () => {
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('passed', { exact: true }).waitFor();
  await result.getByText(`“${offer.name}” is shown`, { exact: true }).waitFor();
  await stage.call('PUT', `offers/${offer.id}`, { status: 'paused' });
  await result.getByRole('button', { name: 'Run again' }).click();
  await result.getByText('failed', { exact: true }).waitFor();
  await result.getByLabel('not met').first().waitFor();
  await result.getByRole('radio', { name: 'Live' }).click();
  await page.waitForURL(/version=published/);
  await result.getByText('failed', { exact: true }).waitFor();
});

test('runs all tests, and deletes one with a way back', skip, async () => {
  await page.goto(`${stage.url}/decision-tests`);
  await row('Young members get stars').getByText('failed').waitFor();
  await page.getByText('0 of 1 tests pass.').waitFor();
  await stage.call('PUT', `offers/${offer.id}`, { status: 'active' });
  await page.getByRole('button', { name: 'Run all' }).click();
  await row('Young members get stars').getByText('passed').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('young members');
  await page.getByRole('option', { name: /Young members get stars/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Young members get stars' }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row('Young members get stars').getByText('passed').waitFor();
});

test('runs many tests only when asked, and keeps the results', skip, async () => {
  const { data } = await stage.call('GET', 'decision-tests?limit=1');
  const [model] = data as readonly Readonly<Record<string, unknown>>[];
  const copy = { decisionFlowId: model?.decisionFlowId, given: model?.given, expect: model?.expect };
  const created = [];
  for (let at = 1; at <= 20; at += 1)
    created.push(await stage.call('POST', 'decision-tests', { ...copy, name: `Copy ${at}` }));
  const runs: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/decision-tests/run')) runs.push(request.url());
  });
  await page.goto(`${stage.url}/decision-tests`);
  await row('Copy 20').getByText('not run').waitFor();
  await page.getByText("These tests haven't run yet.", { exact: false }).waitFor();
  assert.deepEqual(runs, []);
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.getByText('All 21 tests pass.').waitFor();
  assert.equal(runs.length, 1);
  await row('Copy 20').click();
  await page.getByRole('heading', { level: 1, name: 'Copy 20' }).waitFor();
  await page.goBack();
  await page.getByText('All 21 tests pass.').waitFor();
  for (const { id } of created) await stage.call('DELETE', `decision-tests/${String(id)}`);
});

test('starts a backtest, and says what the draft changes', skip, async () => {
  await stage.call('PUT', `offers/${offer.id}`, { status: 'paused' });
  await page.goto(`${stage.url}/studies`);
  await page.getByRole('link', { name: 'New study' }).first().click();
  await page.getByLabel('Flow').selectOption({ label: 'Coffee next best offer' });
  await page.getByRole('button', { name: 'Start study' }).click();
  await page.getByText('The decision changes.').waitFor();
  await page.getByRole('region', { name: 'Offers' }).getByRole('link', { name: offer.name }).waitFor();
  await page.getByRole('link', { name: /^Open decision/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Decision for CM-000031' }).waitFor();
});

test('shows a viewer the results, and what takes another role', skip, async () => {
  const email = 'reads-tests@example.test';
  await stage.call('POST', 'users', { email, role: 'viewer' });
  const token = await mailedToken(stage, email, 'accept-invite');
  const viewer = await stage.open();
  viewer.setDefaultTimeout(120_000);
  const accepted = await viewer.request.post(`${stage.url}/api/v1/auth/accept-invite`, {
    headers: { 'x-requested-with': 'journey' },
    data: { token, name: 'Viewer', password: 'Passw0rd-of-viewer' },
  });
  assert.ok(accepted.ok(), await accepted.text());
  await viewer.goto(`${stage.url}/decision-tests`);
  await viewer.getByRole('row').filter({ hasText: 'Young members get stars' }).getByText('failed').waitFor();
  for (const [address, name] of [
    ['/decision-tests', 'New decision test'],
    ['/studies', 'New study'],
  ] as const) {
    await viewer.goto(`${stage.url}${address}`);
    await settled(viewer);
    const create = viewer.getByRole('button', { name }).first();
    assert.equal(await create.getAttribute('aria-disabled'), 'true', name);
  }
  await viewer.goto(`${stage.url}/studies/new`);
  await viewer
    .getByText(/editor/)
    .first()
    .waitFor();
});
