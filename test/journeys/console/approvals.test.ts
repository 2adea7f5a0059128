// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// Journeys 7 and 8 of docs/design/console.md 6: a policy with its impact, and an approval by keyboard.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { cannotBrowse, holdEachJourney, openStage, type Stage, says } from './browser.ts';
import { mailedToken } from './mail.ts';

let stage: Stage;
/** An admin's page, and an editor's. */
let page: Page;
let editor: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open();
  page.setDefaultTimeout(120_000);
  await page.goto(stage.firstRun);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await stage.call('PUT', 'tenant-settings', { approvalWorkflowEnabled: true, fourEyesEnabled: true });
  const email = 'eve@example.test';
  await stage.call('POST', 'users', { email, role: 'editor' });
  editor = await stage.open();
  editor.setDefaultTimeout(120_000);
  const answer = await editor.request.post(`${stage.url}/api/v1/auth/accept-invite`, {
    headers: { 'x-requested-with': 'journey', origin: stage.url },
    data: { token: await mailedToken(stage, email, 'accept-invite'), name: 'Eve', password: 'Passw0rd-demo' },
  });
  assert.ok(answer.ok(), await answer.text());
});
holdEachJourney(() => stage);
after(() => stage?.close());

const titled = (on: Page, name: string) => on.getByRole('heading', { level: 1, name }).waitFor();
const policiesNamed = async (name: string) =>
  (await stage.call('GET', `contact-policies?search=${encodeURIComponent(name)}`)).data as readonly {
    readonly id: string;
    readonly priority: number;
    readonly status: string;
  }[];

test('7. an admin sees the impact of a cap before saving it', skip, async () => {
  await page.goto(`${stage.url}/policies`);
  await titled(page, 'Contact policies');
  await page.keyboard.press('c');
  await titled(page, 'New contact policy');
  await page.getByRole('button', { name: 'Three a day' }).click();
  await page.getByText('At most 3 per day.').waitFor();
  const impact = page.getByRole('region', { name: 'Impact' });
  await impact.getByRole('button', { name: 'Preview impact' }).click();
  await impact.getByText(/affected: \d+ of \d+ sampled customers|There was no traffic/).waitFor();
  await says(page, 'Created Three contacts a day', () => page.keyboard.press('Control+s'));
  await titled(page, 'Three contacts a day');
});

test('7. the save of an editor becomes a request, and nothing changes yet', skip, async () => {
  await editor.goto(`${stage.url}/policies/new`);
  await titled(editor, 'New contact policy');
  await editor.getByRole('button', { name: 'Quiet hours' }).click();
  await editor.getByText('An approver reviews this first. Nothing changes until then.').waitFor();
  await says(editor, 'Requested approval for Quiet hours at night', () =>
    editor.getByRole('button', { name: 'Request approval' }).click(),
  );
  await titled(editor, 'Contact policies');
  assert.equal((await policiesNamed('Quiet hours at night')).length, 0);
  await editor.goto(`${stage.url}/approvals`);
  await editor.getByRole('tab', { name: /My requests/ }).click();
  await editor.getByRole('region', { name: 'Quiet hours at night' }).waitFor();
  await editor
    .getByText("You can't decide your own request.", { exact: false })
    .filter({ visible: true })
    .first()
    .waitFor();
  // Their own change to a live policy is a request too.
  const [cap] = await policiesNamed('Three contacts a day');
  await editor.goto(`${stage.url}/policies/${cap?.id}/edit`);
  await editor.getByLabel('Priority').fill('80');
  await says(editor, 'Requested approval for Three contacts a day', () => editor.keyboard.press('Control+s'));
});

test('8. an admin decides by keyboard, and sees that the record has changed', skip, async () => {
  const [cap] = await policiesNamed('Three contacts a day');
  assert.equal(cap?.priority, 50);
  await stage.call('PUT', `contact-policies/${cap.id}`, { description: 'Changed meanwhile' });
  await page.goto(`${stage.url}/approvals`);
  const newest = page.getByRole('region', { name: 'Three contacts a day' });
  await newest.getByText('after this was requested', { exact: false }).waitFor();
  await newest.getByText('Priority', { exact: true }).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('region', { name: 'Quiet hours at night' }).getByText('What it creates').waitFor();
  await page.keyboard.press('k');
  await newest.waitFor();
  await says(page, 'Approved: Three contacts a day', () => page.keyboard.press('a'));
  assert.equal((await policiesNamed('Three contacts a day'))[0]?.priority, 80);
  await page.getByRole('region', { name: 'Quiet hours at night' }).waitFor();
  await says(page, 'Rejected: Quiet hours at night', () => page.keyboard.press('r'));
  await page.getByText('Nothing needs your attention').waitFor();
  assert.equal((await policiesNamed('Quiet hours at night')).length, 0);
  const { data } = await stage.call('GET', 'audit-logs?entityType=approval&limit=10');
  const actions = (data as readonly { readonly action: string }[]).map(({ action }) => action);
  assert.ok(actions.includes('approve') && actions.includes('reject'), actions.join());
});

