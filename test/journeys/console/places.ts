// Every screen of the console, at an address where the demo has data.
import assert from 'node:assert/strict';
import { type Resource, resources } from '@arbiter/contract';
import type { Page } from 'playwright-core';
import { screens } from '../../../packages/console/src/app/manifest.ts';
import { recordKinds } from '../../../packages/console/src/records/record-kinds.ts';
import type { Stage } from './browser.ts';

/** A screen with data. */
export interface Place {
  /** Path of its screen in the manifest. */
  readonly path: string;
  /** Unique; used as a file name. */
  readonly name: string;
  readonly address: string;
  /** Shown without signing in. */
  readonly open: boolean;
}

/** Records created for screens whose list is empty in the demo, by record type. Other types use their draft of the contract. */
const drafts: Readonly<Record<string, object>> = {
  contactPolicy: {
    name: 'Three a day',
    ruleType: 'frequency_cap',
    scope: 'global',
    config: { maxImpressions: 3, period: 'daily' },
  },
  contentItem: {
    name: 'Coffee letter',
    channelType: 'email',
    content: { subject: 'Hello {first}' },
    personalization: { first: { source: 'customer.first_name', fallback: 'you' } },
    blocks: [
      { type: 'heading', props: { text: 'News for {first}' } },
      { type: 'columns', props: {}, children: [{ type: 'column' }, { type: 'column' }] },
    ],
  },
  segment: {
    name: 'Grown up',
    filters: [{ logic: 'and', conditions: [{ field: 'age', operator: 'gte', value: 18 }] }],
  },
};

/** Record types whose name in the contract differs. */
const contractNames: Readonly<Record<string, string>> = { schema: 'dataSchema' };

const customer = 'CM-000031';
/** Tabs with addresses of their own. */
const tabs: Readonly<Record<string, readonly string[]>> = {
  '/customers/$id': ['offers', 'limits', 'profile', 'summaries'],
  '/decisions/$id': ['creative', 'inputs', 'what-if', 'trace', 'proof'],
  '/data/schemas/$id': ['rows', 'links'],
  '/policies/studio': ['pressure', 'timelines'],
};

/**
 * Fills the demo with data for every screen, and returns their addresses. Throws for a screen with a parameter that has no
 * value here, so that no new screen is forgotten.
 */
