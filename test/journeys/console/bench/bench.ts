// `npm run bench:console`: what the console weighs and how fast it is (docs/design/console.md 6, "speed"), in a browser before a
// server started as users start it. Writes its section of docs/benchmarks.md. Some minutes; never a test.
// Options: --rounds 5 --decisions 10000 --offers 2000 --bulk 500 --nodes 200 --parts list,canvas --no-write
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { budgets } from '../../../../tools/console-bytes.ts';
import { loadCatalogue } from '../../../load/bench/bench-catalogue.ts';
import { median, usPerDocument } from '../../../load/bench/bench-load.ts';
import { machineText, ms, n0, type Row, table } from '../../../load/bench/bench-report.ts';
import { cannotBrowse, openStage } from '../browser.ts';
import { settled } from '../places.ts';
import { inputTimes, type Painted, painted, scrollTasks, watchPage } from './bench-watch.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    decisions: { type: 'string', default: '10000' },
    offers: { type: 'string', default: '2000' },
    bulk: { type: 'string', default: '500' },
    nodes: { type: 'string', default: '200' },
    parts: { type: 'string', default: 'routes,live,list,canvas,editor,policies,explorer,bulk' },
    write: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const rounds = Number(values.rounds);
const decisions = Number(values.decisions);
const offers = Number(values.offers);
const bulk = Number(values.bulk);
const nodes = Number(values.nodes);
const parts = new Set(values.parts.split(','));
const say = (line: string): void => console.log(line);
const root = join(import.meta.dirname, '../../../..');

/** Limits of docs/design/console.md 1, P3, in milliseconds; `budgets` has those of bytes. */
const bars = { paintMs: 100, inputMs: 50, liveMs: 1_000 } as const;

/** Maximum wait for more rows, in milliseconds: a rate limit window, with a margin. */
const patienceMs = 90_000;
/** ID of the flow with many nodes. */
let largeFlow: string | null = null;

if (cannotBrowse !== false) {
  console.error(`bench:console: ${cannotBrowse}`);
  process.exit(1);
}

const rows: Row[] = [];
const note = (measure: string, bar: string, measured: string, met: boolean | null): void => {
  rows.push({ measure, bar, measured, met });
  say(`${measure}: ${measured}${met === false ? ' (missed)' : ''}`);
};

const documents = [usPerDocument()];
const loads = [loadavg()[0] ?? 0];
noteBytes();
const stage = await openStage({ finds: 'nothing' });
try {
  const page = await stage.open();
  page.setDefaultTimeout(120_000);
  await watchPage(page);
  await page.goto(stage.firstRun);
  await settled(page);
  await part('routes', () => benchScreens(page));
  await part('live', () => benchLive(page));
  await part('list', () => benchList(page));
  await part('canvas', () => benchCanvas(page));
  await part('editor', () => benchEditor(page));
  await part('policies', () => benchPolicies(page));
  await part('explorer', () => benchExplorer(page));
  await part('bulk', () => benchBulk(page));
  loads.push(loadavg()[0] ?? 0);
  documents.push(usPerDocument());
} finally {
  await stage.close();
}
note(
  'load average of the machine at the beginning and the end; a JSON document of 70 KB read and written',
  '',
  `${loads.map((load) => load.toFixed(1)).join(' and ')}; ${documents.map(n0).join(' and ')} us`,
  null,
);
if (values.write) write();

/** A part that can't be measured is marked in the table, and the others are measured anyway. */
async function part(name: string, measure: () => Promise<void>): Promise<void> {
  if (!parts.has(name)) return;
  try {
    await measure();
  } catch (error) {
    const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    note(name, '', `not measured: ${why.slice(0, 120)}`, null);
  }
}

