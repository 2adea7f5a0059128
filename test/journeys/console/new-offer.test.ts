// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// A new offer by keyboard: the form, two creatives rendered while they're typed, activation, and the first place in a decision.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { cannotBrowse, holdEachJourney, openStage, type Stage } from './browser.ts';
import { settled } from './places.ts';
import { stopExploring } from './walks.ts';

let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
const customerId = 'CM-000031';

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open();
  page.setDefaultTimeout(60_000);
  // One decision in twenty would put another offer first.
  await stopExploring(stage);
  await page.goto(stage.firstRun);
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

/** Replaces the text of a field. */
async function type(name: string, text: string): Promise<void> {
  await tabTo(page.getByRole('textbox', { name }));
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

/** Chooses in a list by the first letters of an option. */
async function choose(name: string, option: string): Promise<void> {
  const list = page.getByRole('combobox', { name, exact: true });
  await tabTo(list);
  await page.keyboard.type(option);
  const chosen = await list.locator('option:checked').textContent();
  assert.ok(chosen?.startsWith(option), `${name} is "${chosen}" after typing "${option}"`);
}

async function save(address: RegExp): Promise<string> {
  await page.keyboard.press('Control+s');
  await page.waitForURL(address);
  await settled(page);
  return new URL(page.url()).pathname;
}

const preview = () => page.getByRole('region', { name: 'Rendered content' });

/** Adds an active creative at the first place without one. The preview must show these words for the customer. */
async function addCreative(offer: string, name: string, headline: string, words: string): Promise<void> {
  await page.goto(`${stage.url}${offer}`);
  await settled(page);
  await tabTo(page.getByRole('link', { name: /^Add/ }).first());
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/creatives\/new\?/);
  await type('Name', name);
  await choose('Status', 'Active');
  await type('Headline', headline);
  await type('As customer', customerId);
  await page.keyboard.press('Enter');
  await preview().getByText(words, { exact: true }).waitFor();
  await save(/\/creatives\/[0-9a-f-]{36}$/);
}

test('takes a new offer with two creatives to the first place, by keyboard', skip, async () => {
  await page.goto(`${stage.url}/offers`);
  await settled(page);
  await page.keyboard.press('c');
  await page.waitForURL(/\/offers\/new$/);
  await type('Name', 'Pastry pairing');
  await type('Priority', '100');
  await type('Business value', '100');
  await tabTo(page.getByRole('button', { name: 'Add condition' }));
  await page.keyboard.press('Enter');
  // Entered before the list is searched.
  await page.keyboard.type('first_name');
  await page.keyboard.press('Enter');
  await choose('Operator', 'has a');
  const offer = await save(/\/offers\/[0-9a-f-]{36}$/);
  const id = offer.split('/').at(-1);
  const stored = await stage.call('GET', `offers/${id}`);
  assert.deepEqual(Reflect.get(Object(stored.eligibility), 'conditions'), {
    logic: 'and',
    conditions: [{ field: 'first_name', operator: 'exists' }],
  });

  const { customer } = await stage.call('GET', `customers/${customerId}/eligibility?limit=1`);
  const hello = `Hello ${Reflect.get(Object(customer), 'first_name')}`;
  await addCreative(offer, 'Pastry pairing A', 'Hello {first_name}, a pastry', `${hello}, a pastry`);
  await addCreative(offer, 'Pastry pairing B', 'Hello {first_name}, a croissant', `${hello}, a croissant`);

  await page.goto(`${stage.url}${offer}`);
  await settled(page);
  await page.keyboard.press('e');
  await page.waitForURL(/\/edit$/);
  await settled(page);
  await choose('Status', 'Active');
  await save(/\/offers\/[0-9a-f-]{36}$/);

  const { creatives } = await stage.call('GET', `offers/${id}`);
  assert.ok(Array.isArray(creatives) && creatives.length === 2);
  for (const { channelId, name, id: creativeId } of creatives) {
    const answer = await stage.call('POST', 'simulate', { customerId, channelId, limit: 1 });
    const [decision] = answer.decisions as readonly Readonly<Record<string, unknown>>[];
    assert.equal(decision?.offerId, id, `${name} isn't first`);
    assert.equal(decision?.creativeId, creativeId);
    const treat = name === 'Pastry pairing A' ? 'pastry' : 'croissant';
    assert.equal(Reflect.get(Object(decision?.content), 'headline'), `${hello}, a ${treat}`);
  }
});
