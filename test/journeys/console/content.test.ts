// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// Journeys of the catalogue: an offer through approval to the first place, content through review, policies together, bad days.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { cannotBrowse, holdEachJourney, openStage, type Stage, says } from './browser.ts';
import { mailedToken } from './mail.ts';
import { settled } from './places.ts';
import { stopExploring } from './walks.ts';

let stage: Stage;
/** An admin's page, an editor's and a viewer's. */
let page: Page;
let editor: Page;
let viewer: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
const customerId = 'CM-000031';

/** Opens a page for a new person. */
async function personWith(role: string): Promise<Page> {
  const email = `${role}@example.test`;
  await stage.call('POST', 'users', { email, role });
  const own = await stage.open();
  own.setDefaultTimeout(60_000);
  const answer = await own.request.post(`${stage.url}/api/v1/auth/accept-invite`, {
    headers: { 'x-requested-with': 'journey', origin: stage.url },
    data: { token: await mailedToken(stage, email, 'accept-invite'), name: `Pat ${role}`, password: 'Passw0rd-demo' },
  });
  assert.ok(answer.ok(), await answer.text());
  return own;
}

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  // One decision in twenty would put another offer first.
  await stopExploring(stage);
  page = await stage.open();
  page.setDefaultTimeout(60_000);
  await page.goto(stage.firstRun);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  editor = await personWith('editor');
  viewer = await personWith('viewer');
});
holdEachJourney(() => stage);
after(() => stage?.close());

const titled = (on: Page, name: string) => on.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Waits for a text; the same text for screen readers doesn't count. */
const shows = (on: Page, text: string) => on.getByText(text).filter({ visible: true }).first().waitFor();

async function go(on: Page, address: string): Promise<void> {
  await on.goto(`${stage.url}${address}`);
  await settled(on);
}

/** Saves a new record by keyboard. Returns its id. */
async function create(on: Page, address: string): Promise<string> {
  await on.keyboard.press('Control+s');
  await on.waitForURL(new RegExp(`${address}/[0-9a-f-]{36}$`));
  await settled(on);
  return new URL(on.url()).pathname.split('/').at(-1) ?? '';
}

const firstOffer = async (channelId: string): Promise<unknown> => {
  const answer = await stage.call('POST', 'simulate', { customerId, channelId, limit: 1 });
  return Reflect.get(Object((answer.decisions as readonly unknown[])[0]), 'offerId');
};

/** Approves the newest request. */
async function approve(name: string): Promise<void> {
  await go(page, '/approvals');
  await page.getByRole('region', { name }).waitFor();
  await says(page, `Approved: ${name}`, () => page.keyboard.press('a'));
}

test('4. an offer with two creatives goes through approval by a second person, and is first', skip, async () => {
  await stage.call('PUT', 'tenant-settings', { approvalWorkflowEnabled: true });
  await go(editor, '/offers/new');
  await editor.getByRole('button', { name: 'Discount' }).click();
  await editor.getByLabel('Name').fill('Maple week');
  await editor.getByLabel('Priority', { exact: true }).fill('100');
  await editor.getByLabel('Business value').fill('100');
  const offer = await create(editor, '/offers');
  for (const name of ['Maple A', 'Maple B']) {
    await editor.getByRole('link', { name: /^Add/ }).first().click();
    await editor.waitForURL(/\/creatives\/new\?/);
    await editor.getByLabel('Name').fill(name);
    await editor.getByRole('combobox', { name: 'Status' }).selectOption('active');
    await editor.getByRole('textbox', { name: 'Headline' }).pressSequentially('Hello {first_n');
    await editor.getByRole('option', { name: /^first_name/ }).waitFor();
    await editor.keyboard.press('Enter');
    assert.equal(await editor.getByRole('textbox', { name: 'Headline' }).inputValue(), 'Hello {first_name}');
    // Editors request what goes live.
    await says(editor, `Requested approval for ${name}`, () => editor.keyboard.press('Control+s'));
    await approve(name);
    await go(editor, `/offers/${offer}`);
  }
  // What it would do, before anyone approves it.
  await editor.getByRole('combobox', { name: 'Segment' }).fill('Lapsed');
  await editor.getByRole('option', { name: /^Lapsed/ }).click();
  await editor.getByRole('button', { name: 'Simulate', exact: true }).click();
  await editor.getByText(/^Ranks first for \d/).waitFor();
  await editor.keyboard.press('e');
  await editor.waitForURL(/\/edit$/);
  await editor.getByRole('combobox', { name: 'Status' }).selectOption('active');
  await says(editor, 'Requested approval for Maple week', () => editor.keyboard.press('Control+s'));
  const { creatives } = await stage.call('GET', `offers/${offer}`);
  const channels = (creatives as readonly { readonly channelId: string }[]).map(({ channelId }) => channelId);
  assert.equal(channels.length, 2);
  assert.notEqual(await firstOffer(channels[0] ?? ''), offer, 'the request changes nothing');
  await approve('Maple week');
  for (const channelId of channels) assert.equal(await firstOffer(channelId), offer);
  await stage.call('PUT', 'tenant-settings', { approvalWorkflowEnabled: false });
});

