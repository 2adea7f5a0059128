// What all lists share: columns, row height, saved views, files, deleted records, row previews.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Locator, Page, Response } from 'playwright-core';
import { recordKinds } from '../../../packages/console/src/records/record-kinds.ts';
import { isInTurn } from '../../form.ts';
import { cannotBrowse, holdEachJourney, openStage, type Stage, says } from './browser.ts';
import { mailedToken } from './mail.ts';
import { placesOf, settled } from './places.ts';

let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open();
  page.setDefaultTimeout(60_000);
  await page.goto(stage.firstRun);
});
holdEachJourney(() => stage);
after(() => stage?.close());

const grid = (on: Page = page) => on.getByRole('grid').first();
const panel = (on: Page = page) => on.getByRole('dialog', { name: /^View options for / });

async function go(address: string, on: Page = page): Promise<void> {
  await on.goto(`${stage.url}${address}`);
  await settled(on);
}

/** Returns the heads of the columns, in order. The one of the checkboxes has no text. */
const heads = (on: Page = page): Promise<string[]> =>
  grid(on)
    .getByRole('columnheader')
    .evaluateAll((cells) => cells.map(({ textContent }) => textContent?.trim() ?? '').filter((text) => text !== ''));

/** Waits for these heads. */
async function showsColumns(wanted: readonly string[], on: Page = page): Promise<void> {
  await on.waitForFunction(
    (text) =>
      [...(document.querySelector('[role="grid"]')?.querySelectorAll('[role="columnheader"]') ?? [])]
        .map(({ textContent }) => textContent?.trim())
        .filter((head) => head !== '')
        .join() === text,
    wanted.join(),
  );
}

/** Returns the first column of the rendered rows, from the top. */
const names = (of: Locator): Promise<string[]> =>
  of
    .getByRole('rowheader')
    .evaluateAll((cells) =>
      cells
        .toSorted(
          (one, other) =>
            Number(one.closest('[role="row"]')?.getAttribute('aria-rowindex')) -
            Number(other.closest('[role="row"]')?.getAttribute('aria-rowindex')),
        )
        .map(({ textContent }) => textContent?.trim() ?? ''),
    );

/** Waits until these names come first. */
async function showsRows(wanted: readonly string[], on: Page = page): Promise<void> {
  const deadline = Date.now() + 60_000;
  while ((await names(grid(on))).join() !== wanted.join()) {
    if (Date.now() > deadline) assert.deepEqual(await names(grid(on)), wanted);
    await on.waitForTimeout(50);
  }
}

