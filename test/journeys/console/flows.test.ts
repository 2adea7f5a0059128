// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// Journeys 5 and 6 of docs/design/console.md 6: a flow built and published by keyboard, and two editors of one flow.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { cannotBrowse, holdEachJourney, openStage, type Stage, says } from './browser.ts';
import { mailedToken } from './mail.ts';
import { settled } from './places.ts';

let stage: Stage;
/** An admin's page, and an editor's. */
let page: Page;
let eve: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };

interface StoredNode {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open();
  page.setDefaultTimeout(60_000);
  await page.goto(stage.firstRun);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
});
holdEachJourney(() => stage);
after(() => stage?.close());

/** Moves on with Tab until the control has the focus. */
async function tabTo(control: Locator): Promise<void> {
  await control.waitFor();
  for (let stops = 0; stops < 300; stops += 1) {
    if (await control.evaluate((it) => it === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab doesn't reach ${String(control)}`);
}

async function type(field: Locator, text: string): Promise<void> {
  await tabTo(field);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

const field = (name: string) => page.getByRole('textbox', { name: new RegExp(`^${name}`) });
const rowOf = (on: Page, name: string) =>
  on.getByRole('navigation', { name: 'Flow nodes' }).getByRole('button', { name });
const nodesOf = async (id: string): Promise<readonly StoredNode[]> => {
  const { draftConfig } = await stage.call('GET', `decision-flows/${id}`);
  return Reflect.get(Object(draftConfig), 'nodes');
};
const focusedNode = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.node);

/** Inserts a type of node after the focused one, from the menu. It gets the focus. */
async function insert(name: string, id: string): Promise<void> {
  await page.keyboard.press('n');
  await page.getByRole('menuitem').first().waitFor();
  await page.keyboard.type(name);
  // The menu moves a moment later.
  await page.waitForFunction((wanted) => document.activeElement?.textContent?.startsWith(wanted), name);
  await page.keyboard.press('Enter');
  await page.waitForFunction((wanted) => (document.activeElement as HTMLElement | null)?.dataset.node === wanted, id);
}

test('5. builds a flow by keyboard, breaks and fixes a formula, and publishes it', skip, async () => {
  await page.goto(`${stage.url}/flows`);
  await settled(page);
  await page.keyboard.press('c');
  await page.waitForURL(/\/flows\/new$/);
  await settled(page);
  await type(field('Name'), 'Stars first');
  await type(field('Key'), 'stars-first');
  await page.keyboard.press('Control+s');
  await page.waitForURL(/\/flows\/[0-9a-f-]{36}\/edit$/);
  await settled(page);
  const id = new URL(page.url()).pathname.split('/')[2] ?? '';

  await tabTo(rowOf(page, 'Inventory'));
  await page.keyboard.press('End');
  assert.equal(await focusedNode(), 'response');
  await page.keyboard.press('ArrowUp');
  await insert('Compute', 'compute');
  await tabTo(page.getByRole('button', { name: 'Add to formulas' }));
  await page.keyboard.press('Enter');
  await type(field('Key'), 'stars');
  const formula = page.getByRole('combobox', { name: /^Formula/ });
  await type(formula, 'scor');
  await page.getByRole('option', { name: /score\.total/ }).waitFor();
  await page.keyboard.press('Enter');
  assert.equal(await formula.inputValue(), 'score.total');
  await page.keyboard.type(' * ');
  await page.getByText(/^Character \d+: /).waitFor();
  await page.getByRole('region', { name: 'Problems' }).waitFor();
  await page.keyboard.type('100');
  await page.getByText(/^Character \d+: /).waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Problems' }).waitFor({ state: 'detached' });

  // Turns a filter off and on, duplicates it, and undoes the copy.
  await tabTo(rowOf(page, 'Compute'));
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await insert('Filter', 'filter');
  await page.keyboard.press('Alt+ArrowDown');
  await rowOf(page, 'Filter').and(page.locator('[data-node="filter"]')).waitFor();
  await page.keyboard.press('Space');
  await rowOf(page, 'turned off').waitFor();
  await page.keyboard.press('Control+z');
  await rowOf(page, 'turned off').waitFor({ state: 'detached' });
  await page.keyboard.press('d');
  await page.locator('[data-node="filter-2"]').waitFor();
  await page.keyboard.press('Control+z');
  await page.locator('[data-node="filter-2"]').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Shift+z');
  await page.locator('[data-node="filter-2"]').waitFor();
  await page.keyboard.press('Control+z');

  await says(page, 'Saved the draft of Stars first', () => page.keyboard.press('Control+s'));
  const types = ['inventory', 'creatives', 'qualify', 'filter', 'policy', 'score', 'rank', 'compute', 'response'];
  const stored = await nodesOf(id);
  assert.deepEqual(
    stored.map((node) => node.id),
    types,
  );
  assert.deepEqual(stored[7]?.config, { formulaExtras: [{ key: 'stars', formula: 'score.total * 100' }] });

  await page.keyboard.press('Control+Enter');
  await page.waitForURL(/\/publish$/);
  await settled(page);
  await type(field('Notes'), 'Stars for everyone');
  await page.getByRole('button', { name: 'Publish' }).and(page.locator(':not([aria-disabled])')).waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('Version 1 is live').waitFor();

  const request = { customerId: 'CM-000031', channel: 'email', decisionFlowKey: 'stars-first' };
  const { recommendationId } = await stage.call('POST', 'recommend', request);
  await tabTo(page.getByRole('link', { name: 'View decisions' }));
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/decisions\?.*version=1/);
  const { flow } = await stage.call('GET', `decisions/${recommendationId}`);
  assert.deepEqual([Reflect.get(Object(flow), 'key'), Reflect.get(Object(flow), 'version')], ['stars-first', 1]);
});

test('6. merges the changes of two editors by node, and loses nothing', skip, async () => {
  const email = 'eve@example.test';
  await stage.call('POST', 'users', { email, role: 'editor' });
  eve = await stage.open();
  eve.setDefaultTimeout(60_000);
  const answer = await eve.request.post(`${stage.url}/api/v1/auth/accept-invite`, {
    headers: { 'x-requested-with': 'journey', origin: stage.url },
    data: { token: await mailedToken(stage, email, 'accept-invite'), name: 'Eve', password: 'Passw0rd-demo' },
  });
  assert.ok(answer.ok(), await answer.text());
  const { data } = await stage.call('GET', 'decision-flows?search=stars-first');
  const [{ id = '' } = {}] = data as readonly { readonly id?: string }[];
  for (const each of [page, eve]) {
    await each.goto(`${stage.url}/flows/${id}/edit?node=rank`);
    await settled(each);
  }
  const rename = async (on: Page, node: string, name: string) => {
    await on.locator(`[data-node="${node}"]`).click();
    await on.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    await rowOf(on, name).waitFor();
  };
  await rename(page, 'rank', 'Best two');
  await rename(page, 'qualify', 'Who fits');
  // Unsaved work survives a reload.
  await page.reload();
  await settled(page);
  await page.getByText('We restored your unsaved changes.').waitFor();
  await rename(eve, 'rank', 'Best four');
  await rename(eve, 'score', 'By value');
  await says(eve, 'Saved the draft of Stars first', () => eve.keyboard.press('Control+s'));

  await page.keyboard.press('Control+s');
  await page.getByText('Someone else changed this flow').waitFor();
  await rowOf(page, 'By value').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Keep mine: Best two' }).click();
  await rowOf(page, 'By value').waitFor();
  await says(page, 'Saved the draft of Stars first', () => page.keyboard.press('Control+s'));
  const names = Object.fromEntries((await nodesOf(id)).map((node) => [node.id, node.name]));
  assert.deepEqual([names.rank, names.qualify, names.score], ['Best two', 'Who fits', 'By value']);
});

test('7. requests approval for this draft when the tenant requires it', skip, async () => {
  const { data } = await stage.call('GET', 'decision-flows?search=stars-first');
  const [flow] = data as readonly { readonly id: string; readonly rowVersion: number }[];
  assert.ok(flow);
  await stage.call('PUT', 'tenant-settings', { approvalWorkflowEnabled: true });
  await eve.goto(`${stage.url}/flows/${flow.id}/publish`);
  await settled(eve);
  await eve.getByRole('textbox', { name: 'Notes' }).fill('By value now');
  const request = eve.getByRole('button', { name: 'Request approval' }).and(eve.locator(':not([aria-disabled])'));
  await says(eve, 'Requested approval to publish Stars first', () => request.click());
  const requests: unknown = await stage.call('GET', 'approvals?status=pending');
  const [filed] = requests as readonly { readonly entityId: string; readonly payload: object }[];
  assert.equal(filed?.entityId, flow.id);
  assert.deepEqual(filed.payload, { publish: true, notes: 'By value now', rowVersion: flow.rowVersion });
});
