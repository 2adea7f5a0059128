// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// Pinned and recent records; tables and files of charts.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { cannotBrowse, holdEachJourney, openStage, type Stage, says } from './browser.ts';
import { mailedToken } from './mail.ts';

let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };

interface Named {
  readonly id: string;
  readonly name: string;
}
let offers: readonly Named[] = [];
let decisionId = '';
const customerId = 'CM-000031';

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open();
  page.setDefaultTimeout(60_000);
  await page.goto(stage.firstRun);
  offers = (await stage.call('GET', 'offers?limit=5')).data as readonly Named[];
  // Two decisions for a customer, by API key: the first steps are done, and this is a return.
  const decide = async () =>
    String((await stage.call('POST', 'recommend', { customerId, channel: 'email' })).recommendationId);
  decisionId = await decide();
  await decide();
});
holdEachJourney(() => stage);
after(() => stage?.close());

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const list = (name: 'Pinned' | 'Recent') => page.getByRole('region', { name, exact: true });
const pinButton = () => page.getByRole('button', { name: 'Pin', exact: true });
const isPinned = (yes: boolean) => page.locator(`button[aria-label="Pin"][aria-pressed="${yes}"]`).waitFor();
const stored = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));

async function goHome(): Promise<void> {
  await page.locator('h1').first().click();
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await page.locator('h1:has-text("decide, see why, prove it")').waitFor();
}

/** Reopens the page, so that it loads its data again. */
async function comeBack(): Promise<void> {
  await page.goto(`${stage.url}/`);
  await page.locator('h1:has-text("decide, see why, prove it")').waitFor();
}

async function openOffer({ id, name }: Named): Promise<void> {
  await page.goto(`${stage.url}/offers/${id}`);
  await heading(name).waitFor();
}

async function openPalette(): Promise<Locator> {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search and commands' });
  await palette.getByRole('combobox').waitFor();
  return palette;
}

test('pins a record with P, and lists it on Home and in the palette', skip, async () => {
  const [first, second] = offers;
  assert.ok(first && second);
  await openOffer(second);
  await openOffer(first);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Pin or unpin record').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' });
  await isPinned(false);
  await says(page, 'Pinned to Home', () => page.keyboard.press('p'));
  await isPinned(true);
  await goHome();
  await page.reload();
  await list('Pinned')
    .getByRole('link', { name: new RegExp(`^${first.name} Offer`) })
    .waitFor();
  // Pinned records are also recent; the latest is first.
  const recents = list('Recent').getByRole('link');
  await recents.first().filter({ hasText: first.name }).waitFor();
  await recents.nth(1).filter({ hasText: second.name }).waitFor();
  // Before typing, each record once.
  const palette = await openPalette();
  await palette
    .getByRole('group', { name: 'Pinned' })
    .getByRole('option', { name: new RegExp(first.name) })
    .waitFor();
  await palette
    .getByRole('group', { name: 'Recent' })
    .getByRole('option', { name: new RegExp(second.name) })
    .waitFor();
  assert.equal(await palette.getByRole('option', { name: new RegExp(first.name) }).count(), 1);
  // Enter opens the first line.
  await page.keyboard.press('Enter');
  await heading(first.name).waitFor();
  await page.keyboard.press('p');
  await isPinned(false);
});

test('pins by button and by palette, and shows the latest name', skip, async () => {
  const [, , third] = offers;
  assert.ok(third);
  await openOffer(third);
  const palette = await openPalette();
  await palette.getByRole('combobox').fill('pin this offer');
  await palette.getByRole('option', { name: 'Pin this offer' }).waitFor();
  await page.keyboard.press('Enter');
  await isPinned(true);
  await pinButton().click();
  await isPinned(false);
  await pinButton().click();
  await isPinned(true);
  const renamed = `${third.name} renamed`;
  await stage.call('PUT', 'offers', { id: third.id, name: renamed });
  await comeBack();
  await list('Pinned')
    .getByRole('link', { name: new RegExp(`^${third.name} Offer`) })
    .click();
  await heading(renamed).waitFor();
  await goHome();
  await list('Pinned')
    .getByRole('link', { name: new RegExp(`^${renamed} Offer`) })
    .waitFor();
  await page.getByRole('button', { name: `Unpin ${renamed}` }).click();
  await list('Pinned').getByText('Nothing pinned yet.').waitFor();
});

test('keeps keys typed before the palette opens away from the page', skip, async () => {
  const [first] = offers;
  assert.ok(first);
  // Reload, so that the palette loads from the server.
  await openOffer(first);
  await isPinned(false);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('p');
  await page.getByRole('dialog', { name: 'Search and commands' }).getByRole('combobox').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Search and commands' }).waitFor({ state: 'detached' });
  await isPinned(false);
  assert.equal(await page.getByText('Pinned to Home').count(), 0);
});