interface Saved {
  readonly name: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Clicks a button that saves a file, and reads it. */
async function save(button: Locator, on: Page = page): Promise<Saved> {
  const [download] = await Promise.all([on.waitForEvent('download'), button.click()]);
  const [first = [], ...rows] = cellsOf(await readFile(await download.path(), 'utf8'));
  return { name: download.suggestedFilename(), heads: first, rows };
}

/** The cells of a CSV file (RFC 4180), read without the code that wrote it. */
function cellsOf(text: string): string[][] {
  assert.equal(text.charCodeAt(0), 0xfeff, 'the byte order mark tells spreadsheets that it is UTF-8');
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.slice(1).matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

test('shows, hides and moves columns by keys, and keeps them across reloads', skip, async () => {
  await go('/offers');
  const all = await heads();
  assert.deepEqual(all.slice(0, 4), ['Name', 'Status', 'Category', 'Priority']);
  await page.keyboard.press('v');
  await panel().waitFor();
  const box = (name: string) => panel().getByRole('checkbox', { name });
  assert.equal(await box('Name').isDisabled(), true, 'the first column stays');
  await panel().locator('input:focus').waitFor();
  // The first changeable column has the focus: Status. Tab moves on, over the buttons.
  while (!(await box('Category').evaluate((it) => it === document.activeElement))) await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await showsColumns(all.filter((head) => head !== 'Category'));
  assert.equal(
    await box('Category').evaluate((it) => it === document.activeElement),
    true,
    'its line has moved with it',
  );
  while (!(await box('Priority').evaluate((it) => it === document.activeElement)))
    await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Alt+ArrowUp');
  await panel().getByText('Priority is column 2 of 8').waitFor({ state: 'attached' });
  assert.equal(
    await box('Priority').evaluate((it) => it === document.activeElement),
    true,
    'and is there to be moved on',
  );
  const chosen = ['Name', 'Priority', 'Status', ...all.slice(4)];
  await showsColumns(chosen);
  await page.keyboard.press('Escape');
  await panel().waitFor({ state: 'detached' });
  await page.locator('button[aria-label="View options for offers"]:focus').waitFor();
  await page.reload();
  await settled(page);
  await showsColumns(chosen);
  // The browser stores it for every way in; others get it from the address.
  await go('/offers');
  await showsColumns(chosen);
  await page.getByRole('button', { name: 'View options for offers' }).click();
  await panel().getByRole('button', { name: 'Move Status down' }).click();
  await panel().locator('button[aria-label="Move Status down"]:focus').waitFor();
  await panel().getByRole('button', { name: 'Reset columns' }).click();
  await showsColumns(all);
  assert.doesNotMatch(page.url(), /columns=/);
});

test('handles two clicks in the same moment', skip, async () => {
  await go('/offers');
  const all = await heads();
  const priority = grid().getByRole('columnheader', { name: 'Priority' });
  const twice = async (where: Locator) =>
    where.evaluate((it) => {
      for (let n = 0; n < 2; n += 1) (it as unknown as { click(): void }).click();
    });
  await twice(priority.getByRole('button'));
  await page.waitForURL(/sort=-priority/);
  await page.keyboard.press('v');
  await panel().waitFor();
  await page.evaluate(() => {
    for (const name of ['Category', 'Schedule'])
      [...document.querySelectorAll<HTMLInputElement>('input[data-part="shown"]')]
        .find((it) => it.closest('label')?.textContent === name)
        ?.click();
  });
  await showsColumns(all.filter((head) => head !== 'Category' && head !== 'Schedule'));
  await panel().getByRole('button', { name: 'Reset columns' }).click();
  await showsColumns(all);
  await page.keyboard.press('Escape');
});

test('applies the row height to every table and to cards', skip, async () => {
  const height = async () => (await grid().getByRole('row').nth(1).boundingBox())?.height;
  await go('/offers');
  assert.equal(await height(), 40);
  await page.keyboard.press('v');
  await panel().getByRole('radio', { name: 'Compact' }).click();
  await page.waitForFunction(() => document.querySelectorAll('[role="row"]')[1]?.getBoundingClientRect().height === 32);
  await go('/creatives');
  assert.equal(await height(), 32);
  await page.setViewportSize({ width: 390, height: 844 });
  await settled(page);
  const compact = (await height()) ?? 0;
  await page.getByRole('button', { name: 'View options for creatives' }).click();
  await panel().getByRole('radio', { name: 'Comfortable' }).click();
  await page.waitForFunction(
    (before) => (document.querySelectorAll('[role="row"]')[1]?.getBoundingClientRect().height ?? 0) > before,
    compact,
  );
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('saves, finds, shares, updates, renames and deletes a view', skip, async () => {
  await go('/offers?status=active');
  await grid().getByRole('columnheader', { name: 'Priority' }).getByRole('button').click();
  await grid().getByRole('columnheader', { name: 'Priority' }).getByRole('button').click();
  await page.waitForURL(/sort=-priority/);
  await page.keyboard.press('v');
  await panel().getByRole('checkbox', { name: 'Schedule' }).uncheck();
  await panel().getByRole('button', { name: 'Save view' }).click();
  await panel().getByText('Enter a name.').waitFor();
  await panel().getByLabel('View name').fill('What runs');
  await panel().getByRole('button', { name: 'Save view' }).click();
  await panel().getByText('current').waitFor();
  await page.keyboard.press('Escape');
  const shown = { heads: await heads(), names: await names(grid()) };
  assert.equal(shown.heads.includes('Schedule'), false);
  const link = page.getByRole('link', { name: 'Open view: What runs' });
  assert.equal(await link.getAttribute('aria-current'), 'true');
  const address = String(await link.getAttribute('href'));

  // A viewer, in a browser without stored values.
  const other = await viewer();
  await other.goto(new URL(address, stage.url).href);
  await settled(other);
  await showsColumns(shown.heads, other);
  await showsRows(shown.names, other);
  assert.equal(await other.getByLabel('Status').inputValue(), 'active');
  assert.equal(
    (await save(other.getByRole('button', { name: /^Download .* as CSV$/ }), other)).rows.length,
    shown.names.length,
  );
  await other.context().close();

  // With other filters it isn't the current view; the palette has it on its page.
  await go('/offers');
  assert.equal(await link.getAttribute('aria-current'), null);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('what runs');
  await page.getByRole('option', { name: 'Open view: What runs' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/status=active/);
  await showsColumns(shown.heads);
  await showsRows(shown.names);

  await page.getByLabel('Status').selectOption('draft');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'View options for offers' }).click();
  await says(page, 'Updated What runs', () =>
    panel().getByRole('button', { name: 'Overwrite What runs with the current view' }).click(),
  );
  await panel().getByRole('button', { name: 'Rename What runs' }).click();
  await panel().getByLabel('New name for What runs').fill('Drafts');
  await page.keyboard.press('Enter');
  await panel().getByRole('link', { name: 'Drafts' }).waitFor();
  await page.keyboard.press('Escape');
  await go('/offers');
  await page.getByRole('link', { name: 'Open view: Drafts' }).click();
  await page.waitForURL(/status=draft/);
  await page.getByRole('button', { name: 'View options for offers' }).click();
  await says(page, 'Deleted Drafts', () => panel().getByRole('button', { name: 'Delete Drafts' }).click());
  await page.getByRole('link', { name: 'Open view: Drafts' }).waitFor({ state: 'detached' });
  assert.equal(
    await panel()
      .getByLabel('View name')
      .evaluate((it) => it === document.activeElement),
    true,
  );
  await panel().getByRole('button', { name: 'Reset columns' }).click();
  await page.keyboard.press('Escape');
});

/** A page of a viewer. */
async function viewer(): Promise<Page> {
  const other = await stage.open();
  other.setDefaultTimeout(60_000);
  const email = 'reads-lists@example.test';
  await stage.call('POST', 'users', { email, role: 'viewer' });
  const token = await mailedToken(stage, email, 'accept-invite');
  await other.request.post(`${stage.url}/api/v1/auth/accept-invite`, {
    headers: { 'x-requested-with': 'journey' },
    data: { token, name: 'Viewer', password: 'Passw0rd-of-viewer' },
  });
  return other;
}

test('reuses the elements of rows while scrolling', skip, async () => {
  await go('/customers');
  const members = page.getByRole('grid', { name: 'Rows of Coffee members' });
  const rows = members.getByRole('rowgroup').last().getByRole('row');
  await rows.nth(10).waitFor();
  const drawn = await rows.evaluateAll((elements) => {
    for (const element of elements) element.setAttribute('data-marked', '');
    return elements.length;
  });
  // The last of the first 50 rows.
  await members.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await members.locator('[role="row"][aria-rowindex="48"]').waitFor();
  const places = await rows.evaluateAll((elements) =>
    elements
      .filter((element) => element.hasAttribute('data-marked'))
      .map((element) => Number(element.getAttribute('aria-rowindex'))),
  );
  // There are a few more elements than visible rows, so some may be new.
  assert.ok(places.length > drawn / 2, `${places.length} of ${drawn} elements stay`);
  assert.ok(Math.min(...places) > drawn, `rows ${places}`);
});

test('makes no failing call on the page of a flow', skip, async () => {
  const refused: string[] = [];
  const note = (answer: Response): void => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
  };
  const flows = (await stage.call('GET', 'decision-flows?limit=1')).data as readonly { readonly id: string }[];
  const nodes = [
    { id: 'offers', type: 'inventory', config: {} },
    { id: 'creatives', type: 'match_creatives', config: {} },
  ];
  const draft = await stage.call('POST', 'decision-flows', {
    key: 'unscored',
    name: 'Unscored',
    draftConfig: { version: 2, nodes },
  });
  page.on('response', note);
  try {
    await go(`/flows/${flows[0]?.id}?customer=&channel=email`);
    // Without a scoring method it can't decide.
    await go(`/flows/${draft.id}?version=draft&customer=CM-000001`);
    await stage.call('DELETE', `decision-flows?id=${draft.id}`);
    await go(`/flows/${draft.id}?tab=versions&customer=CM-000001`);
  } finally {
    page.off('response', note);
  }
  assert.deepEqual(refused, []);
});

test('shows the warnings of a record, and fixes what it can', skip, async () => {
  const policy = await stage.call('POST', 'contact-policies', {
    name: 'Twice a week, misspelled',
    ruleType: 'frequency_cap',
    scope: 'global',
    config: { perWeek: 2 },
  });
  await go(`/policies/${policy.id}`);
  await page.getByText('2 settings need attention').waitFor();
  await page.getByText('Did you mean maxPerWeek?').waitFor();
  await page.getByText('No limit is set, so nothing is capped. Set maxPerDay').waitFor();
  await stage.call('DELETE', `contact-policies?id=${policy.id}`);

  const key = { name: 'person_id', displayName: 'Person', dataType: 'varchar', length: 64, isPrimaryKey: true };
  const schema = await stage.call('POST', 'schemas', {
    name: 'walk_ins',
    displayName: 'Walk-ins',
    schemaType: 'customer',
    fields: [{ ...key, isNullable: false }],
  });
  await stage.call('POST', `schemas/${schema.id}/data`, { rows: [{ person_id: 'W-1' }] });
  await go(`/data/schemas/${schema.id}`);
  await page.getByText('1 setting needs attention').waitFor();
  await page.getByRole('button', { name: 'Use these rows in decisions' }).click();
  await page.getByText('1 setting needs attention').waitFor({ state: 'detached' });
  assert.equal((await stage.call('GET', `schemas/${schema.id}`)).autoEnrich, true);
  await stage.call('DELETE', `schemas?id=${schema.id}`);
});

test("doesn't save views that identify a customer", skip, async () => {
  await go('/decisions?customerId=CM-000031');
  await page.keyboard.press('v');
  await panel().getByText("the browser doesn't store customer data", { exact: false }).waitFor();
  assert.equal(await panel().getByRole('button', { name: 'Save view' }).count(), 0);
  await panel().getByRole('button', { name: 'Copy link to this view' }).waitFor();
  const storedText = await page.evaluate(() => JSON.stringify({ ...localStorage }));
  assert.doesNotMatch(storedText, /CM-0/);
});

test('exports the rows as shown, without formulas', skip, async () => {
  await stage.call('POST', 'offers', { name: '=HYPERLINK("http://example.test")', status: 'draft', priority: 99 });
  await go('/offers?sort=-priority');
  const shown = await names(grid());
  assert.equal(shown[0], '=HYPERLINK("http://example.test")');
  const button = page.getByRole('button', { name: /^Download .* as CSV$/ });
  assert.equal(await button.getAttribute('aria-label'), `Download all ${shown.length} rows as CSV`);
  const { name, heads: fileHeads, rows } = await save(button);
  assert.match(name, /^offers-\d{4}-\d{2}-\d{2}\.csv$/);
  // The ID is last.
  const figures = ['Shown in 7 days', 'Conversion rate'];
  const before = ['Name', 'Status', 'Category', 'Priority', 'Schedule', 'Budget'];
  assert.deepEqual(fileHeads, [...before, ...figures, 'Creatives', 'id']);
  assert.deepEqual(
    rows.map(([first]) => first),
    shown.map((each) => (each.startsWith('=') ? `'${each}` : each)),
  );
  const { data } = await stage.call('GET', 'offers?limit=100');
  const offers = data as readonly { readonly id: string; readonly name: string; readonly priority: number }[];
  assert.deepEqual(
    rows.map((row) => [row[3], row.at(-1)]),
    offers.toSorted((one, other) => other.priority - one.priority).map(({ priority, id }) => [String(priority), id]),
  );
});

test('exports the names of linked records', skip, async () => {
  await go('/rules');
  const { heads: fileHeads, rows } = await save(page.getByRole('button', { name: /^Download .* as CSV$/ }));
  const column = (head: string) => rows.map((row) => row[fileHeads.indexOf(head)] ?? '');
  assert.ok(column('Applies to').includes('offer App Install Treat'), column('Applies to').join('; '));
  assert.ok(column('Condition').includes('Member of High Value Members'), column('Condition').join('; '));
});

test('marks the file of a partly loaded list', skip, async () => {
  const { data } = await stage.call('GET', 'schemas?limit=100');
  const members = (data as readonly { readonly id: string; readonly name: string }[]).find(
    ({ name }) => name === 'coffee_members',
  );
  await go(`/data/schemas/${members?.id}?tab=rows`);
  const button = page.getByRole('button', { name: 'Download 200 of 1,000 rows as CSV' });
  let saved: Saved | undefined;
  await says(page, 'Downloaded 200 of 1,000 rows. Load more rows to include them.', async () => {
    saved = await save(button);
  });
  assert.match(saved?.name ?? '', /-200-of-1000-/);
  assert.equal(saved?.rows.length, 200);
});

/** Deletes a record; the response has no body. */
async function remove(path: string): Promise<void> {
  const answer = await fetch(`${stage.url}/api/v1/${path}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${stage.apiKey}`, 'x-requested-with': 'journey' },
  });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
}

