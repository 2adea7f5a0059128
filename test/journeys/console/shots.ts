// `npm run console:shots [folder]`: screenshots of every screen and overlay in both themes, wide and narrow; as a
// viewer; and of an empty tenant. `index.html` shows all of them.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { cannotBrowse, openStage } from './browser.ts';
import { mailedToken } from './mail.ts';
import { overlays } from './overlays/overlays.ts';
import { type Place, placesOf, settled, wear } from './places.ts';

if (cannotBrowse !== false) {
  console.error(`console:shots: ${cannotBrowse}`);
  process.exit(1);
}
const folder = process.argv[2] ?? join(import.meta.dirname, '../../../packages/console/dist/shots');
await mkdir(folder, { recursive: true });
const sizes = { wide: 1440, narrow: 390 } as const;
/** Narrow pages are long, so their screenshots show what is below the fold, too. */
const heights: Readonly<Record<number, number>> = { 1440: 900, 390: 2200 };
const themes = ['dark', 'light'] as const;
const taken: string[] = [];
const stage = await openStage();

/** Takes screenshots of a page in both themes at its current width. */
async function take(page: Page, name: string, width: number): Promise<void> {
  for (const theme of themes) {
    await wear(page, theme);
    const file = `${name}-${width}-${theme}.png`;
    await page.screenshot({ path: join(folder, file) });
    taken.push(file);
  }
}

async function takePlaces(page: Page, places: readonly Pick<Place, 'name' | 'address'>[]): Promise<void> {
  for (const { name, address } of places) {
    await page.goto(`${stage.url}${address}`);
    for (const width of Object.values(sizes)) {
      await page.setViewportSize({ width, height: heights[width] ?? 900 });
      await settled(page);
      await take(page, name, width);
    }
  }
}

async function takeOverlays(page: Page): Promise<void> {
  for (const { name, address, only, open } of overlays) {
    for (const [how, width] of Object.entries(sizes)) {
      if (only !== undefined && only !== how) continue;
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${stage.url}${address}`);
      await settled(page);
      await open?.(page);
      await take(page, `over-${name}`, width);
    }
  }
}

async function newPage(): Promise<Page> {
  const page = await stage.open();
  page.setDefaultTimeout(60_000);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  return page;
}

/** A page of a viewer. */
async function viewerPage(): Promise<Page> {
  const page = await newPage();
  const email = 'viewer@example.test';
  await stage.call('POST', 'users', { email, role: 'viewer' });
  const token = await mailedToken(stage, email, 'accept-invite');
  await page.request.post(`${stage.url}/api/v1/auth/accept-invite`, {
    headers: { 'x-requested-with': 'shots' },
    data: { token, name: 'Viewer', password: 'Passw0rd-of-viewer' },
  });
  return page;
}

/** Decisions with missing parts: inputs that are never stored, an erased customer. */
async function partialPlaces(): Promise<readonly Pick<Place, 'name' | 'address'>[]> {
  const { data: schemas } = await stage.call('GET', 'schemas?limit=100');
  interface Named {
    readonly id: string;
    readonly name: string;
  }
  const schema = (schemas as readonly (Named & { readonly fields: readonly Named[] })[]).find(
    ({ name }) => name === 'coffee_members',
  );
  const field = schema?.fields.find(({ name }) => name === 'days_since_visit');
  await stage.call('PUT', 'schemas/fields', { fieldId: field?.id, neverStore: true });
  const decide = async (customerId: string) =>
    String((await stage.call('POST', 'recommend', { customerId, channel: 'web' })).recommendationId);
  const [withheld, erased] = [await decide('CM-000041'), await decide('CM-000042')];
  await stage.call('DELETE', 'customers/CM-000042/data?scope=all', undefined, { 'x-confirm-delete': 'CM-000042' });
  return [
    { name: 'withheld', address: `/decisions/${withheld}` },
    { name: 'withheld-proof', address: `/decisions/${withheld}?tab=proof` },
    { name: 'withheld-profile', address: '/customers/CM-000041?tab=profile' },
    { name: 'erased', address: `/decisions/${erased}` },
    { name: 'erased-proof', address: `/decisions/${erased}?tab=proof` },
  ];
}

/** Screens that differ by permission or without data. */
const readers = /^(home|health|settings|settings-api-keys|audit|decisions-id|decisions-id-inputs|customers-id)$/;
const emptied =
  /^(home|health|decisions|decision-tests|studies|simulate|customers|offers|creatives|categories|channels|placements|policies|rules|flows|segments|data-schemas|audit)$/;
const named = (prefix: string, places: readonly Place[]) =>
  places.map(({ name, address }) => ({ name: `${prefix}-${name}`, address }));

try {
  const page = await newPage();
  const places = await placesOf(stage);
  const [open, closed] = [places.filter((each) => each.open), places.filter((each) => !each.open)];
  await takePlaces(page, open);
  await page.goto(stage.firstRun);
  await takePlaces(page, closed);
  await takeOverlays(page);
  await takePlaces(page, await partialPlaces());
  await takePlaces(
    await viewerPage(),
    named(
      'viewer',
      closed.filter(({ name }) => readers.test(name)),
    ),
  );
  await stage.call('DELETE', 'seed-dataset/coffee_rewards', undefined, { 'x-confirm-delete': 'coffee_rewards' });
  await takePlaces(
    page,
    named(
      'empty',
      closed.filter(({ name }) => emptied.test(name)),
    ),
  );
  const pictures = taken.map(
    (file) => `<figure><img src="${file}" loading="lazy" alt=""><figcaption>${file}</figcaption></figure>`,
  );
  const style = 'body{display:flex;flex-wrap:wrap;gap:12px;font:12px sans-serif}figure{margin:0}img{height:420px}';
  await writeFile(
    join(folder, 'index.html'),
    `<!doctype html><title>Screens</title><style>${style}</style>${pictures.join('')}`,
  );
  console.log(`${taken.length} pictures in ${folder}`);
} finally {
  await stage.close();
}
