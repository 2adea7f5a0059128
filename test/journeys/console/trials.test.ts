// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// A draft tried with a segment and with pinned customers, and decisions that appear as they are made.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { cannotBrowse, holdEachJourney, openStage, type Stage } from './browser.ts';

let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };

interface Named {
  readonly id: string;
  readonly name: string;
}

const listOf = async (path: string) => (await stage.call('GET', path)).data as readonly Named[];
const titled = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const firstFlow = async () => (await listOf('decision-flows?limit=1&status=active'))[0]!;

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open();
  page.setDefaultTimeout(30_000);
  await page.goto(stage.firstRun);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
});
holdEachJourney(() => stage);
after(() => stage?.close());

test('shows each decision on Home as it is made, and holds still while paused', skip, async () => {
  await page.goto(stage.url);
  const latest = page.getByRole('region', { name: 'Latest decisions' });
  await latest.getByText('New decisions appear here as they are made.').waitFor();
  await stage.call('POST', 'recommend', { customerId: 'CM-000005' });
  await latest.getByRole('link', { name: /CM-000005/ }).waitFor();
  await latest.getByText('1 decision since you opened this page', { exact: false }).waitFor();
  await latest.getByRole('button', { name: 'Pause' }).click();
  await stage.call('POST', 'recommend', { customerId: 'CM-000006' });
  await latest.getByText('2 decisions since you opened this page', { exact: false }).waitFor();
  assert.equal(await latest.getByRole('link', { name: /CM-000006/ }).count(), 0);
  await latest.getByRole('button', { name: 'Resume' }).click();
  await latest.getByRole('link', { name: /CM-000006/ }).waitFor();
});

test('counts the customers of a segment at each node, and again after a change', skip, async () => {
  const flow = await firstFlow();
  const [segment] = await listOf('segments?limit=1&status=active');
  assert.ok(segment);
  await page.goto(`${stage.url}/flows/${flow.id}/edit`);
  await titled(`Edit draft of ${flow.name}`);
  const trials = page.getByRole('region', { name: 'Try the draft' });
  await trials.getByRole('radio', { name: 'Segment' }).click();
  const field = trials.getByRole('combobox', { name: 'Segment' });
  await field.fill(segment.name);
  await page.getByRole('option', { name: segment.name }).click();
  const result = trials.getByRole('status').filter({ hasText: 'sampled customers get an offer' });
  await result.waitFor();
  const nodes = page.locator('[data-node]');
  assert.match(page.url(), new RegExp(`trial=segment.*segment=${segment.id}`));
  const next = nodes.filter({ hasText: 'Apply contact policies' });
  await next.filter({ hasText: '189 → 189' }).waitFor();
  // Without this node, every customer of the sample has an offer at the next one.
  await nodes.filter({ hasText: 'Check eligibility' }).focus();
  await page.keyboard.press(' ');
  await next.filter({ hasText: '200 → 200' }).waitFor();
  await page.keyboard.press('Control+z');
  await next.filter({ hasText: '189 → 189' }).waitFor();
});