test('lists deleted records on demand, and opens those that the API returns', skip, async () => {
  const { id } = await stage.call('POST', 'offers', { name: 'Gone Tomorrow', status: 'draft' });
  await remove(`offers/${String(id)}`);
  const { id: rule } = await stage.call('POST', 'qualification-rules', {
    name: 'Gone Rule',
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    scope: 'global',
    config: { attribute: 'age', operator: 'gte', value: 3 },
  });
  await remove(`qualification-rules/${String(rule)}`);
  await go('/offers');
  assert.equal((await names(grid())).includes('Gone Tomorrow'), false);
  await page.getByRole('checkbox', { name: 'Include deleted' }).check();
  await page.waitForURL(/includeDeleted=true/);
  const row = grid().getByRole('row', { name: /Gone Tomorrow/ });
  await row.getByText('deleted', { exact: true }).waitFor();
  const { heads: fileHeads, rows } = await save(page.getByRole('button', { name: /^Download .* as CSV$/ }));
  assert.deepEqual(fileHeads.slice(-2), ['deletedAt', 'id']);
  const deletedRows = rows.filter((each) => each.at(-2) !== '');
  assert.deepEqual(
    deletedRows.map((each) => [each[0], each.at(-1)]),
    [['Gone Tomorrow', id]],
  );
  assert.match(deletedRows[0]?.at(-2) ?? '', /^\d{4}-\d{2}-\d{2}T/);
  await row.click();
  await page.getByText(/^This offer was deleted on/).waitFor();

  await go('/rules?includeDeleted=true');
  await page.getByText("Deleted qualification rules are listed but can't be opened", { exact: false }).waitFor();
  const old = grid().getByRole('row', { name: /Gone Rule/ });
  await old.getByText('deleted', { exact: true }).waitFor();
  assert.equal(await old.getByRole('link').count(), 0, 'no link leads nowhere');
  // Records without soft deletion have no such switch.
  await go('/segments');
  assert.equal(await page.getByRole('checkbox', { name: 'Include deleted' }).count(), 0);
});