test('stores no customers, and tells how long they stay pinned', skip, async () => {
  await page.goto(`${stage.url}/decisions/${decisionId}`);
  await heading(`Decision for ${customerId}`).waitFor();
  await page.keyboard.press('p');
  await isPinned(true);
  await page.getByRole('link', { name: customerId, exact: true }).first().click();
  await heading(customerId).waitFor();
  await pinButton().waitFor();
  await says(page, 'Pinned until you reload or close this page', () => page.keyboard.press('p'));
  await goHome();
  await list('Pinned')
    .getByRole('link', { name: new RegExp(`^${customerId} Customer`) })
    .waitFor();
  await list('Pinned').getByText("The browser doesn't store anything that identifies them").waitFor();
  await list('Recent')
    .getByRole('link', { name: new RegExp(`^${customerId} Customer`) })
    .waitFor();
  const storedText = await stored();
  assert.doesNotMatch(storedText, /CM-\d/);
  assert.match(storedText, new RegExp(decisionId));
  await page.reload();
  const decision = list('Pinned').getByRole('link', { name: /^[0-9a-f]{8}…[0-9a-f]{4} Decision/ });
  await decision.waitFor();
  assert.equal(await list('Pinned').getByRole('link').count(), 1, 'the customer went with the page');
  await decision.click();
  await heading(`Decision for ${customerId}`).waitFor();
  await page.keyboard.press('p');
  await isPinned(false);
});

test('marks a deleted record, and unpins it on its page and on Home', skip, async () => {
  const createOffer = async (name: string): Promise<Named> => {
    const { id } = await stage.call('POST', 'offers', { name, categoryId: await categoryId() });
    return { id: String(id), name };
  };
  const [one, other] = [await createOffer('Short lived'), await createOffer('Short lived too')];
  for (const record of [one, other]) {
    await openOffer(record);
    await page.keyboard.press('p');
    await isPinned(true);
    await stage.call('DELETE', `offers?id=${record.id}`);
  }
  await comeBack();
  await list('Pinned')
    .getByRole('link', { name: /^Short lived Offer/ })
    .click();
  await page.getByText('The pinned offer Short lived was deleted.').waitFor();
  await page.getByRole('button', { name: 'Unpin' }).click();
  await page.getByText('The pinned offer Short lived was deleted.').waitFor({ state: 'detached' });
  await goHome();
  await list('Pinned')
    .getByRole('link', { name: /^Short lived too Offer/ })
    .click();
  await page.getByText('The pinned offer Short lived too was deleted.').waitFor();
  await goHome();
  await list('Pinned')
    .getByRole('link', { name: /^Short lived too Offer deleted/ })
    .waitFor();
  assert.equal(await list('Recent').getByText('Short lived').count(), 0);
  await page.getByRole('button', { name: 'Unpin Short lived too' }).click();
  await list('Pinned').getByText('Nothing pinned yet.').waitFor();
});

async function categoryId(): Promise<string> {
  const [first] = (await stage.call('GET', 'categories?limit=1')).data as readonly Named[];
  return first?.id ?? '';
}

test('rejects a pin beyond the limit, and says why', skip, async () => {
  const [first, second] = offers;
  assert.ok(first && second);
  await openOffer(first);
  await page.keyboard.press('p');
  await isPinned(true);
  // As if the user had pinned 49 more.
  await page.evaluate(() => {
    const name = Object.keys(localStorage).find((each) => each.endsWith(':pins')) ?? '';
    const [pin] = JSON.parse(localStorage.getItem(name) ?? '[]');
    const more = Array.from({ length: 49 }, (_, at) => ({ ...pin, id: `${pin.id}${at}`, name: `Pin ${at}` }));
    localStorage.setItem(name, JSON.stringify([pin, ...more]));
  });
  await openOffer(second);
  const full = 'You can pin up to 50 records';
  await page.keyboard.press('p');
  await page.getByRole('status').getByText(full).waitFor();
  assert.equal(await pinButton().getAttribute('aria-disabled'), 'true');
  assert.equal(await pinButton().getAttribute('aria-pressed'), 'false');
  await goHome();
  // By key: parts of Home that load later move the button, so a click could miss it.
  await list('Pinned').getByRole('button', { name: 'Show all 50' }).press('Enter');
  await list('Pinned').getByRole('link').nth(49).waitFor();
  assert.equal(await list('Pinned').getByRole('link').count(), 50);
});

