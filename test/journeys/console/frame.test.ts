// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// The frame of every page: keys, palette, focus, themes, the end of a session, small screens.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { cannotBrowse, holdEachJourney, openStage, type Stage, says } from './browser.ts';

let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
const patienceMs = 60_000;

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open();
  page.setDefaultTimeout(patienceMs);
  await page.goto(stage.firstRun);
});
holdEachJourney(() => stage);
after(() => stage?.close());

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const stored = () => page.evaluate(() => Object.keys(localStorage).length + Object.keys(sessionStorage).length);
/** Waits for the focused element. */
const focusOn = (selector: string) => page.locator(`${selector}:focus`).waitFor();

async function openPalette(): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search pages, actions, names or IDs' }).waitFor();
}

test('keeps letters typed before the palette opens', skip, async () => {
  const fresh = await page.context().newPage();
  fresh.setDefaultTimeout(patienceMs);
  const palettePart = Promise.withResolvers<void>();
  await fresh.route(/palette-[^/]*\.js/, async (route) => {
    await palettePart.promise;
    await route.continue();
  });
  const request = fresh.waitForRequest(/palette-[^/]*\.js/);
  await fresh.goto(`${stage.url}/decisions`);
  await fresh.getByRole('heading', { level: 1, name: 'Decisions', exact: true }).waitFor();
  await fresh.keyboard.press('Control+k');
  await request;
  await fresh.keyboard.type('simum');
  await fresh.keyboard.press('Backspace');
  await fresh.keyboard.press('Enter');
  palettePart.resolve();
  const field = fresh.getByRole('combobox', { name: 'Search pages, actions, names or IDs' });
  await field.waitFor();
  await fresh.keyboard.type('l');
  assert.equal(await field.inputValue(), 'simul');
  await fresh.keyboard.press('Enter');
  await fresh.getByRole('heading', { level: 1, name: 'Simulate', exact: true }).waitFor();
  await fresh.close();
});

test('opens pages by keys, and focuses their headings', skip, async () => {
  await page.goto(`${stage.url}/decisions`);
  await heading('Decisions').waitFor();
  await openPalette();
  await page.keyboard.type('simul');
  await page
    .getByRole('group', { name: 'Pages' })
    .getByRole('option', { name: /^Simulate/ })
    .waitFor();
  await page.keyboard.press('Enter');
  await heading('Simulate').waitFor();
  await focusOn('h1:has-text("Simulate")');
  assert.match(await page.title(), /^Simulate/);
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await heading('Decisions').waitFor();
  await focusOn('h1:has-text("Decisions")');
  await page.goBack();
  await heading('Simulate').waitFor();
});

test('ignores letter keys in fields, and turns them off permanently', skip, async () => {
  await page.goto(`${stage.url}/simulate`);
  await heading('Simulate').waitFor();
  await page.getByLabel('Customer', { exact: true }).first().fill('');
  await page.keyboard.type('gd?');
  assert.match(page.url(), /\/simulate/);
  await heading('Simulate').click();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await keys.getByText('Go to Decisions').waitFor();
  await keys.getByRole('checkbox', { name: 'Single-letter shortcuts' }).uncheck();
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'detached' });
  await page.reload();
  await heading('Simulate').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.keyboard.press('?');
  await openPalette();
  assert.match(page.url(), /\/simulate/);
  assert.equal(await keys.count(), 0);
  // Keys with a modifier stay on, and so does the key to return.
  await page.keyboard.type('keyboard');
  await page.getByRole('option', { name: /^Keyboard shortcuts/ }).waitFor();
  await page.keyboard.press('Enter');
  await keys.getByRole('checkbox', { name: 'Single-letter shortcuts' }).check();
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await heading('Decisions').waitFor();
});