export async function placesOf(stage: Stage): Promise<readonly Place[]> {
  const decide = async (customerId: string, channel: string): Promise<string> =>
    String((await stage.call('POST', 'recommend', { customerId, channel })).recommendationId);
  // Lists that are empty in the demo.
  await stage.call('POST', 'users', { email: 'invited@example.test' });
  await stage.call('POST', 'oauth/clients', { name: 'Campaign tool', scopes: ['read', 'write'] });
  const decisions = [await decide(customer, 'email'), await decide('CM-000001', 'web')];
  const places: Place[] = [];
  for (const { path, access } of screens) {
    const address = await addressOf(stage, path, decisions);
    const name = path === '/' ? 'home' : path.slice(1).replaceAll('/', '-').replaceAll('$', '');
    const open = access === 'public';
    places.push({ path, name, address, open });
    // For browsers without scripts, the server itself answers there.
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
  // Signed-out users are redirected there from every page, without a reload.
  if (path === '/login') return '/decisions';
  if (path === '/simulate') return `${path}?customer=${customer}`;
  if (!path.includes('$')) return path;
  if (path.startsWith('/data/schemas/')) return schemaForm(stage, path);
  if (path === '/decisions/$id') return `/decisions/${a}`;
  if (path === '/customers/$id') return `/customers/${customer}`;
  if (path === '/studies/$id') return path.replace('$id', await completeStudy(stage));
  if (path === '/settings/destinations/$id/edit') return path.replace('$id', await destinationOf(stage));
  const [kind = ''] =
    path === '/categories/sub/$id/edit'
      ? ['subCategory']
      : (Object.entries(recordKinds).find(([, { path: list }]) =>
          [`${list}/$id`, `${list}/$id/edit`, `${list}/$id/settings`, `${list}/$id/publish`].includes(path),
        ) ?? []);
  assert.notEqual(kind, '', `no record is known to show ${path} with: add it to addressOf in places.ts`);
  return path.replace('$id', await firstOf(stage, kind));
}

/** The pages of a schema with fields and of a join. */
async function schemaForm(stage: Stage, path: string): Promise<string> {
  const { data } = await stage.call('GET', 'schemas?limit=100');
  const [schema, other] = data as readonly {
    readonly id: string;
    readonly fields: readonly { readonly id: string }[];
  }[];
  assert.ok(schema && other, 'the demo has two schemas');
  if (path.startsWith('/data/schemas/joins/')) {
    const found = (await stage.call('GET', 'schema-joins?limit=1')).data as readonly { readonly id: string }[];
    const id = found[0]?.id ?? (await createJoin(stage, schema.id, other.id));
    return `${path.replace('$id', id)}?schema=${schema.id}`;
  }
  return path.replace('$id', schema.id).replace('$field', schema.fields[0]?.id ?? '');
}

async function createJoin(stage: Stage, primarySchemaId: string, foreignSchemaId: string): Promise<string> {
  const nameOf = async (id: string) => {
    const { fields } = await stage.call('GET', `schemas/${id}`);
    return String(Reflect.get(Object((fields as readonly unknown[])[0]), 'name'));
  };
  const columns = { primaryKey: await nameOf(primarySchemaId), foreignKey: await nameOf(foreignSchemaId) };
  const join = await stage.call('POST', 'schema-joins', {
    ...{ name: 'Journey', primarySchemaId, foreignSchemaId, autoEnrich: false, ...columns },
  });
  return String(join.id);
}

/** Creates a destination and returns its ID. */
async function destinationOf(stage: Stage): Promise<string> {
  const config = {
    url: 'https://hooks.example.com/arbiter',
    secret: 'a secret of 16 or more',
    headers: { 'X-Team': 'a' },
  };
  const destination = await stage.call('POST', 'notifications/providers', { kind: 'webhook', name: 'On call', config });
  return String(destination.id);
}

/** Returns the ID of a decision test that fails. */
async function createTest(stage: Stage): Promise<string> {
  const flowId = await firstOf(stage, 'decisionFlow');
  const test = await stage.call('POST', 'decision-tests', {
    ...{ decisionFlowId: flowId, name: 'Minors get no stars' },
    given: { now: '2026-12-01T12:00:00Z', customer: { age: 17, tier: 'gold' }, request: { channel: 'email' } },
    expect: { excludes: [{ offer: 'Welcome Double Stars' }], count: 0 },
  });
  return String(test.id);
}

/** Returns the ID of a backtest of the last day, once it's completed. */
async function completeStudy(stage: Stage): Promise<string> {
  const flowId = await firstOf(stage, 'decisionFlow');
  const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
  const question = { version: 'draft', from: day(-1), to: day(1), limits: { maxChangedShare: 0.5 } };
  const { studyId } = await stage.call('POST', `decision-flows/${flowId}/backtest`, question);
  for (let tries = 0; ; tries += 1) {
    const { status } = await stage.call('GET', `studies/${String(studyId)}`);
    if (status === 'completed') return String(studyId);
    assert.ok(tries < 600 && (status === 'queued' || status === 'running'), `the study is ${String(status)}`);
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** Returns the ID of the first record of a type; creates one if necessary. */
async function firstOf(stage: Stage, kind: string): Promise<string> {
  const resource = Object.values<Resource>(resources).find(
    ({ entityType }) => entityType === (contractNames[kind] ?? kind),
  );
  assert.ok(resource, `the contract has no resource ${kind}: add its name to contractNames in places.ts`);
  const { data } = await stage.call('GET', `${resource.path}?limit=1`);
  assert.ok(Array.isArray(data), resource.path);
  const [first] = data as readonly { readonly id: string }[];
  if (first !== undefined) return first.id;
  if (kind === 'decisionTest') return createTest(stage);
  return String((await stage.call('POST', resource.path, drafts[kind] ?? draftOf(resource))).id);
}

function draftOf({ path, draft }: Resource): object {
  const missing = `the demo has no ${path}, and their draft refers to other records: add one to drafts in places.ts`;
  assert.ok(draft, missing);
  const id = (): string => assert.fail(missing);
  return draft({ marker: 'journey', name: (text) => text, key: (text) => text, id });
}

/** Waits until a page shows its heading and has finished loading. */
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

/** Waits until the browser has painted and no animation runs. */
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

/** Switches the page to a theme, as the menu does; the server's own pages follow the browser. */
export async function wear(page: Page, theme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.evaluate((chosen) => {
    document.documentElement.dataset.theme = chosen;
  }, theme);
  await frames(page);
}

/**
 * Makes every text of the page about 40% longer, as in another language: doubles vowels, and adds brackets that show where one
 * is cut. Reload the page before using it again.
 */
export async function speakAtLength(page: Page): Promise<void> {
  await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: Node[] = [];
    while (walker.nextNode() !== null) texts.push(walker.currentNode);
    for (const text of texts) {
      const words = text.nodeValue ?? '';
      if (/[a-z]{2}/i.test(words) && text.parentElement?.closest('script, style') === null)
        text.nodeValue = `[${words.replace(/[aeiou]/gi, (vowel) => vowel + vowel)}]`;
    }
  });
  await frames(page);
}