function noteBytes(): void {
  const { shell, routes } = JSON.parse(readFileSync(join(root, 'packages/console/bytes.json'), 'utf8')) as {
    readonly shell: number;
    readonly routes: Readonly<Record<string, number>>;
  };
  const kb = (bytes: number): string => `${(bytes / 1_000).toFixed(0)} KB`;
  const canvas = 'src/flow-canvas/canvas.tsx';
  const [name, largest] = Object.entries(routes)
    .filter(([key]) => key !== canvas)
    .reduce((most, one) => (one[1] > most[1] ? one : most));
  note('shell, gzip', `at most ${kb(budgets.shell)}`, kb(shell), shell <= budgets.shell);
  note(
    'largest route, gzip',
    `at most ${kb(budgets.route)}`,
    `${kb(largest)} (${name.replace('src/features/', '')})`,
    largest <= budgets.route,
  );
  const bytes = routes[canvas] ?? 0;
  note('canvas of flows, gzip', `at most ${kb(budgets.canvas)}`, kb(bytes), bytes <= budgets.canvas);
}

/** First contentful paint of Home: with an empty cache, and with the files of the last visit. */
async function benchFirstPaint(page: Page): Promise<void> {
  const state = await page.context().storageState();
  const cold: number[] = [];
  const warm: number[] = [];
  const browser = page.context().browser();
  for (let round = 0; round < rounds && browser !== null; round += 1) {
    const context = await browser.newContext({ storageState: state, viewport: { width: 1440, height: 900 } });
    try {
      const fresh = await context.newPage();
      await fresh.goto(`${stage.url}/`);
      await settled(fresh);
      cold.push(await firstPaint(fresh));
      await fresh.reload();
      await settled(fresh);
      warm.push(await firstPaint(fresh));
    } finally {
      await context.close();
    }
  }
  note('first paint of Home, empty cache', '', ms(median(cold)), null);
  note('first paint of Home, files in the cache', '', ms(median(warm)), null);
}

function firstPaint(page: Page): Promise<number> {
  return page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN);
}

async function benchScreens(page: Page): Promise<void> {
  await benchFirstPaint(page);
  const made = await stage.call('POST', 'recommend', { customerId: 'CM-000031', channel: 'email' });
  await benchRoutes(page, [
    ['Home', '/'],
    ['decisions', '/decisions'],
    ['a decision of 12 offers', `/decisions/${String(made.recommendationId)}`],
    ['a customer', '/customers/CM-000031'],
    ['offers', '/offers'],
    ['a flow', `/flows/${await firstOf('decision-flows')}`],
    ['the editor of a flow', `/flows/${await firstOf('decision-flows')}/edit`],
    ['contact policies', '/policies'],
    ['approvals', '/approvals'],
    ['health', '/health'],
  ]);
}

/** From the last response of a screen to its paint. */
async function benchRoutes(page: Page, screens: readonly (readonly [name: string, address: string])[]): Promise<void> {
  for (const [name, address] of screens) {
    const found: Painted[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await page.goto(`${stage.url}${address}`);
      await settled(page);
      found.push(await painted(page));
    }
    notePaint(name, found);
  }
}

function notePaint(name: string, found: readonly Painted[]): void {
  const after = found.map(({ afterDataMs }) => afterDataMs);
  const typical = median(after);
  note(
    `${name}: painted after its last answer`,
    `at most ${bars.paintMs} ms`,
    `${ms(typical)} (${ms(Math.min(...after))} to ${ms(Math.max(...after))}); whole page ${ms(median(found.map(({ allMs }) => allMs)))}`,
    typical <= bars.paintMs,
  );
}

/** Changes a record through the API, as someone else, and waits until the open list shows it. */
async function benchLive(page: Page): Promise<void> {
  const offer = await firstOf('offers');
  await page.goto(`${stage.url}/offers`);
  await settled(page);
  const times: number[] = [];
  for (let round = 0; round < rounds * 4; round += 1) {
    const name = `Changed by someone else ${round}`;
    await stage.call('PUT', `offers/${offer}`, { name });
    const changedAt = performance.now();
    await page.getByText(name, { exact: true }).first().waitFor();
    times.push(performance.now() - changedAt);
  }
  const typical = median(times);
  note(
    "another user's edit in an open list, from its answer on",
    `at most ${bars.liveMs} ms`,
    `${ms(typical)} (${ms(Math.min(...times))} to ${ms(Math.max(...times))})`,
    typical <= bars.liveMs,
  );
}