test('steps through the records of the last list with [ and ], and reports its ends', skip, async () => {
  const { data } = await stage.call('GET', 'offers?limit=2');
  const [first = '', second = ''] = (data as readonly { readonly name: string }[]).map(({ name }) => name);
  await page.goto(`${stage.url}/offers`);
  await page.getByRole('row', { name: first }).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Enter');
  const way = page.getByRole('navigation', { name: 'Position in Offers' });
  await way.getByText('1 of 12').waitFor();
  await heading(first).waitFor();
  await says(page, 'This is the first record in the list.', () => page.keyboard.press('['));
  await page.keyboard.press(']');
  await way.getByText('2 of 12').waitFor();
  await heading(second).waitFor();
  await focusOn('h1');
  await page.keyboard.press('[');
  await heading(first).waitFor();
  // The same by clicking; without an open list, there are no neighbors.
  await way.getByRole('link', { name: 'Next record' }).click();
  await way.getByText('2 of 12').waitFor();
  await page.reload();
  await heading(second).waitFor();
  await says(page, 'Open a record from a list first.', () => page.keyboard.press(']'));
  assert.equal(await way.count(), 0);
  // A filtered list steps through its rows only, and a list of one record has no neighbors.
  await page.goto(`${stage.url}/offers`);
  await page.getByLabel('Search offers').fill('star');
  await page.waitForURL(/search=star/);
  await page.getByText('2 offers', { exact: true }).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Enter');
  await way.getByText('1 of 2').waitFor();
});

test('keeps unsaved settings until they are discarded', skip, async () => {
  await page.goto(`${stage.url}/settings`);
  const zone = page.getByRole('combobox', { name: 'Time zone' });
  const before = await zone.inputValue();
  await zone.fill('tokyo');
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
  await page.getByRole('link', { name: 'Decisions', exact: true }).click();
  await heading('Decisions').waitFor();
  await page.goto(`${stage.url}/settings`);
  await page.getByText('1 change', { exact: true }).waitFor();
  assert.equal(await zone.inputValue(), 'Asia/Tokyo');
  await page.getByRole('button', { name: 'Discard' }).click();
  assert.equal(await zone.inputValue(), before);
  await page.reload();
  await heading('Settings').waitFor();
  await zone.waitFor();
  assert.equal(await zone.inputValue(), before);
});

