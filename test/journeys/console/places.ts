// Every screen of the console at an address where the demo has something to show.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { screens } from '../../../packages/console/src/app/manifest.ts';
import type { Stage } from './browser.ts';

/** A screen with something on it. */
export interface Place {
  /** Path of its screen in the manifest. */
  readonly path: string;
  /** Tells it from the others; good as the name of a file. */
  readonly name: string;
  readonly address: string;
  /** Shown to somebody who is not signed in. */
  readonly open: boolean;
}

/** The record that a screen of one record is shown for: the first of a list, or one made for it where the demo has none. */
const recordOf: Readonly<Record<string, { readonly list: string; readonly otherwise?: object }>> = {
  '/categories/$id': { list: 'categories' },
  '/channels/$id': { list: 'channels' },
  '/creatives/$id': { list: 'creatives' },
  '/data/schemas/$id': { list: 'schemas' },
  '/flows/$id': { list: 'decision-flows' },
  '/offers/$id': { list: 'offers' },
  '/channels/placements/$id': { list: 'placements' },
  '/policies/$id': {
    list: 'contact-policies',
    otherwise: {
      name: 'Three a day',
      ruleType: 'frequency_cap',
      scope: 'global',
      config: { maxImpressions: 3, period: 'daily' },
    },
  },
  '/rules/$id': { list: 'qualification-rules' },
  '/segments/$id': {
    list: 'segments',
    otherwise: {
      name: 'Grown up',
      filters: [{ logic: 'and', conditions: [{ field: 'age', operator: 'gte', value: 18 }] }],
    },
  },
};

const customer = 'CM-000031';
/** Parts of a screen that stand at an address of their own. */
const tabs: Readonly<Record<string, readonly string[]>> = {
  '/customers/$id': ['offers', 'limits', 'profile', 'summaries'],
  '/decisions/$id': ['creative', 'inputs', 'trace', 'proof'],
};

/**
 * Fills the demo with what screens show, and says where each stands. Throws for a screen with parameters that nothing here
 * gives a value, so that a new screen is not left out by oversight.
 */
export async function placesOf(stage: Stage): Promise<readonly Place[]> {
  const decide = async (customerId: string, channel: string): Promise<string> =>
    String((await stage.call('POST', 'recommend', { customerId, channel })).recommendationId);
  const decisions = [await decide(customer, 'email'), await decide('CM-000001', 'web')];
  const places: Place[] = [];
  for (const { path, access } of screens) {
    const address = await addressOf(stage, path, decisions);
    const name = path === '/' ? 'home' : path.slice(1).replaceAll('/', '-').replaceAll('$', '');
    const open = access === 'public';
    places.push({ path, name, address, open });
    // The server answers there itself, for browsers that run no script.
    if (open) places.push({ path, name: `${name}-plain`, address: path, open });
    for (const tab of tabs[path] ?? [])
      places.push({ path, name: `${name}-${tab}`, address: `${address}?tab=${tab}`, open });
  }
  // The server's own pages around signing in.
  for (const address of ['/register', '/reset-password', '/reset-password?token=x', '/accept-invite?token=x']) {
    const [name = ''] = address.slice(1).split('=');
    places.push({ path: '/login', name: `plain-${name.replace('?', '-')}`, address, open: true });
  }
  return places;
}

async function addressOf(stage: Stage, path: string, [a = '', b = '']: readonly string[]): Promise<string> {
  if (path === '/decisions/compare') return `${path}?a=${a}&b=${b}`;
  // Whoever is signed out is led there from every page, and without loading it anew.
  if (path === '/login') return '/decisions';
  if (path === '/simulate') return `${path}?customer=${customer}`;
  if (!path.includes('$')) return path;
  if (path === '/decisions/$id') return `/decisions/${a}`;
  if (path === '/customers/$id') return `/customers/${customer}`;
  const record = recordOf[path];
  assert.ok(record, `no record is known to show ${path} with: add it to places.ts`);
  return path.replace('$id', await firstOf(stage, record));
}

async function firstOf(stage: Stage, { list, otherwise }: (typeof recordOf)[string]): Promise<string> {
  const { data } = await stage.call('GET', `${list}?limit=1`);
  assert.ok(Array.isArray(data), list);
  const [first] = data as readonly { readonly id: string }[];
  if (first !== undefined) return first.id;
  assert.ok(otherwise, `the demo has no ${list}`);
  return String((await stage.call('POST', list, otherwise)).id);
}

/** Waits until a page shows its heading and nothing on it is still on its way. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForFunction(
    () =>
      document.querySelector(
        '.animate-skeleton, .animate-turn, [aria-busy="true"], [role="status"][aria-label="Loading"]',
      ) === null,
  );
  await frames(page);
}

/** Lets the browser draw what has changed, and waits until no colour is on its way from one to another. */
export async function frames(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every((each) => each.playState !== 'running' || each.effect?.getTiming().iterations === Infinity),
  );
}

/** Shows the page in a theme, as the menu of themes does; the server's own pages follow the browser. */
export async function wear(page: Page, theme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.evaluate((chosen) => {
    document.documentElement.dataset.theme = chosen;
  }, theme);
  await frames(page);
}
