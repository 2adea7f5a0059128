// Getting started: from an empty tenant and a CSV file to a published flow and an explained decision, on the home page. Also
// imports of a bad file, a stopped import and a lost server.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { shareOf } from '../../form.ts';
import { bankFile, noBank } from './bank.ts';
import { cannotBrowse, holdEachJourney, openStage, type Stage } from './browser.ts';
import { mailedToken } from './mail.ts';
import { settled, wear } from './places.ts';

declare global {
  /** The library's global in the page. */
  var axe: { run(options: RunOptions): Promise<AxeResults> };
}

let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
const withBank = cannotBrowse === false && noBank !== false ? { skip: noBank } : skip;
/** The goal of docs/design/console.md for the first fifteen minutes. */
const maxActs = 60;

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage({ finds: 'empty' });
  page = await stage.open();
  page.setDefaultTimeout(60_000);
  await page.goto(stage.firstRun);
  await settled(page);
});
holdEachJourney(() => stage);
after(() => stage?.close());

const button = (name: string | RegExp) => page.getByRole('button', { name });
const chooser = () => page.locator('input[type="file"]');
const csv = (text: string | Buffer, name = 'people.csv') => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.isBuffer(text) ? text : Buffer.from(text),
});

/** Counts clicks and keys. */
function acts() {
  const counts = { clicks: 0, keys: 0 };
  const press = async (what: Locator): Promise<void> => {
    counts.clicks += 1;
    await what.click();
  };
  const type = async (into: Locator, text: string): Promise<void> => {
    await press(into);
    await page.keyboard.press('Control+a');
    await page.keyboard.type(text);
    counts.keys += 1 + text.length;
  };
  return { counts, press, type };
}

/** A run looks at each step in one of these ways. */
const looks = (['dark', 'light'] as const).flatMap((theme) => [1280, 390].map((width) => ({ theme, width })));