test('approves several requests of one kind after opening each, and lists the refused one', skip, async () => {
  const { data } = await stage.call('GET', 'offers?limit=3');
  const offers = data as readonly { readonly id: string; readonly name: string }[];
  const file = async (entityId: string, entityName: string, payload: object) => {
    const answer = await editor.request.post(`${stage.url}/api/v1/approvals`, {
      headers: { 'x-requested-with': 'journey', origin: stage.url },
      data: { entityType: 'offer', entityId, entityName, action: 'update', payload },
    });
    assert.equal(answer.status(), 201, await answer.text());
  };
  for (const { id, name } of offers) await file(id, name, { priority: 61 });
  const [first, second, third] = offers;
  assert.ok(first && second && third);
  await stage.call('PUT', `offers/${third.id}`, { description: 'Changed meanwhile' });
  // Approving this one fails: its change is no longer valid.
  await file(third.id, 'Renamed twice', { name: first.name });
  await page.goto(`${stage.url}/approvals`);
  const list = page.getByRole('region', { name: 'Requests' });
  const refused = page.getByRole('region', { name: 'Renamed twice' });
  await refused.getByText('Another request changes the same record').waitFor();
  await refused.getByRole('button', { name: 'Open the request by Eve' }).click();
  await page.getByRole('region', { name: third.name }).waitFor();
  // The newest is first.
  const other = list.getByLabel(`Select ${first.name}`);
  assert.equal(await other.getAttribute('aria-disabled'), 'true', 'not opened yet');
  await page.keyboard.press('x');
  for (const { name } of [second, first]) {
    await page.keyboard.press('j');
    await page.getByRole('region', { name }).waitFor();
    await page.keyboard.press('x');
  }
  await list.getByLabel('Select Renamed twice').click();
  await says(page, 'Approved 3 requests', () => page.getByRole('button', { name: 'Approve 4 requests' }).click());
  await page.getByRole('region', { name: 'Not approved' }).getByText('Renamed twice').waitFor();
  for (const { id } of offers) assert.equal((await stage.call('GET', `offers/${id}`)).priority, 61);
  const left = await stage.call('GET', 'approvals?status=pending');
  assert.equal(Object.keys(left).length, 1);
});

test('a new request appears in an open inbox and on Home without a reload', skip, async () => {
  const file = async (entityName: string) => {
    const answer = await editor.request.post(`${stage.url}/api/v1/approvals`, {
      headers: { 'x-requested-with': 'journey', origin: stage.url },
      data: { entityType: 'offer', entityId: 'new', entityName, action: 'create', payload: { name: entityName } },
    });
    assert.equal(answer.status(), 201, await answer.text());
  };
  // Shorter than the 30 s after which the inbox refetches anyway.
  const soon = { timeout: 20_000 };
  await page.goto(`${stage.url}/approvals`);
  await page.getByRole('region', { name: 'Requests' }).waitFor();
  await file('Asked for just now');
  await page
    .getByRole('region', { name: 'Requests' })
    .getByRole('button', { name: /^Asked for just now/ })
    .waitFor(soon);
  await page.goto(`${stage.url}/`);
  await page.getByText('Asked for just now').first().waitFor();
  await file('Asked for a moment later');
  await page.getByText('Asked for a moment later').first().waitFor(soon);
});

test("shows another person's change without a reload", skip, async () => {
  const { data } = await stage.call('GET', 'offers?search=stars&limit=1');
  const [offer] = data as readonly { readonly id: string; readonly name: string }[];
  assert.ok(offer);
  await page.goto(`${stage.url}/offers?search=stars`);
  await titled(page, 'Offers');
  await page.getByRole('rowheader', { name: offer.name }).first().waitFor();
  await stage.call('PUT', `offers/${offer.id}`, { name: 'Stars of a colleague' });
  await page.getByRole('rowheader', { name: 'Stars of a colleague' }).first().waitFor();
});

test('an editor requests the pause of a policy on its page', skip, async () => {
  const [policy] = await policiesNamed('Email Cooldown 24 h');
  await editor.goto(`${stage.url}/policies/${policy?.id}`);
  await says(editor, 'Requested approval for Email Cooldown 24 h', () =>
    editor.getByRole('button', { name: 'Request pause' }).click(),
  );
  assert.equal((await policiesNamed('Email Cooldown 24 h'))[0]?.status, 'active');
  await editor.getByRole('button', { name: 'See requests' }).click();
  await editor.goBack();
  // The page of the record tells that a change waits, and leads to it.
  await editor.getByText('A change to this record is waiting for approval').waitFor();
  await editor.getByRole('link', { name: /^Open the request by Eve, / }).click();
  const request = editor.getByRole('region', { name: 'Email Cooldown 24 h' });
  await request.getByText('paused', { exact: false }).first().waitFor();
});
