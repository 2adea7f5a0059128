// What screens show on bad days: fields and features that are gone, limits, a lost server.
import type { Page, Route } from 'playwright-core';
import { ask, go, type Overlay, press, rowsOf, unused } from './steps.ts';

/** Answers the list of offers with an error. */
async function offersFailWith(
  page: Page,
  status: number,
  problem: { readonly code: string; readonly [property: string]: unknown },
  headers = {},
): Promise<void> {
  const type = `urn:arbiter:error:${problem.code}`;
  await page.route(/\/api\/v1\/offers\?/, (route) =>
    route.fulfill({
      status,
      headers: { 'content-type': 'application/problem+json', ...headers },
      json: { type, status, requestId: '01a22d2f-7018-7522-85c2-72c360388540', errors: [], ...problem },
    }),
  );
  await page.goto(new URL('/offers', page.url()).href);
}

/** Changes a new offer in its form, and presses Save while the server answers like this. */
async function saveOffer(page: Page, answer: (route: Route) => Promise<void>): Promise<void> {
  const { id } = await ask(page, 'POST', 'offers', { name: unused('Iced Latte'), status: 'draft' });
  await go(page, `/offers/${id}/edit`);
  await page.getByRole('textbox', { name: 'Name' }).fill(unused('Iced Oat Latte'));
  await page.route('**/api/v1/offers/*', (route) =>
    route.request().method() === 'PUT' ? answer(route) : route.continue(),
  );
  await press(page, 'Save');
}

export const badDayOverlays: readonly Overlay[] = [
  {
    name: 'offer-with-lost-fields',
    address: '/offers',
    open: async (page) => {
      const field = (key: string, label: string) => ({ key, label, type: 'text' });
      const customFields = [field('grade', 'Grade'), field('yearly_fee', 'Annual fee')];
      const { id: categoryId } = await ask(page, 'POST', 'categories', { name: unused('Cards'), customFields });
      const metadata = { customFields: { grade: 'gold', yearly_fee: 'x'.repeat(120) } };
      const body = { name: unused('Gold Card'), status: 'draft', categoryId, metadata };
      const { id } = await ask(page, 'POST', 'offers', body);
      await ask(page, 'PUT', `categories/${categoryId}`, { customFields: [field('grade', 'Grade')] });
      await go(page, `/offers/${id}/edit`);
      await page.getByRole('button', { name: 'Remove value' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'list-at-rate-limit',
    address: '/settings',
    open: async (page) => {
      const problem = { code: 'rate_limited', title: 'Too many requests', error: 'Too many requests' };
      await offersFailWith(page, 429, { ...problem, retryAfterSeconds: 40 }, { 'retry-after': '40' });
      await page.getByText('Try again in', { exact: false }).first().waitFor();
      await page.unrouteAll();
    },
  },
  {
    name: 'form-at-rate-limit',
    address: '/offers',
    open: async (page) => {
      const code = 'rate_limited';
      const problem = { title: 'Too many requests', error: 'Too many requests', retryAfterSeconds: 40, errors: [] };
      await saveOffer(page, (route) =>
        route.fulfill({
          status: 429,
          headers: { 'content-type': 'application/problem+json', 'retry-after': '40' },
          json: { type: `urn:arbiter:error:${code}`, status: 429, code, requestId: '01a22d2f', ...problem },
        }),
      );
      await page.getByText('Try again in', { exact: false }).first().waitFor();
      await page.unrouteAll();
    },
  },
  {
    name: 'form-without-server',
    address: '/offers',
    open: async (page) => {
      await saveOffer(page, (route) => route.abort('connectionrefused'));
      await page.getByRole('alert').first().waitFor();
      await page.unrouteAll();
    },
  },
  {
    name: 'list-that-failed',
    address: '/settings',
    open: async (page) => {
      const error = 'Something went wrong. Send the request ID to the server administrator.';
      await offersFailWith(page, 500, { code: 'internal', title: 'Internal server error', error });
      await page.getByText('Something went wrong on the server').waitFor();
      await page.unrouteAll();
    },
  },
  {
    name: 'lost-server',
    address: '/offers',
    open: async (page) => {
      await page.route('**/api/v1/**', (route) => route.abort('connectionrefused'));
      await page.keyboard.press('g');
      await page.keyboard.press('c');
      await page.getByText("Can't reach the server.", { exact: false }).first().waitFor();
      await page.unrouteAll();
    },
  },
  {
    name: 'feature-off',
    address: '/content',
    open: async (page) => {
      await ask(page, 'PUT', 'tenant-settings', { enableContentManagement: false });
      try {
        await go(page, '/content');
        await page.getByRole('alert').getByText('Content management is turned off').waitFor();
      } finally {
        // Other overlays need it.
        await ask(page, 'PUT', 'tenant-settings', { enableContentManagement: true });
      }
    },
  },
  {
    name: 'offer-in-long-words',
    address: '/offers',
    open: async (page) => {
      const [offer] = await rowsOf(page, 'offers?search=W%C3%BC&limit=1');
      const name = `Wü${'ß'.repeat(250)}`;
      const description = 'w'.repeat(255);
      const { id } =
        offer ?? (await ask(page, 'POST', 'offers', { name, description, status: 'draft', tags: [name.slice(0, 50)] }));
      await go(page, `/offers/${id}`);
    },
  },
  {
    name: 'offer-from-right-to-left',
    address: '/offers',
    open: async (page) => {
      const { id } = await ask(page, 'POST', 'offers', {
        name: unused('עודד (חדש)'),
        description: 'مرحبا بكم في القهوة!',
      });
      await go(page, `/offers/${id}`);
    },
  },
];