test('writes content, has a second person approve it, publishes and reverts it', skip, async () => {
  await go(editor, '/content');
  await editor.keyboard.press('c');
  await titled(editor, 'New content item');
  await editor.getByLabel('Name').fill('Spring letter');
  await editor.getByRole('textbox', { name: 'Subject' }).fill('Spring is here');
  await editor.getByRole('button', { name: 'Add block' }).click();
  await editor.getByRole('menuitem', { name: 'Heading' }).click();
  await editor.getByRole('group', { name: 'Heading 1' }).getByRole('textbox', { name: 'Text' }).fill('Fresh coffee');
  await editor.getByRole('button', { name: 'Add block' }).click();
  await editor.getByRole('menuitem', { name: 'Columns' }).click();
  await editor.getByRole('region', { name: 'Column 2' }).getByRole('button', { name: 'Add block' }).click();
  await editor.getByRole('menuitem', { name: 'Button' }).click();
  await editor.getByRole('group', { name: 'Button 2.2.1' }).getByRole('textbox', { name: 'Text' }).fill('Order');
  await editor.getByRole('button', { name: 'Move Columns 2 up' }).click();
  // The preview shows what isn't saved yet.
  await editor.getByRole('region', { name: 'Rendered content' }).getByText('Spring is here').waitFor();
  await editor.frameLocator('iframe').getByText('Fresh coffee').waitFor();
  const id = await create(editor, '/content');
  const { blocks } = await stage.call('GET', `content/${id}`);
  assert.deepEqual(
    (blocks as readonly { readonly type: string }[]).map(({ type }) => type),
    ['columns', 'heading'],
  );
  await says(editor, 'Submitted Spring letter for review', () => editor.keyboard.press('Control+Enter'));
  // The author can't approve, and the page says why.
  await editor.getByRole('button', { name: 'Approve' }).focus();
  await shows(editor, 'You submitted this item. Another user must approve it.');
  await go(page, `/content/${id}`);
  await page.getByText('Pat editor').first().waitFor();
  await page.getByRole('button', { name: 'Reject' }).click();
  await page.getByLabel('Reason').fill('The season is missing.');
  await says(page, 'Rejected Spring letter', () =>
    page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click(),
  );
  await go(editor, `/content/${id}`);
  await editor.getByText('The season is missing.').waitFor();
  await says(editor, 'Submitted Spring letter for review', () => editor.keyboard.press('Control+Enter'));
  await go(page, `/content/${id}`);
  await says(page, 'Approved Spring letter', () => page.keyboard.press('Control+Enter'));
  await page.getByRole('button', { name: 'Publish' }).waitFor();
  await says(page, 'Published Spring letter', () => page.keyboard.press('Control+Enter'));

  // A creative shows it, and the item says so.
  const { data } = await stage.call('GET', 'creatives?limit=1');
  const [creative] = data as readonly { readonly id: string; readonly name: string }[];
  await go(page, `/creatives/${creative?.id}/edit`);
  await page.getByRole('combobox', { name: 'Content item' }).fill('Spring');
  await page.getByRole('option', { name: /^Spring/ }).click();
  await page.getByText('Unsaved change: Content item').waitFor();
  await page.keyboard.press('Control+s');
  await page.waitForURL((url) => url.pathname === `/creatives/${creative?.id}`);
  await go(page, `/content/${id}`);
  await page
    .getByRole('region', { name: 'Used by' })
    .getByRole('link', { name: creative?.name ?? '' })
    .waitFor();

  // A change starts a draft, and the first version comes back.
  await stage.call('PUT', `content/${id}`, { content: { subject: 'Summer is here' } });
  await go(page, `/content/${id}`);
  await page.getByText('Decisions show version 2 until this draft is published.').waitFor();
  await page.getByRole('button', { name: 'Revert to version 1' }).click();
  await says(page, 'Version 1 is the new draft', () =>
    page.getByRole('dialog').getByRole('button', { name: 'Revert' }).click(),
  );
  const { content, publishedVersion } = await stage.call('GET', `content/${id}`);
  assert.deepEqual([Reflect.get(Object(content), 'subject'), publishedVersion], ['Spring is here', 2]);
});