test('gives a preview an address, and shows the hidden columns in it', skip, async () => {
  await go('/offers?columns=name,status');
  await showsColumns(['Name', 'Status']);
  const [first = ''] = await names(grid());
  await grid().focus();
  await page.keyboard.press('Space');
  await page.waitForURL(/peek=/);
  const look = page.getByRole('region', { name: first });
  await look.getByText('Priority').waitFor();
  await page.reload();
  await look.getByText('Priority').waitFor();
  await look.getByRole('button', { name: 'Close preview' }).click();
  await look.waitFor({ state: 'detached' });
  await go('/offers?peek=nobody');
  await page.getByText("This row was removed or doesn't match the filters.").waitFor();
});

test("shows a filter without a field as a chip with the record's name", skip, async () => {
  const { data } = await stage.call('GET', 'offers?limit=1');
  const [offer] = data as readonly { readonly id: string; readonly name: string }[];
  await go(`/creatives?offerId=${offer?.id}`);
  const chip = page.getByText(offer?.name ?? '', { exact: true }).first();
  await chip.waitFor();
  await page.getByRole('button', { name: 'Remove filter Offer' }).click();
  await page.waitForURL((url) => !url.search.includes('offerId'));
});

/** Text of a cell without a value. */
const nothing = new Set(['', '–', 'not set', 'checking']);