test('every step of an empty tenant passes axe, in both themes, wide and narrow', skip, async () => {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  const found: string[] = [];
  for (const title of [
    'Load your customers',
    'Create an offer',
    'Limit how often',
    'Publish a flow',
    'Make a decision',
  ]) {
    await button(new RegExp(title)).first().click();
    for (const { theme, width } of shareOf(looks, title, looks.length)) {
      await wear(page, theme);
      await page.setViewportSize({ width, height: 900 });
      await settled(page);
      const { violations } = await page.evaluate(() =>
        globalThis.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }),
      );
      found.push(
        ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${title} ${theme} ${width}: ${id} ${html}`)),
      );
    }
  }
  assert.deepEqual(found, []);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(stage.url);
  await settled(page);
});

test('takes an empty tenant and a file of 45,211 customers to an explained decision', withBank, async (t) => {
  const { press, type, counts } = acts();
  const began = performance.now();
  await page.getByText('0 of 6 done').waitFor();
  counts.clicks += 1;
  await chooser().setInputFiles(bankFile);
  await page.getByText('45,211 rows · 18 columns').waitFor();
  await press(button('Load 45,211 rows'));
  await page.getByText('Customers are in Bank full.').waitFor();

  await press(button('Term deposit'));
  await press(button('Create offer'));
  await page.getByText('Term deposit is active.').waitFor();

  await type(page.getByRole('textbox', { name: 'Headline' }), 'Earn 3 % a year');
  await press(button('Create creative'));
  await page.getByText('Term deposit, Web is active.').waitFor();

  await press(button('Add limit'));
  await page.getByText('Each offer at most twice a week is active.').waitFor();
  await press(button('Publish the base flow'));
  await page.getByText('5 of 6 done').waitFor();

  await press(button(/^Decide/));
  await page.getByText('#1', { exact: true }).waitFor();
  await page.getByText('Earn 3 % a year').waitFor();
  await page.getByText('6 of 6 done').waitFor();
  await press(page.getByRole('link', { name: 'Open decision' }));
  await page.getByRole('heading', { level: 1, name: 'Decision for BANK-000001' }).waitFor();
  await page.getByText('Term deposit was shown first').waitFor();
  const all = counts.clicks + counts.keys;
  t.diagnostic(
    `${counts.clicks} clicks and ${counts.keys} keys, ${((performance.now() - began) / 1_000).toFixed(1)} s on this machine`,
  );
  assert.ok(all <= maxActs, `${all} clicks and keys`);

  // The tenant has what the pages showed.
  const { data: schemas } = await stage.call('GET', 'schemas?limit=10');
  const [schema] = schemas as readonly { readonly id: string; readonly rowKey: string; readonly autoEnrich: boolean }[];
  assert.deepEqual([schema?.rowKey, schema?.autoEnrich], ['customer_id', true]);
  assert.equal((await stage.call('GET', `schemas/${schema?.id}/data?limit=1`)).total, 45_211);
  const answer = await stage.call('POST', 'recommend', { customerId: 'BANK-000002', dryRun: true });
  assert.equal(answer.known, true);
});

test('hides the checklist after the first decision', withBank, async () => {
  await page.goto(stage.url);
  await settled(page);
  await page.getByRole('region', { name: 'Decide now' }).waitFor();
  assert.equal(await page.getByText('Get to your first decision').count(), 0);
});

async function openImport(): Promise<void> {
  await page.goto(`${stage.url}/data/schemas/import`);
  await settled(page);
}

test('lists bad lines, stores nothing, and then loads the column as text', skip, async () => {
  await openImport();
  const rows = Array.from({ length: 150 }, (_, at) => `P-${at};${at === 120 ? 'old' : at};café`);
  await chooser().setInputFiles(csv(Buffer.from(['id;age;city', ...rows].join('\n'), 'latin1')));
  await page.getByText('separated by semicolons').waitFor();
  await page.getByText('so we read it as Windows-1252').waitFor();
  await page.getByRole('listitem', { name: 'city' }).getByText('café').first().waitFor();
  await button('Load 150 rows').click();
  await page.getByText('One line has a wrong value').waitFor();
  await page.getByText('Line 122').first().waitFor();
  const found = await stage.call('GET', 'schemas?search=people');
  assert.deepEqual(found.data, []);
  await button('Load age as text').click();
  await button('Load 150 rows').click();
  await page.getByRole('heading', { name: 'People is loaded' }).waitFor();
  await page.getByText('150 rows added').waitFor();
});

test('rejects a taken name at its field, and asks for a key if no column looks like one', skip, async () => {
  await openImport();
  await chooser().setInputFiles(csv('name,visits\nאלון,3\nمريم,4\n'));
  await page.getByText('No column looks like an ID').waitFor();
  await button('Load 2 rows').click();
  await page.getByText('Choose the column that identifies each row.').waitFor();
  await page.getByLabel('Which column identifies the customer?').selectOption({ label: 'name' });
  await button('Load 2 rows').click();
  await page.getByLabel('Name', { exact: true }).and(page.locator('[aria-invalid="true"]')).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Visitors');
  await page.getByLabel('Load visits').uncheck();
  await button('Load 2 rows').click();
  await page.getByRole('heading', { name: 'Visitors is loaded' }).waitFor();
  const { data } = await stage.call('GET', 'schemas?search=visitors');
  const [schema] = data as readonly { readonly id: string; readonly fields: readonly { readonly name: string }[] }[];
  assert.deepEqual(
    schema?.fields.map(({ name }) => name),
    ['name'],
  );
});

test('rejects files that are not tables, and says what to do', skip, async () => {
  await openImport();
  await chooser().setInputFiles(csv('PK\u0003\u0004zip', 'people.xlsx'));
  await page.locator('[data-problem]').waitFor();
  await chooser().setInputFiles(csv('a,b\n', 'head.csv'));
  await page.getByText('head.csv has a header but no rows.').waitFor();
});

test('stops an import without storing anything', skip, async () => {
  await openImport();
  const rows = Array.from({ length: 300_000 }, (_, at) => `S-${at},${at}`);
  await chooser().setInputFiles(csv(['customer_id,number', ...rows].join('\n'), 'stopped.csv'));
  await button('Load 300,000 rows').click();
  await page.getByText('Storing rows').waitFor();
  await button('Stop').click();
  await page.getByText('Stopped. Nothing was stored.').waitFor();
  assert.deepEqual((await stage.call('GET', 'schemas?search=stopped')).data, []);
});

test('adds, changes and drops a field, and a join, through their forms', skip, async () => {
  const fields = [
    { name: 'person', displayName: 'Person', dataType: 'varchar', isPrimaryKey: true, isNullable: false },
  ];
  const schema = (name: string, schemaType: string) =>
    stage.call('POST', 'schemas', { name, displayName: name, schemaType, fields });
  const people = await schema('walkers', 'customer');
  const walks = await schema('walks', 'event');
  await page.goto(`${stage.url}/data/schemas/${people.id}/fields/new`);
  await settled(page);
  await page.getByRole('textbox', { name: /^Name/ }).fill('select');
  await button('Add field').click();
  // A reserved word is refused at its field.
  await page.getByRole('textbox', { name: /^Name/ }).and(page.locator('[aria-invalid="true"]')).waitFor();
  await page.getByRole('textbox', { name: /^Name/ }).fill('shoe_size');
  await page.getByLabel('Data type').selectOption({ label: 'Whole number' });
  await button('Add field').click();
  await page.waitForURL(/\/data\/schemas\/[0-9a-f-]{36}$/);
  await page.getByRole('rowheader', { name: 'shoe_size' }).waitFor();
  await page.locator(`main a[href*="/fields/"]:not([href$="/new"])`).last().click();
  await page.getByRole('heading', { level: 1, name: 'Edit shoe_size' }).waitFor();
  await page.getByLabel('Display name').fill('Shoe size');
  await page.getByLabel('Sensitive').check();
  await button('Save').click();
  await page.waitForURL(/\/data\/schemas\/[0-9a-f-]{36}$/);
  const stored = await stage.call('GET', `schemas/${people.id}`);
  const [, shoe] = stored.fields as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(
    [shoe?.name, shoe?.displayName, shoe?.dataType, shoe?.isSensitive],
    ['shoe_size', 'Shoe size', 'integer', true],
  );

  await page.getByRole('tab', { name: 'Links' }).click();
  await page.getByRole('link', { name: 'New join' }).click();
  await page.waitForURL(/joins\/new/);
  await page.getByRole('textbox', { name: /^Name/ }).fill('Walks of walkers');
  await page.getByLabel('Column to compare there').selectOption('person');
  await page.getByRole('combobox', { name: 'Joined schema' }).fill('walks');
  await page.getByRole('option', { name: /^walks/ }).click();
  await page.getByLabel('Column to compare here').selectOption('person');
  await button('Create join').click();
  await page.getByText('Walks of walkers').first().waitFor();
  const joins = await stage.call('GET', `schema-joins?schemaId=${walks.id}`);
  assert.equal((joins.data as readonly unknown[]).length, 1);

  await page.goto(`${stage.url}/data/schemas/${people.id}/fields/${shoe?.id}`);
  await settled(page);
  await button('Drop field').click();
  await page.getByRole('dialog').getByRole('textbox').fill('shoe_size');
  await page.getByRole('dialog').getByRole('button', { name: 'Drop shoe_size' }).click();
  await page.waitForURL(/\/data\/schemas\/[0-9a-f-]{36}$/);
  const left = (await stage.call('GET', `schemas/${people.id}`)).fields as readonly unknown[];
  assert.equal(left.length, 1);
});

test('creates a schema with its fields, and links it to customers', skip, async () => {
  await page.goto(`${stage.url}/data/schemas/new`);
  await settled(page);
  await page.getByLabel('Display name').first().fill('Shop Orders');
  assert.equal(await page.getByRole('textbox', { name: /^Name/ }).first().inputValue(), 'shop_orders');
  await page.getByLabel('Type of rows').selectOption({ label: 'Transactions' });
  await page.getByRole('combobox', { name: 'Linked to' }).fill('walkers');
  await page.getByRole('option', { name: 'walkers' }).click();
  await page.getByLabel('Column of the linked schema').selectOption('person');
  await page.getByLabel('Column of this schema').selectOption('customer_id');
  await button('Create schema').click();
  await page.getByRole('heading', { level: 1, name: 'Shop Orders' }).waitFor();
  const { data } = await stage.call('GET', 'schemas?search=shop_orders');
  const [schema] = data as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual([schema?.linkActive, schema?.schemaType], [true, 'transaction']);
});

test('builds a segment with a join, counts it live and by step, and compares it', skip, async () => {
  const key = { name: 'client_id', displayName: 'Client', dataType: 'varchar', isPrimaryKey: true, isNullable: false };
  const text = (name: string) => ({ name, displayName: name, dataType: 'varchar' });
  const clients = await stage.call('POST', 'schemas', {
    ...{ name: 'clients', displayName: 'Clients', schemaType: 'customer', fields: [key, text('tier')] },
  });
  const orders = await stage.call('POST', 'schemas', {
    ...{ name: 'orders', displayName: 'Orders', schemaType: 'transaction', linkedSchemaId: clients.id },
    joinMapping: { parentField: 'client_id', childField: 'buyer' },
    fields: [
      { ...key, name: 'order_id' },
      text('buyer'),
      { name: 'amount', displayName: 'Amount', dataType: 'integer' },
    ],
  });
  await stage.call('POST', `schemas/${clients.id}/data`, {
    rows: Array.from({ length: 40 }, (_, at) => ({ client_id: `K-${at}`, tier: at % 4 === 0 ? 'gold' : 'basic' })),
  });
  await stage.call('POST', `schemas/${orders.id}/data`, {
    rows: Array.from({ length: 20 }, (_, at) => ({ order_id: `O-${at}`, buyer: `K-${at}`, amount: at })),
  });
  const other = await stage.call('POST', 'segments', { name: 'All clients', baseSchemaId: clients.id });

  await page.goto(`${stage.url}/segments/new`);
  await settled(page);
  await page.getByRole('textbox', { name: /^Name/ }).fill('Gold buyers');
  await page.getByRole('combobox', { name: 'Customers of' }).fill('clients');
  await page.getByRole('option', { name: /^clients/i }).click();
  await page.getByText('40 of 40 customers').waitFor();
  const addCondition = async (at: number, field: string, operator: string, value: string) => {
    await button('Add condition').first().click();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type(field);
    await page.getByRole('option', { name: new RegExp(`^${field}`) }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Operator' }).nth(at).selectOption(operator);
    await page.getByRole('group', { name: 'Members' }).getByLabel('Value', { exact: true }).nth(at).fill(value);
  };
  await addCondition(0, 'tier', 'eq', 'gold');
  await page.getByText('10 of 40 customers').waitFor();
  await button('Add to related rows').click();
  await page.getByRole('textbox', { name: /^Short name/ }).fill('orders');
  await page.getByRole('combobox', { name: 'Schema' }).fill('orders');
  await page.getByRole('option', { name: /^orders/i }).click();
  await addCondition(1, 'orders.amount', 'gte', '8');
  // K-8, K-12 and K-16 are gold and have an order of at least 8.
  await page.getByText('3 of 40 customers').waitFor();
  await button('Count each step').click();
  await page.getByText('10 left').waitFor();
  await page.getByText('3 left').waitFor();
  await page.getByRole('link', { name: 'K-12' }).waitFor();
  await button('Create segment').click();
  await page.getByRole('heading', { level: 1, name: 'Gold buyers' }).waitFor();
  await page.getByRole('grid', { name: 'Members' }).getByText('K-16').waitFor();
  const compare = page.getByRole('combobox', { name: 'Compare with' });
  await compare.fill('All');
  await page.getByRole('option', { name: 'All clients' }).click();
  await page.getByText('3 customers are also in All clients: 100% of the smaller segment.').waitFor();
  await page.getByText('The segments overlap a lot.', { exact: false }).waitFor();
  const { data } = await stage.call('GET', 'segments?search=Gold');
  const [segment] = data as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual([segment?.customerCount, segment?.baseSchemaName], [3, 'clients']);
  assert.ok(other.id);
});

test('shows viewers everything, and why they cannot load or change it', skip, async () => {
  const email = 'reads-only@example.test';
  await stage.call('POST', 'users', { email, role: 'viewer' });
  const token = await mailedToken(stage, email, 'accept-invite');
  const viewer = await stage.open();
  viewer.setDefaultTimeout(60_000);
  await viewer.request.post(`${stage.url}/api/v1/auth/accept-invite`, {
    headers: { 'x-requested-with': 'journey' },
    data: { token, name: 'Viewer', password: 'Passw0rd-of-viewer' },
  });
  const closed = async (address: string, name: string) => {
    await viewer.goto(`${stage.url}${address}`);
    await settled(viewer);
    const control = viewer.getByRole('button', { name, exact: true }).first();
    assert.equal(await control.getAttribute('aria-disabled'), 'true', `${address}: ${name}`);
  };
  await closed('/data/schemas/import', 'Choose a file');
  await closed('/data/schemas', 'New schema');
  await closed('/segments', 'New segment');
  await viewer.goto(`${stage.url}/data/schemas/new`);
  await viewer.getByText(/^Only users with the \w+ role can do this\.$/).waitFor();
  assert.equal(await viewer.getByRole('button', { name: 'Create schema' }).count(), 0);
  await viewer.context().close();
});

test('continues after losing the server during a load', skip, async () => {
  await openImport();
  const rows = Array.from({ length: 200_000 }, (_, at) => `L-${at},${at}`);
  await chooser().setInputFiles(csv(['customer_id,number', ...rows].join('\n'), 'lost.csv'));
  await button('Load 200,000 rows').click();
  await page.getByText('Storing rows').waitFor();
  await stage.stop();
  await page.getByText('The connection was lost').waitFor();
  await stage.start();
  await button('Check and continue').click();
  await page.getByRole('heading', { name: 'Lost is loaded' }).waitFor();
  const { data } = await stage.call('GET', 'schemas?search=lost');
  const [schema] = data as readonly { readonly id: string }[];
  assert.equal((await stage.call('GET', `schemas/${schema?.id}/data?limit=1`)).total, 200_000);
});

test('loads rows without a key once, although the response to the first load was lost', skip, async () => {
  const fields = [{ name: 'number', displayName: 'Number', dataType: 'integer' }];
  const schema = { name: 'unkeyed', displayName: 'Unkeyed', schemaType: 'event', fields };
  const { id } = await stage.call('POST', 'schemas', schema);
  const total = async () => (await stage.call('GET', `schemas/${id}/data?limit=1`)).total;
  await page.goto(`${stage.url}/data/schemas/import?schema=${id}`);
  await settled(page);
  await chooser().setInputFiles(csv('number\n1\n2\n3', 'unkeyed.csv'));
  // The server stores the rows, and the response never arrives.
  await page.route(`**/api/v1/schemas/${id}/data*`, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    await route.fetch();
    return route.abort('connectionreset');
  });
  await button('Load 3 rows').click();
  await page.getByText('The connection was lost').waitFor();
  assert.equal(await total(), 3);
  await button('Check and continue').click();
  await page.getByRole('heading', { name: 'Unkeyed is loaded' }).waitFor();
  assert.equal(await total(), 3);
  await page.unroute(`**/api/v1/schemas/${id}/data*`);
});