/** The list of decisions with all rows loaded. */
async function benchList(page: Page): Promise<void> {
  await inParallel(decisions - 1, 16, async (at) => {
    const customerId = `CM-${String((at % 1_000) + 1).padStart(6, '0')}`;
    await stage.call('POST', 'recommend', { customerId, channel: ['email', 'web', 'push'][at % 3] });
  });
  await page.goto(`${stage.url}/decisions`);
  await settled(page);
  const grid = page.getByRole('grid');
  await grid.focus();
  // At the end of the list, the page loads more until all are there. At the rate limit it waits for the next minute,
  // and says so.
  for (let before = 0, grewAt = Date.now(); before < decisions; ) {
    await page.keyboard.press('Control+End');
    await page.waitForTimeout(100);
    const now = await lastRow(page);
    if (now > before) grewAt = Date.now();
    else if (Date.now() - grewAt > patienceMs) throw new Error(`the list ends at row ${now}`);
    before = now;
  }
  say(`${await lastRow(page)} rows in the page`);
  const keys = [
    'Control+Home',
    ...Array<string>(30).fill('ArrowDown'),
    ...Array<string>(20).fill('PageDown'),
    'Control+End',
    'Control+Home',
  ];
  noteInput(
    `list of ${n0(decisions)} rows, keys`,
    await inputTimes(
      page,
      keys.map((key) => () => page.keyboard.press(key)),
    ),
  );
  await noteScrolling(page, grid, `list of ${n0(decisions)} rows`);
  const size = page.viewportSize();
  if (size === null) return;
  await page.setViewportSize({ width: 390, height: 844 });
  await settled(page);
  await noteScrolling(page, grid, `list of ${n0(decisions)} rows as cards on a narrow screen`);
  await page.setViewportSize(size);
}

/** Scrolls a list down and up again. */
async function noteScrolling(page: Page, grid: Locator, name: string): Promise<void> {
  const box = await grid.boundingBox();
  if (box === null) throw new Error('the list is not to be seen');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const tasks = await scrollTasks(page, 120, 900);
  note(
    `${name}, scrolled by the wheel, tasks over 50 ms`,
    'none',
    tasks.length === 0 ? 'none' : `${tasks.length}, the longest ${ms(Math.max(...tasks))}`,
    tasks.length === 0,
  );
}

/** Clicks on visible elements one by one, not on those rendered outside the window. */
async function presses(drawn: Locator, count: number): Promise<readonly (() => Promise<unknown>)[]> {
  const seen = await drawn.evaluateAll((all) =>
    all.flatMap((element, at) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const there = document.elementFromPoint(left + width / 2, top + height / 2);
      return there !== null && element.contains(there) ? [at] : [];
    }),
  );
  if (seen.length < 2) throw new Error(`there are ${seen.length} to press`);
  return Array.from({ length: count }, (_, at) => () => drawn.nth(seen[at % seen.length] ?? 0).click());
}

/** Number of the last rendered row. */
async function lastRow(page: Page): Promise<number> {
  const rows = await page
    .locator('[role="grid"] [aria-rowindex]')
    .evaluateAll((all) => all.map((row) => Number(row.getAttribute('aria-rowindex'))));
  return Math.max(...rows) - 1;
}