/** A run downloads a third of the lists. */
const isInRun = (name: string): boolean => isInTurn(name, 3);

test('exports the text of every cell in every list', skip, async () => {
  const found: string[] = [];
  const wrong: string[] = [];
  for (const { name, address, open } of await placesOf(stage)) {
    if (open || !isInRun(name)) continue;
    await go(address);
    const buttons = page.getByRole('button', { name: /^Download .* as CSV$/ });
    const count = await buttons.count();
    if (count === 0) continue;
    found.push(name);
    assert.equal(await page.getByRole('grid').count(), count, name);
    if (name === 'audit') await page.getByText(/rows verified in your browser/).waitFor();
    for (let at = 0; at < count; at += 1) {
      const { heads: fileHeads, rows } = await save(buttons.nth(at));
      const shown = await page.getByRole('grid').nth(at).evaluate(readGrid);
      const places = shown.heads.map((head) => fileHeads.findIndex((each) => each.replace(', ', '') === head));
      const silent = shown.heads.filter((head, column) => places[column] === -1 && head !== '' && head !== 'Decisions');
      if (silent.length > 0) wrong.push(`${name}: no column ${silent.join()} in the file`);
      assert.ok(shown.rows.length > 0, `${name} has rows`);
      for (const [index, cells] of shown.rows.entries()) {
        for (const [column, text] of cells.entries()) {
          const place = places[column] ?? -1;
          if (place === -1 || nothing.has(text)) continue;
          const value = rows[index]?.[place] ?? '';
          if (value === '') wrong.push(`${name}, row ${index}, ${shown.heads[column]}: ${text} is missing`);
          if (column === 0 && value.replace(/^'/, '') !== text)
            wrong.push(`${name}, row ${index}: ${value} and not ${text}`);
        }
      }
    }
  }
  assert.deepEqual(wrong, []);
  const ofKinds = Object.values(recordKinds).map(({ path }) => path.slice(1).replaceAll('/', '-'));
  const lists = [
    // Categories are a tree.
    ...ofKinds.filter((name) => name !== 'categories'),
    'audit',
    'customers-id-offers',
    'customers-id-summaries',
    'data-schemas-id-rows',
    'segments-id',
    'settings-api-keys',
    'settings-destinations',
    'settings-oauth-clients',
    'settings-people',
    'studies',
    'suppressions',
  ];
  assert.deepEqual(found.toSorted(), lists.filter(isInRun).toSorted());
});

/** Reads the heads and rows of a grid, in the order of the columns. Runs in the page. */
function readGrid(element: Element): { heads: string[]; rows: string[][] } {
  const inOrder = (row: Element | null, roles: string): string[] => {
    const cells = [...(row?.querySelectorAll(roles) ?? [])];
    const texts: string[] = [];
    for (const cell of cells) texts[Number(cell.getAttribute('aria-colindex')) - 1] = cell.textContent?.trim() ?? '';
    return texts;
  };
  const lines = [...element.querySelectorAll('[role="row"]')];
  const rows: string[][] = [];
  for (const line of lines.slice(1))
    rows[Number(line.getAttribute('aria-rowindex')) - 2] = inOrder(line, '[role="rowheader"], [role="gridcell"]');
  return { heads: inOrder(lines[0] ?? null, '[role="columnheader"]'), rows };
}