test('runs pinned customers while editing, and compares them with an expectation', skip, async () => {
  const flow = await firstFlow();
  await page.goto(`${stage.url}/flows/${flow.id}/edit?trial=pinned`);
  await titled(`Edit draft of ${flow.name}`);
  const trials = page.getByRole('region', { name: 'Try the draft' });
  await trials.getByText('No pinned customers yet.', { exact: false }).waitFor();
  for (const id of ['CM-000001', 'CM-000002']) {
    await trials.getByLabel('Customer', { exact: true }).fill(id);
    await page.keyboard.press('Enter');
  }
  const row = trials.getByRole('row', { name: /CM-000002/ });
  await row.getByRole('button', { name: "Expect the draft's offer" }).click();
  await row.getByLabel('as expected', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Clear' }).click();
  await row.getByRole('button', { name: 'Unpin CM-000002' }).click();
  await trials.getByRole('button', { name: 'Run 1 customer' }).waitFor();
});

test('edits the settings of the flow, and shows what is wrong with them', skip, async () => {
  const flow = await firstFlow();
  await page.goto(`${stage.url}/flows/${flow.id}/edit`);
  const panel = page.getByRole('complementary', { name: 'Node' });
  await panel.getByRole('heading', { name: 'Flow settings' }).waitFor();
  const limit = panel.getByLabel('Default number of items');
  await limit.fill('70');
  await panel.getByText(/50/).first().waitFor();
  await limit.fill('7');
  await page.keyboard.press('Control+s');
  await page.getByText('Saved the draft of', { exact: false }).first().waitFor();
  const { draftConfig } = await stage.call('GET', `decision-flows/${flow.id}`);
  assert.equal((draftConfig as { flowConfig: { defaultLimit: number } }).flowConfig.defaultLimit, 7);
});

test('moves an input of a decision, and shows the answer without asking the server', skip, async () => {
  const made = await stage.call('POST', 'recommend', { customerId: 'CM-000007', channel: 'email' });
  const { recommendationId } = made;
  await page.goto(`${stage.url}/decisions/${String(recommendationId)}?tab=what-if`);
  await page.getByRole('button', { name: 'Load inputs' }).click();
  await page.getByText('Same as recorded. Change an input to see what happens.').waitFor();
  const inputs = page.getByRole('region', { name: 'Inputs' });
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText(/Decided in this browser in \d+ ms/).waitFor();
  const [first] = made.decisions as readonly { readonly offerName: string }[];
  assert.ok(first);
  await result.getByRole('link', { name: first.offerName }).waitFor();
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') calls.push(request.url());
  });
  // Only adults get offers.
  const age = inputs.getByRole('spinbutton', { name: 'Age' });
  await age.fill('9');
  await result.getByText('Different from the record.').waitFor();
  assert.deepEqual(calls, []);
  const simulate = await result.getByRole('link', { name: 'Open in Simulate' }).getAttribute('href');
  assert.match(decodeURIComponent(simulate ?? ''), /age:9/);
  // The server decides the same.
  for (const profile of [{ age: 9 }, { age: 30, tier: 'green', days_since_visit: 40 }]) {
    for (const [name, value] of Object.entries(profile)) {
      const field = typeof value === 'number' ? 'spinbutton' : 'textbox';
      const label = { age: 'Age', tier: 'Tier', days_since_visit: 'Days since visit' }[name] ?? '';
      await inputs.getByRole(field, { name: label }).fill(String(value));
    }
    const body = { customerId: 'CM-000007', decisionId: recommendationId, profile };
    const { decisions } = await stage.call('POST', 'simulate', body);
    const offers = (decisions as readonly { readonly offerName: string }[]).map(({ offerName }) => offerName);
    const shown = result.getByRole('listitem').filter({ hasText: /^#/ });
    for (const [at, offer] of offers.entries()) await shown.nth(at).getByText(offer).waitFor();
    assert.equal(await shown.count(), offers.length);
  }
  await inputs.getByRole('button', { name: 'Reset' }).click();
  await page.getByText('Same as recorded. Change an input to see what happens.').waitFor();
});

test('9. lists where a segment is used, and names it when the segment is deleted', skip, async () => {
  const { id } = await stage.call('POST', 'segments', { name: 'Spring', filters: [], status: 'active' });
  await page.goto(`${stage.url}/segments/${String(id)}`);
  const uses = page.getByRole('region', { name: 'Where used' });
  await uses.getByText('Nothing uses this segment.').waitFor();
  await stage.call('POST', 'qualification-rules', {
    ...{ name: 'Only in spring', ruleType: 'segment_required', config: { requiredSegments: [id] } },
  });
  const { id: decisionFlowId } = await firstFlow();
  await stage.call('POST', 'runs', { name: 'Spring campaign', decisionFlowId, segmentId: id });
  await page.reload();
  await uses.getByText('Spring campaign').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('Spring');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete Spring' }).click();
  await page.getByText('Other records use this').waitFor();
  await page.getByText(/"Spring campaign"/).waitFor();
  await page.reload();
  await uses.getByRole('link', { name: 'Only in spring' }).click();
  await titled('Only in spring');
});

test('saves what records never contain, and whether decisions are explained', skip, async () => {
  await page.goto(`${stage.url}/settings`);
  const field = page.getByRole('textbox', { name: 'Attributes never to store' });
  await field.fill('diagnosis');
  await page.keyboard.press('Enter');
  await page.getByLabel('Explain decisions in words, and with SHAP values').check();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Settings saved.').waitFor();
  const settings = await stage.call('GET', 'tenant-settings');
  assert.deepEqual(settings.neverStore, ['diagnosis']);
  assert.equal((settings.aiAnalyzerSettings as Record<string, unknown>).llmExplanationsEnabled, true);
});

test('sends a message to a destination, and reports the result', skip, async () => {
  await page.goto(`${stage.url}/settings/destinations/send`);
  await page.getByText('No destinations yet').waitFor();
  const config = { toEmails: ['on-call@example.test'] };
  await stage.call('POST', 'notifications/providers', { kind: 'ops_email', name: 'On call', config });
  await page.reload();
  await page.getByRole('checkbox', { name: 'On call' }).check();
  await page.getByLabel('Title').fill('Campaign is live');
  await page.getByRole('textbox', { name: /^Text/ }).fill('Gold card, all channels.');
  await page.getByRole('button', { name: 'Send message' }).click();
  await page.getByRole('region', { name: 'Results' }).getByText('Delivered').waitFor();
});

/** Fails if the page is wider than the window. */
async function fits(): Promise<void> {
  const [needed = 0, width = 0] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(needed <= width, `the page needs ${needed} px of ${width}`);
}

test('edits a flow of 500 nodes, and fits long and right-to-left names on a narrow screen', skip, async () => {
  const filters = Array.from({ length: 495 }, (_, at) => ({
    ...{ id: `filter-${at}`, type: 'filter', name: at === 0 ? 'א'.repeat(100) : 'x'.repeat(100) },
    config: { conditions: [{ field: 'offer.priority', operator: 'gte', value: 0 }] },
  }));
  const nodes = [
    { id: 'inventory', type: 'inventory', config: {} },
    { id: 'creatives', type: 'match_creatives', config: {} },
    ...filters,
    { id: 'score', type: 'score', config: { method: 'formula' } },
    { id: 'rank', type: 'rank', config: { method: 'topN', topN: 3 } },
    { id: 'response', type: 'response', config: {} },
  ];
  const draftConfig = { version: 2, nodes, flowConfig: {} };
  const flow = await stage.call('POST', 'decision-flows', { key: 'large', name: 'מסע'.repeat(60), draftConfig });
  const [segment] = await listOf('segments?limit=1&status=active');
  await page.goto(`${stage.url}/flows/${String(flow.id)}/edit?trial=segment&segment=${segment?.id}`);
  await page.getByText('sampled customers get an offer', { exact: false }).waitFor();
  await page.locator('[data-node="filter-494"]').filter({ hasText: '→' }).waitFor();
  const offer = 'Offer'.repeat(51);
  const { id } = await stage.call('POST', 'offers', { name: offer });
  await stage.call('POST', 'approvals', {
    ...{ entityType: 'offer', entityId: id, entityName: offer, action: 'update', payload: { name: 'ש'.repeat(255) } },
    stages: [{ stageName: 'Business', requiredRole: 'admin' }],
  });
  await page.setViewportSize({ width: 390, height: 844 });
  await fits();
  await page.goto(`${stage.url}/approvals`);
  await page.getByRole('region', { name: offer }).getByText('What it changes now').waitFor();
  await fits();
  await page.goto(stage.url);
  await page.getByRole('region', { name: 'Needs your attention' }).getByText(offer, { exact: false }).waitFor();
  await fits();
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('says when to count again after too many simulations, and counts then', skip, async () => {
  const flow = await firstFlow();
  const [segment] = await listOf('segments?limit=1&status=active');
  const simulate = () => stage.call('POST', 'simulate', { segmentId: segment?.id, flowId: flow.id, sampleSize: 1 });
  await assert.rejects(async () => {
    for (let calls = 0; calls < 40; calls += 1) await simulate();
  }, /429/);
  await page.goto(`${stage.url}/flows/${flow.id}/edit?trial=segment&segment=${segment?.id}`);
  const trials = page.getByRole('region', { name: 'Try the draft' });
  await trials.getByRole('button', { name: /Try again in \d+/ }).waitFor();
  await page.setDefaultTimeout(90_000);
  await trials.getByRole('button', { name: 'Try again', exact: true }).click();
  await trials.getByText('sampled customers get an offer', { exact: false }).waitFor();
});