/** Creates a flow with many nodes, once. Returns its ID. */
async function flowOfManyNodes(): Promise<string> {
  if (largeFlow !== null) return largeFlow;
  const filters = Array.from({ length: nodes - 5 }, (_, at) => ({
    id: `filter-${at}`,
    type: 'filter',
    config: { conditions: [{ field: 'offer.priority', operator: 'gte', value: 0 }] },
  }));
  const flow = await stage.call('POST', 'decision-flows', {
    key: 'bench-canvas',
    name: 'Bench canvas',
    draftConfig: {
      version: 2,
      nodes: [
        { id: 'inventory', type: 'inventory', config: {} },
        { id: 'creatives', type: 'match_creatives', config: {} },
        ...filters,
        { id: 'score', type: 'score', config: { method: 'formula' } },
        { id: 'rank', type: 'rank', config: { method: 'topN', topN: 3 } },
        { id: 'response', type: 'response', config: {} },
      ],
      flowConfig: {},
    },
  });
  largeFlow = String(flow.id);
  return largeFlow;
}

/** The canvas of a flow with many nodes: clicks nodes one by one. */
async function benchCanvas(page: Page): Promise<void> {
  const flow = await flowOfManyNodes();
  const found: Painted[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await page.goto(`${stage.url}/flows/${flow}`);
    await page.locator('.react-flow__node').first().waitFor();
    await settled(page);
    found.push(await painted(page));
  }
  notePaint(`canvas of ${nodes} nodes`, found);
  const acts = await presses(page.locator('.react-flow__node-step'), 20);
  noteInput(`canvas of ${nodes} nodes, a node pressed`, await inputTimes(page, acts));
}

/** The editor of a flow with many nodes: types a name, selects and moves nodes, on the outline and the canvas. */
async function benchEditor(page: Page): Promise<void> {
  const address = `${stage.url}/flows/${await flowOfManyNodes()}/edit`;
  await page.goto(address);
  await settled(page);
  const rows = page.locator('[data-node]');
  await rows.nth(3).click();
  const panel = page.getByRole('complementary', { name: 'Node' });
  await panel.getByRole('textbox').first().focus();
  const letters = [...'A better name for it'].map((key) => () => page.keyboard.press(key));
  noteInput(`editor of ${nodes} nodes, a letter typed into a setting`, await inputTimes(page, letters));
  noteInput(`editor of ${nodes} nodes, a node pressed`, await inputTimes(page, await presses(rows, 20)));
  await rows.nth(5).focus();
  const moves = Array.from(
    { length: 20 },
    (_, at) => () => page.keyboard.press(at % 2 === 0 ? 'Alt+ArrowDown' : 'Alt+ArrowUp'),
  );
  noteInput(`editor of ${nodes} nodes, a node moved`, await inputTimes(page, moves));
  await page.goto(`${address}?view=canvas`);
  await page.locator('.react-flow__node').first().waitFor();
  await settled(page);
  const acts = await presses(page.locator('.react-flow__node-step'), 20);
  noteInput(`canvas of ${nodes} nodes in the editor, a node pressed`, await inputTimes(page, acts));
}

/** The form of a policy: types its name. */
async function benchPolicies(page: Page): Promise<void> {
  await page.goto(`${stage.url}/policies/new`);
  await settled(page);
  await page.getByRole('button', { name: 'Three a day' }).click();
  await page.getByRole('textbox', { name: /^Name/ }).focus();
  const letters = [...'Calm contacts in spring'].map((key) => () => page.keyboard.press(key));
  noteInput('form of a policy, a letter typed', await inputTimes(page, letters));
}