test('7. a policy is simulated before it is saved, its collision is named, and its timeline drawn', skip, async () => {
  await go(page, '/policies/new');
  await page.getByRole('button', { name: 'Three a day' }).click();
  await page.getByLabel('Name').fill('Fifty a day');
  await page.getByLabel('Per day').fill('50');
  const impact = page.getByRole('region', { name: 'Impact' });
  await impact.getByRole('combobox', { name: 'Segment' }).fill('Lapsed');
  await page.getByRole('option', { name: /^Lapsed/ }).click();
  await impact.getByRole('button', { name: 'Simulate', exact: true }).click();
  await impact.getByText(/sampled customers get the same offers/).waitFor();
  await page.getByRole('combobox', { name: 'Type' }).selectOption('do_not_contact');
  await impact.getByRole('combobox', { name: 'Segment' }).fill('Lapsed');
  await page.getByRole('option', { name: /^Lapsed/ }).click();
  await impact.getByRole('button', { name: 'Simulate', exact: true }).click();
  await impact.getByText(/get different offers/).waitFor();
  await page.getByRole('combobox', { name: 'Type' }).selectOption('frequency_cap');
  await page.getByLabel('Per day').fill('50');
  await create(page, '/policies');
  await go(page, '/policies');
  await page.getByRole('link', { name: 'Policy studio' }).click();
  await titled(page, 'Policy studio');
  const collision = page.getByRole('listitem').filter({ hasText: 'Fifty a day' });
  await collision.getByText('can never act').waitFor();
  await collision.getByRole('link', { name: 'Three A Day, Ten A Week' }).waitFor();
  for (let decision = 0; decision < 4; decision += 1) {
    await stage.call('POST', 'recommend', { customerId, channel: 'email', limit: 1 });
    await stage.call('POST', 'recommend', { customerId, channel: 'web', limit: 1 });
  }
  await page.getByRole('tab', { name: 'Timelines' }).click();
  await page.getByLabel('Customer ID').fill(customerId);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Three A Day, Ten A Week' }).first().waitFor();
  await page.getByRole('button', { name: 'Find when Three A Day, Ten A Week ends' }).click();
  await page.getByText(/can be shown from|Waiting alone/).waitFor();
  assert.match(page.url(), new RegExp(`customer=${customerId}`), 'a colleague sees the same');
});

test('pauses and resumes a policy on its page', skip, async () => {
  const read = async () => {
    const { data } = await stage.call('GET', 'contact-policies?search=quiet&limit=1');
    const [policy] = data as readonly { readonly id: string; readonly status: string }[];
    assert.ok(policy);
    return policy;
  };
  await go(page, `/policies/${(await read()).id}`);
  await titled(page, 'Push Quiet Hours');
  await says(page, 'Paused Push Quiet Hours. Decisions no longer use it.', () =>
    page.getByRole('button', { name: 'Pause', exact: true }).click(),
  );
  assert.equal((await read()).status, 'paused');
  await says(page, 'Resumed Push Quiet Hours. Decisions use it again.', () =>
    page.getByRole('button', { name: 'Resume', exact: true }).click(),
  );
  assert.equal((await read()).status, 'active');
});