test('hides pins from another user, and forgets them at sign-out', skip, async () => {
  const email = 'second@example.test';
  await stage.call('POST', 'users', { email, role: 'viewer' });
  const token = await mailedToken(stage, email, 'accept-invite');
  // The session ended without a sign-out.
  await page.context().clearCookies();
  const accepted = await page.request.post(`${stage.url}/api/v1/auth/accept-invite`, {
    headers: { 'x-requested-with': 'journey' },
    data: { token, name: 'Second', password: 'Passw0rd-of-second' },
  });
  assert.ok(accepted.ok(), await accepted.text());
  assert.match(await stored(), /:pins/);
  const [first] = offers;
  assert.ok(first);
  await openOffer(first);
  await isPinned(false);
  await goHome();
  await list('Recent').getByRole('link').first().waitFor();
  assert.equal(await list('Recent').getByRole('link').count(), 1);
  await list('Pinned').getByText('Nothing pinned yet.').waitFor();
  await page.getByRole('button', { name: /'s account$/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/login**');
  assert.doesNotMatch(await stored(), /arbiter:/);
  const [, admin = '', password = ''] = /^sign in\s+(\S+) with password (\S+)/m.exec(stage.output()) ?? [];
  const back = await page.request.post(`${stage.url}/api/v1/auth/login`, {
    headers: { 'x-requested-with': 'journey' },
    data: { email: admin, password },
  });
  assert.ok(back.ok(), await back.text());
});

/** Selects an item in the menu of a chart. */
async function choose(title: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `${title}: view and export` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

async function saved(title: string, item: string): Promise<{ readonly name: string; readonly text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), choose(title, item)]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

/** Reads a file as an image viewer does, without the page: its size and texts. */
async function viewed(
  text: string,
): Promise<{ readonly width: number; readonly root: string; readonly texts: readonly string[] }> {
  const apart = await page.context().newPage();
  try {
    return await apart.evaluate(async (svg) => {
      const picture = new Image();
      picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
      await picture.decode();
      const file = new DOMParser().parseFromString(svg, 'image/svg+xml');
      const named = (name: string) => [...file.getElementsByTagName(name)].map(({ textContent }) => textContent ?? '');
      return {
        width: picture.naturalWidth,
        root: `${file.documentElement.namespaceURI} ${file.documentElement.localName}`,
        texts: [...named('title').slice(0, 1), ...named('desc'), ...named('text')],
      };
    }, text);
  } finally {
    await apart.close();
  }
}

/** A picture is standalone: no style sheet, no variables, no addresses. */
const standsAlone = (svg: string) => assert.doesNotMatch(svg, /var\(|class=|href|style=|data-|light-dark/);

test("charts the demo's impressions and responses up to today on Home", skip, async () => {
  await page.goto(`${stage.url}/`);
  const title = 'Impressions and conversions by day';
  const figure = page.getByRole('figure', { name: title });
  await figure.getByText(/[1-9][\d,]* impressions and [1-9][\d,]* conversions in 30 days/).waitFor();
  const csv = await saved(title, 'Download CSV');
  const [head, ...rows] = csv.text.replace('\ufeff', '').trimEnd().split('\r\n');
  assert.equal(head, 'Day,Impressions,Conversions');
  const lastWeek = rows.slice(-7).map((row) => Number(row.split(',')[1]));
  assert.ok(
    lastWeek.some((impressions) => impressions > 0),
    String(lastWeek),
  );
});

test('offers a chart as a table, a CSV file and a standalone picture, in both themes', skip, async () => {
  const title = 'Decisions by day';
  // Decisions are counted a moment later.
  const isCounted = async () =>
    Number((await stage.call('GET', 'dashboards/decision-health/summary?days=30')).decisions) > 0;
  const until = performance.now() + 120_000;
  while (!(await isCounted()) && performance.now() < until) await page.waitForTimeout(500);
  await page.goto(`${stage.url}/`);
  const figure = page.getByRole('figure', { name: title });
  await figure.getByRole('link').last().waitFor();
  await choose(title, 'Show as table');
  const table = figure.getByRole('table');
  await table.waitFor();
  assert.equal(await table.getByRole('row').count(), 31);
  const csv = await saved(title, 'Download CSV');
  assert.match(csv.name, /^decisions-by-day-\d{4}-\d\d-\d\d\.csv$/);
  const [head, ...rows] = csv.text.replace('\ufeff', '').trimEnd().split('\r\n');
  assert.equal(head, 'Day,Decisions');
  assert.equal(rows.length, 30);
  assert.match(rows.at(-1) ?? '', /^\d{4}-\d\d-\d\d,[1-9]\d*$/);
  // The mark links to the same decisions as the row: those of the day.
  const today = (rows.at(-1) ?? '').split(',')[0] ?? '';
  const drill = await table.getByRole('link').last().getAttribute('href');
  const tomorrow = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10);
  assert.equal(drill, `/decisions?from=${today}&to=${tomorrow}`);
  for (const [theme, ground] of [
    ['dark', '#161a18'],
    ['light', '#ffffff'],
  ] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.evaluate((chosen) => {
      document.documentElement.dataset.theme = chosen;
    }, theme);
    // Also while the table is shown: the chart renders for the file, and the table returns at once.
    const svg = await saved(title, 'Download SVG');
    assert.match(svg.name, /^decisions-by-day-\d{4}-\d\d-\d\d\.svg$/);
    standsAlone(svg.text);
    assert.match(svg.text, new RegExp(`<desc>.*</desc><rect [^>]*fill="${ground}"`));
    const seen = await viewed(svg.text);
    assert.equal(seen.root, 'http://www.w3.org/2000/svg svg');
    assert.ok(seen.width > 300, String(seen.width));
    assert.ok(seen.texts.includes(title) && seen.texts.some((text) => text.startsWith('Days in ')), seen.texts.join());
    await table.waitFor();
  }
  await choose(title, 'Show as chart');
  await figure.getByRole('link').last().click();
  await page.waitForURL(`**/decisions?from=${today}&to=${tomorrow}`);
});

test('exports the funnel and the score, and filters the list from a step', skip, async () => {
  await page.goto(`${stage.url}/decisions/${decisionId}`);
  await heading(`Decision for ${customerId}`).waitFor();
  const title = 'From candidates to result';
  const csv = await saved(title, 'Download CSV');
  assert.match(csv.text, /^\ufeffStep,Remaining,Dropped,Why\r\n[^\r]+,\d+,0,\r\n/);
  const svg = await saved(title, 'Download SVG');
  standsAlone(svg.text);
  const seen = await viewed(svg.text);
  assert.ok(seen.texts[0] === title && seen.texts[1]?.includes(' candidates;'), seen.texts.join());
  await choose(title, 'Show as table');
  const figure = page.getByRole('figure', { name: title });
  await figure.getByRole('table').getByRole('link').first().click();
  await page.waitForURL(/[?&]step=/);
  await choose(title, 'Show as chart');
  await page.getByRole('button', { name: 'Show all', exact: true }).click();
  const score = page.getByRole('figure', { name: /^Score of / });
  const name = (await score.locator('p').first().textContent()) ?? '';
  const factors = await saved(name, 'Download CSV');
  assert.match(factors.text, /^\ufeffFactor,Value,Exponent,/);
  assert.match(factors.text, /\r\nScore,,,0\.\d+/);
  const bars = await saved(name, 'Download SVG');
  standsAlone(bars.text);
  assert.ok((await viewed(bars.text)).texts.includes(name));
});

test("draws a customer's limits over time, with the decision behind each contact", skip, async () => {
  await page.goto(`${stage.url}/customers/${customerId}?tab=limits`);
  const title = 'Contacts and limits';
  const figure = page.getByRole('figure', { name: title });
  await figure.waitFor();
  const csv = await saved(title, 'Download CSV');
  assert.match(csv.text, /^\ufeffFrom,To,Lane,Event\r\n\d{4}-\d\d-\d\dT[\d:.]+Z,/);
  standsAlone((await saved(title, 'Download SVG')).text);
});

test('waits for the name of a blocking policy', skip, async () => {
  const { promise: named, resolve: giveNames } = Promise.withResolvers<void>();
  const names = '**/api/v1/contact-policies/*';
  await page.route(names, async (route) => {
    await named;
    await route.continue();
  });
  try {
    await page.goto(`${stage.url}/customers/${customerId}?tab=limits`);
    const policies = page.locator('main li a[href*="/policies/"]');
    await policies.first().waitFor({ state: 'attached' });
    const waiting = await policies.evaluateAll((links) =>
      links.flatMap((link, at) => (link.textContent === '' ? [at] : [])),
    );
    assert.ok(waiting.length > 0, 'a name is on its way');
    const texts = await policies.allTextContents();
    for (const text of texts) assert.doesNotMatch(text, /[0-9a-f]{4,}[-…]/);
    giveNames();
    for (const at of waiting)
      await policies
        .nth(at)
        .filter({ hasText: /[A-Za-z]{3}/ })
        .waitFor();
  } finally {
    giveNames();
    await page.unroute(names);
  }
});