/** Sets the priority of many offers in a list of all of them. */
async function benchBulk(page: Page): Promise<void> {
  await page.goto(`${stage.url}/offers`);
  await settled(page);
  const grid = page.getByRole('grid');
  await grid.focus();
  for (let before = 0; before < bulk; ) {
    await page.keyboard.press('Control+End');
    await page.waitForTimeout(100);
    const now = await lastRow(page);
    if (now === before && now < bulk) await page.waitForTimeout(500);
    before = now;
  }
  await page.getByRole('checkbox', { name: 'Select all loaded rows' }).check();
  const selected = page.getByText(/^\d+ selected$/);
  const count = Number.parseInt((await selected.textContent()) ?? '', 10);
  await page.getByRole('button', { name: 'Set priority' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Priority').fill('61');
  await page.keyboard.press('Tab');
  await page.evaluate('benchWatch.tasks.length = 0');
  const startedAt = performance.now();
  await dialog.getByRole('button', { name: `Change ${count} offers` }).click();
  await dialog.getByText(`${count} changed`, { exact: true }).waitFor({ timeout: 600_000 });
  const tasks: readonly number[] = await page.evaluate('benchWatch.tasks');
  const long = tasks.length === 0 ? 'none' : `${tasks.length}, the longest ${ms(Math.max(...tasks))}`;
  note(
    `${n0(count)} of ${n0(offers)} offers changed in their list, tasks over 50 ms`,
    'none',
    long,
    tasks.length === 0,
  );
  note(`${n0(count)} offers changed in their list, one call each`, '', ms(performance.now() - startedAt), null);
}

/** The explorer of a decision with many offers: clicks offers, types into the search. */
async function benchExplorer(page: Page): Promise<void> {
  // Two catalogues would conflict, and the demo is no longer needed.
  await stage.call('DELETE', 'seed-dataset/coffee_rewards', undefined, { 'x-confirm-delete': 'coffee_rewards' });
  const { flowKey } = await loadCatalogue({ url: stage.url, key: stage.apiKey }, { offers, customers: 100 });
  const { recommendationId } = await stage.call('POST', 'recommend', {
    customerId: 'B-0000007',
    decisionFlowKey: flowKey,
    channel: 'email',
  });
  const address = `${stage.url}/decisions/${String(recommendationId)}`;
  const found: Painted[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await page.goto(address);
    await settled(page);
    found.push(await painted(page));
  }
  notePaint(`explorer of ${n0(offers)} offers`, found);
  const list = page.getByRole('region', { name: 'Offers' }).first();
  const acts = await presses(list.locator('li').getByRole('button'), 20);
  noteInput(`explorer of ${n0(offers)} offers, an offer pressed`, await inputTimes(page, acts));
  await list.getByRole('textbox').first().focus();
  const letters = [...'Offer 1999', ...Array<string>(10).fill('Backspace')].map(
    (key) => () => page.keyboard.press(key),
  );
  noteInput(`explorer of ${n0(offers)} offers, a letter typed into its search`, await inputTimes(page, letters));
}

function noteInput(measure: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const p95 = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? Number.NaN;
  note(
    `${measure}: to the next paint`,
    `p95 at most ${bars.inputMs} ms`,
    `p95 ${ms(p95)}, median ${ms(median(sorted))} (${times.length} inputs)`,
    p95 <= bars.inputMs,
  );
}

async function firstOf(list: string): Promise<string> {
  const { data } = await stage.call('GET', `${list}?limit=1`);
  const [first] = data as readonly { readonly id: string }[];
  if (first === undefined) throw new Error(`the demo has no ${list}`);
  return first.id;
}

async function inParallel(count: number, width: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) await work(next++);
    }),
  );
}

/** Replaces the section, or adds it at the end of the page. */
function write(): void {
  const file = join(root, 'docs/benchmarks.md');
  const [begin, end] = ['<!-- console: written by npm run bench:console -->', '<!-- console: end -->'];
  const before = readFileSync(file, 'utf8');
  const section = `${begin}

## The console

Written by \`npm run bench:console\` on ${new Date().toISOString().slice(0, 10)}: ${machineText()}, headless Chromium without a graphics card, server, database and
browser on that machine. Medians of ${rounds}. "Painted after its last answer": from the end of the last call that the screen makes to the
picture with it. "To the next paint": the browser's own event timing, which counts in steps of 8 ms from 16 ms on. Never gated.

${table(rows)}

${end}`;
  const at = before.indexOf(begin);
  const until = before.indexOf(end);
  const after =
    at < 0 ? `${before.trimEnd()}\n\n${section}\n` : before.slice(0, at) + section + before.slice(until + end.length);
  writeFileSync(file, after);
  say('docs/benchmarks.md is written');
}