test('shows a name that was just taken and a channel that was just deleted at their fields', skip, async () => {
  await go(page, '/content/new');
  await page.getByLabel('Name').fill('Taken');
  await stage.call('POST', 'content', { name: 'Taken', channelType: 'email' });
  await page.keyboard.press('Control+s');
  await page.getByRole('textbox', { name: 'Name' }).and(page.locator('[aria-invalid]')).waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Taken', 'what was typed stays');
  const channel = await stage.call('POST', 'channels', { name: 'Kiosk', channelType: 'kiosk' });
  const { data } = await stage.call('GET', 'offers?limit=1');
  const [offer] = data as readonly { readonly id: string }[];
  await go(page, `/creatives/new?offerId=${offer?.id}&channelId=${channel.id}`);
  await page.getByLabel('Name').fill('For the kiosk');
  await stage.call('DELETE', `channels/${channel.id}`);
  await page.keyboard.press('Control+s');
  await page.getByRole('combobox', { name: 'Channel' }).and(page.locator('[aria-invalid]')).waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).first().click();

  await go(page, '/content/new');
  const long = 'x'.repeat(255);
  await page.getByLabel('Name').fill(long);
  await create(page, '/content');
  await page.setViewportSize({ width: 390, height: 800 });
  const overflows = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  assert.equal(overflows, false, 'a name without a space breaks');
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('shows the values of an offer whose category lost their field, and removes them', skip, async () => {
  const field = (key: string, label: string) => ({ key, label, type: 'text' });
  const [grade, fee] = [field('grade', 'Grade'), field('yearly_fee', 'Annual fee')];
  const category = await stage.call('POST', 'categories', { name: 'Cards', customFields: [grade, fee] });
  const customFields = { grade: 'gold', yearly_fee: 'none' };
  const offer = await stage.call('POST', 'offers', {
    ...{ name: 'Gold Card', status: 'draft', categoryId: category.id, metadata: { customFields } },
  });
  await stage.call('PUT', `categories/${category.id}`, { customFields: [grade] });
  const stored = async () =>
    Reflect.get(Object((await stage.call('GET', `offers/${offer.id}`)).metadata), 'customFields');
  await go(page, `/offers/${offer.id}/edit`);
  await shows(page, 'The category no longer has this field');
  await shows(page, 'Yearly fee: none');
  // Other changes keep the value.
  await page.getByRole('textbox', { name: 'Grade' }).fill('platinum');
  await says(page, 'Saved Gold Card', () => page.keyboard.press('Control+s'));
  assert.deepEqual(await stored(), { grade: 'platinum', yearly_fee: 'none' });
  await go(page, `/offers/${offer.id}/edit`);
  await page.getByRole('button', { name: 'Remove value' }).click();
  await says(page, 'Saved Gold Card', () => page.keyboard.press('Control+s'));
  assert.deepEqual(await stored(), { grade: 'platinum' });
});

test('shows viewers, and everyone while content is off, why nothing can be changed', skip, async () => {
  const item = await stage.call('POST', 'content', { name: 'Read only', channelType: 'sms' });
  await go(viewer, `/content/${item.id}`);
  await viewer.getByRole('button', { name: 'Submit for review' }).focus();
  await shows(viewer, 'Only users with the editor role can do this.');
  await stage.call('PUT', 'tenant-settings', { enableContentManagement: false });
  await go(page, `/content/${item.id}`);
  await shows(page, 'Content management is turned off');
  assert.equal(await page.getByRole('button', { name: 'Submit for review' }).getAttribute('aria-disabled'), 'true');
  await go(page, '/content/new');
  await shows(page, 'Content management is turned off');
  assert.equal(await page.getByRole('textbox').count(), 0);
  await stage.call('PUT', 'tenant-settings', { enableContentManagement: true });
});

test('shows why a built-in outcome type has no form', skip, async () => {
  const { data } = await stage.call('GET', 'outcome-types?limit=1');
  const [type] = data as readonly { readonly id: string; readonly isSystem: boolean }[];
  assert.ok(type?.isSystem);
  await go(page, `/outcomes/${type.id}/edit`);
  await shows(page, "This outcome type is built in. It can't be changed or deleted.");
  assert.equal(await page.getByRole('textbox').count(), 0);
});

test('gaps of the matrix link to a new creative for that offer and channel', skip, async () => {
  const { id } = await stage.call('POST', 'offers', { name: 'Gap', status: 'active' });
  await go(page, '/offers/matrix?holes=true');
  await page.getByRole('row').filter({ hasText: 'Gap' }).getByRole('link', { name: 'Add' }).first().click();
  await page.waitForURL((url) => url.pathname === '/creatives/new' && url.searchParams.get('offerId') === id);
});