test('filters decisions by the names of an offer and a flow', skip, async () => {
  await page.goto(`${stage.url}/decisions`);
  await page.getByRole('button', { name: 'Add filter', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Add filter' });
  const offer = dialog.getByRole('combobox', { name: 'Offer', exact: true });
  await offer.click();
  await page.keyboard.type('latte');
  await dialog.getByRole('option', { name: /^We Miss You Latte/ }).waitFor();
  // Escape closes only the list, and unselected text is discarded.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  assert.equal(await offer.inputValue(), '');
  await offer.fill('latte');
  await dialog.getByRole('option', { name: /^We Miss You Latte/ }).waitFor();
  await page.keyboard.press('Enter');
  assert.equal(await offer.inputValue(), 'We Miss You Latte');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.waitForURL(/offerId=[0-9a-f-]{36}$/);
  await page.getByRole('button', { name: 'Remove filter Offer' }).waitFor();
  await page.getByText('We Miss You Latte', { exact: true }).first().waitFor();
});

test("offers the page's buttons in the palette, and a key for its main action", skip, async () => {
  await page.goto(`${stage.url}/settings/api-keys`);
  await page.getByRole('button', { name: 'Revoke Demo key' }).waitFor();
  await openPalette();
  await page.keyboard.type('create key');
  await page.getByRole('group', { name: 'On this page' }).getByRole('option', { name: 'Create key' }).waitFor();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Create key' });
  await dialog.waitFor();
  // The main action of a dialog has the same key.
  await dialog.getByLabel('Name').fill('by keys');
  await page.keyboard.press('Control+Enter');
  const done = page.getByRole('dialog').getByRole('button', { name: "I've stored it" });
  await done.waitFor();
  // Pressing the keys again doesn't confirm a dialog that is shown once.
  await page.keyboard.press('Control+Enter');
  await done.press('Enter');
  await done.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Revoke by keys' }).waitFor();
  await page.keyboard.press('c');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.goto(`${stage.url}/simulate?customer=CM-000031`);
  await page.getByText('#1', { exact: true }).waitFor();
  const response = page.waitForResponse((each) => each.url().endsWith('/simulate'));
  await page.keyboard.press('Control+Enter');
  assert.equal((await response).status(), 200);
});

test('opens a decision from the palette by any of its IDs', skip, async () => {
  const { requestId, recommendationId } = await stage.call('POST', 'recommend', {
    customerId: 'CM-000031',
    channel: 'email',
  });
  await openPalette();
  await page.keyboard.type('nothing is called so');
  await page.getByText('No results for “nothing is called so”').waitFor();
  await page.getByRole('combobox', { name: 'Search pages, actions, names or IDs' }).fill(String(requestId));
  await page
    .getByRole('option', { name: /^Decision/ })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/decisions/${String(recommendationId)}`);
  await heading('Decision for CM-000031').waitFor();
});

test('opens each record type from the palette by ID, and a customer by key', skip, async () => {
  const search = page.getByRole('combobox', { name: 'Search pages, actions, names or IDs' });
  for (const [list, path] of [
    ['offers', '/offers/'],
    ['creatives', '/creatives/'],
    ['channels', '/channels/'],
    ['placements', '/channels/placements/'],
    ['categories', '/categories?node='],
    ['sub-categories', '/categories?node='],
    ['decision-flows', '/flows/'],
    ['contact-policies', '/policies/'],
    ['qualification-rules', '/rules/'],
    ['segments', '/segments/'],
    ['outcome-types', '/outcomes/'],
    ['schemas', '/data/schemas/'],
  ] as const) {
    const { data } = await stage.call('GET', `${list}?limit=1`);
    const [{ id }] = data as readonly [{ readonly id: string }];
    await openPalette();
    await search.fill(id);
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${stage.url}${path}${id}`);
  }
  // A stored customer without decisions.
  await openPalette();
  await search.fill('CM-000777');
  await page
    .getByRole('option', { name: /^CM-000777/ })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${stage.url}/customers/CM-000777`);
});

test('keeps the theme across reloads', skip, async () => {
  await openPalette();
  await page.keyboard.type('theme: light');
  await page.getByRole('option', { name: 'Theme: Light' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('html[data-theme="light"]').waitFor();
  await page.reload();
  await page.locator('html[data-theme="light"]').waitFor();
});

test('asks to sign in over the page when the session ends, and keeps the input', skip, async () => {
  const [, email = '', password = ''] = /^sign in\s+(\S+) with password (\S+)/m.exec(stage.output()) ?? [];
  await page.goto(`${stage.url}/simulate`);
  const customer = page.getByLabel('Customer', { exact: true }).first();
  await customer.fill('CM-000017');
  // Ending the session ends the page's event stream, which finds out when it connects again.
  const left = await page.context().request.post(`${stage.url}/api/v1/auth/logout`, {
    headers: { 'X-Requested-With': 'XMLHttpRequest' },
    data: {},
  });
  assert.ok(left.ok(), await left.text());
  const dialog = page.getByRole('dialog', { name: "You're signed out" });
  await dialog.waitFor();
  assert.equal(await dialog.getByLabel('Email').inputValue(), email);
  await page.keyboard.press('Escape');
  await dialog.getByLabel('Password').fill('wrong');
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.getByText('Wrong email, password or code').waitFor();
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await customer.inputValue(), 'CM-000017');
  await page.goto(`${stage.url}/decisions`);
  await page.getByText('CM-000031', { exact: true }).first().waitFor();
});

test('returns the focus after overlays, and closes only the topmost with Escape', skip, async () => {
  await page.goto(`${stage.url}/decisions`);
  await page.getByText('CM-000031', { exact: true }).first().waitFor();
  const opener = (name: string | RegExp) => page.getByRole('banner').getByRole('button', { name, exact: true });
  /** Opens with Enter, closes with Escape, and checks the focus. */
  const comesBack = async (
    button: ReturnType<typeof opener>,
    role: 'dialog' | 'menu',
    name?: string,
  ): Promise<void> => {
    const opened = page.getByRole(role, name === undefined ? {} : { name });
    await button.focus();
    await page.keyboard.press('Enter');
    await opened.waitFor();
    await page.keyboard.press('Escape');
    await opened.waitFor({ state: 'detached' });
    await focused(button);
  };
  await comesBack(opener('Tenant: Demo. Switch tenant'), 'dialog', 'Your tenants');
  await comesBack(opener('Jobs'), 'dialog');
  await comesBack(opener('Help'), 'menu');
  await comesBack(opener(/'s account$/), 'menu');
  // From a menu, which is closed when the dialog closes: the focus returns to its button.
  const account = opener(/'s account$/);
  await account.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Switch tenant' }).press('Enter');
  const tenants = page.getByRole('dialog', { name: 'Your tenants' });
  await tenants.waitFor();
  await page.keyboard.press('Escape');
  await tenants.waitFor({ state: 'detached' });
  await focused(account);
  // The palette over an open panel: one Escape each.
  await page.getByRole('grid').focus();
  await page.keyboard.press('Space');
  await page.waitForURL(/peek=/);
  await openPalette();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Search pages, actions, names or IDs' }).waitFor({ state: 'detached' });
  assert.match(page.url(), /peek=/, 'the panel below stays');
});

test('shows the full text to copy without a clipboard', skip, async () => {
  const { recommendationId } = await stage.call('POST', 'recommend', { customerId: 'CM-000031', channel: 'web' });
  const { planHash } = await stage.call('GET', `decisions/${String(recommendationId)}`);
  const plain = await page.context().newPage();
  plain.setDefaultTimeout(patienceMs);
  // As over plain HTTP from another machine.
  await plain.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await plain.goto(`${stage.url}/decisions/${String(recommendationId)}?tab=proof`);
  const copy = plain.getByRole('button', { name: 'Copy plan', exact: true });
  await copy.waitFor();
  assert.equal(await plain.getByText(String(planHash), { exact: true }).filter({ visible: true }).count(), 0);
  await says(plain, 'Your browser blocked copying.', () => copy.click());
  await plain.getByText(String(planHash), { exact: true }).filter({ visible: true }).waitFor();
  await plain.close();
});

test('moves the focus to a neighbor when the focused element disappears', skip, async () => {
  const { recommendationId } = await stage.call('POST', 'recommend', { customerId: 'CM-000031', channel: 'web' });
  /** Presses Enter on an element that then disappears. */
  const pressed = async (name: string | RegExp, exact = true): Promise<void> => {
    const button = page.getByRole('button', { name, exact }).first();
    await button.focus();
    const handle = await button.elementHandle();
    await page.keyboard.press('Enter');
    await page.waitForFunction((element) => element?.isConnected === false, handle);
  };
  const isKept = () => page.waitForFunction("document.activeElement.closest('#page') !== null");
  await page.goto(`${stage.url}/decisions?customerId=CM-000031`);
  await pressed('Remove filter Customer');
  await isKept();
  // The preview of a row: the list still has the row.
  await page.getByRole('grid').getByRole('row').nth(1).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Space');
  await page.waitForURL(/peek=/);
  await pressed(/^Close/);
  await focused(page.getByRole('grid'));
  // A button replaced by its result.
  await page.goto(`${stage.url}/decisions/${String(recommendationId)}?tab=inputs`);
  await pressed('Show inputs');
  await isKept();
  await page.goto(`${stage.url}/simulate?customer=CM-000031&profile=tier%3Agold`);
  await pressed(/tier/);
  await isKept();
});

/** Waits until an element has the focus. */
async function focused(element: Locator): Promise<void> {
  const handle = await element.elementHandle();
  await page.waitForFunction((wanted) => document.activeElement === wanted, handle);
}

test('opens the sidebar on small screens, and closes it with Escape', skip, async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole('button', { name: 'Open navigation' }).click();
  const drawer = page.getByRole('dialog', { name: 'Navigation' });
  await drawer.getByRole('link', { name: 'Simulate' }).waitFor();
  // The focus stays in the drawer, however often Tab is pressed in either direction.
  const links = await drawer.getByRole('link').count();
  for (const key of ['Tab', 'Shift+Tab']) {
    for (let presses = 0; presses < links + 4; presses += 1) {
      await page.keyboard.press(key);
      assert.equal(
        await page.evaluate(
          () => document.activeElement === document.body || document.activeElement?.closest('dialog') !== null,
        ),
        true,
        `${key}, press ${presses + 1}`,
      );
    }
  }
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await focusOn('button[aria-label="Open navigation"]');
  await page.keyboard.press('Enter');
  await drawer.getByRole('link', { name: 'Simulate' }).click();
  await heading('Simulate').waitFor();
  assert.equal(await drawer.count(), 0);
  // Nothing overflows the screen.
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
});

test('scrolls to the result on small screens', skip, async () => {
  await page.goto(`${stage.url}/simulate?customer=CM-000001`);
  const first = page.getByText('#1', { exact: true }).first();
  await first.waitFor();
  const isSeen = () =>
    first.evaluate((place) => {
      const { top, bottom } = place.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
  assert.equal(await isSeen(), false, 'it stands below the question');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await first.waitFor();
  assert.equal(await isSeen(), true);
});

test('scrolls to a preview below the top bar on small screens', skip, async () => {
  await page.goto(`${stage.url}/offers`);
  await page.getByRole('grid').getByRole('row').nth(1).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Close preview' }).waitFor();
  await page.waitForFunction(() => (document.querySelector('#page')?.scrollTop ?? 0) > 0);
  assert.equal(await page.evaluate('document.documentElement.scrollTop'), 0);
  assert.equal(
    await page.evaluate('document.documentElement.scrollHeight - innerHeight'),
    0,
    'the window has no rest to scroll to',
  );
});

test('makes cards as high as their texts', skip, async () => {
  await page.goto(`${stage.url}/policies`);
  const grid = page.getByRole('grid');
  await grid.getByRole('row').nth(2).waitFor();
  const cut = await grid.evaluate((element) =>
    [...element.querySelectorAll('[data-value]')]
      .filter((value) => value.scrollWidth > value.clientWidth || value.scrollHeight > value.clientHeight)
      .map(({ textContent }) => textContent),
  );
  assert.deepEqual(cut, []);
  const rows = await grid.evaluate((element) =>
    [...element.querySelectorAll('[role="row"][data-index]')]
      .map((row) => row.getBoundingClientRect())
      .map(({ top, bottom }) => ({ top, bottom })),
  );
  assert.ok(new Set(rows.map(({ top, bottom }) => Math.round(bottom - top))).size > 1, 'some say more than others');
  for (const [at, { top }] of rows.entries()) {
    const above = rows[at - 1];
    if (above !== undefined) assert.ok(Math.abs(top - above.bottom) < 1, 'each begins where the one above ends');
  }
});

test('clears the browser at sign-out, and closes the pages in every tab', skip, async () => {
  assert.ok((await stored()) > 0, 'the theme was kept');
  const other = await page.context().newPage();
  other.setDefaultTimeout(patienceMs);
  await other.goto(`${stage.url}/customers/CM-000031`);
  await other.getByRole('heading', { level: 1, name: 'CM-000031' }).waitFor();
  await page.getByRole('button', { name: /'s account$/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/login**');
  await other.waitForURL('**/login**');
  assert.equal(await other.getByText('CM-000031').count(), 0);
  assert.equal(await stored(), 0);
  await page.goto(`${stage.url}/decisions`);
  await page.waitForURL('**/login?returnTo=*');
});
