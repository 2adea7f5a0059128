// Runs in one of 3 turns: what it calls has tests of its own.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import {
  type ReportDocument,
  renderReport,
} from '../../packages/server/src/features/operations/report-rendering/index.ts';
import {
  businessWeek,
  column,
  documentOf,
  hostileTexts,
  sectionOf,
} from '../../packages/server/src/features/operations/report-rendering/test-documents.ts';
import { launchBrowser, noBrowser } from './console/browser.ts';

/** A report's HTML as readers open it: from the server, from an email, on a phone, on paper. */

const skip = noBrowser;
const address = 'http://reports.example/report.html';
let browser: Browser;
before(async () => {
  if (skip === false) browser = await launchBrowser();
});
after(() => browser?.close());

interface Opened {
  readonly page: Page;
  /** Requests beyond the page itself, dialogs, and errors of the page. */
  readonly faults: string[];
}

/** @param isServed with the header that the server sends; without, as from a folder */
async function open(
  document: ReportDocument,
  { isServed = false, width = 1440, theme = 'light' as 'light' | 'dark', bypassCSP = false } = {},
): Promise<Opened> {
  const [html] = await renderReport(document, ['html']);
  assert.ok(html);
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 }, bypassCSP });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('dialog', (dialog) => {
    faults.push(dialog.message());
    void dialog.dismiss();
  });
  await page.route('**', (route) => {
    if (route.request().url() !== address) {
      faults.push(route.request().url());
      return route.abort();
    }
    const headers = isServed ? { 'content-security-policy': 'sandbox' } : {};
    return route.fulfill({ body: html.content, contentType: html.mimeType, headers });
  });
  await page.goto(address);
  return { page, faults };
}

test('names that are scripts run nothing, load nothing and appear as text', { skip }, async () => {
  const columns = [column('offer', 'text', '<b onclick=alert(1)>Offer</b>'), column('n', 'integer', 'N')];
  const rows = hostileTexts.map((offer, n) => ({ offer, n }));
  const title = '</title><script>alert(1)</script>';
  const section = sectionOf({
    title,
    columns,
    rows,
    chart: { kind: 'bar', x: 'offer', y: ['n'] },
    narrative: hostileTexts.join('\n'),
  });
  for (const isServed of [true, false]) {
    const { page, faults } = await open(documentOf([section], { name: title }), { isServed });
    assert.equal(await page.title(), title);
    assert.equal(
      await page.locator('script, img, iframe, object, embed, link, [onclick], [onerror], [style]').count(),
      0,
    );
    assert.equal(await page.locator('tbody tr').count(), rows.length);
    assert.equal(
      await page.locator('tbody tr').first().locator('td').first().textContent(),
      '<script>alert(1)</script>',
    );
    for (const cell of await page.locator('tbody tr:nth-child(-n+4) td').all()) await cell.click();
    assert.deepEqual(faults, []);
    await page.context().close();
  }
});

test('fits a phone without cutting anything off, and is accessible', { skip }, async () => {
  for (const theme of ['light', 'dark'] as const) {
    for (const width of [1440, 390]) {
      const { page, faults } = await open(businessWeek(), { theme, width, bypassCSP: true });
      const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.equal(over, 0, `${theme} ${width}`);
      assert.equal(await page.locator('svg:visible').count(), 4, 'one drawing of each chart');
      await page.evaluate(axe.source);
      const found: unknown = await page.evaluate(
        `axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
      );
      assert.deepEqual(found, [], `${theme} ${width}`);
      assert.deepEqual(faults, []);
      await page.context().close();
    }
  }
});

test('prints light, with table headers on every page', { skip }, async () => {
  const rows = Array.from({ length: 120 }, (_, at) => ({ offer: `Offer ${at}`, impressions: at }));
  const { page } = await open(documentOf([sectionOf({ rows })]), { theme: 'dark' });
  const color = (): Promise<string> => page.evaluate('getComputedStyle(document.body).color');
  const onScreen = await color();
  await page.emulateMedia({ media: 'print' });
  assert.notEqual(await color(), onScreen);
  assert.equal(await color(), 'rgb(23, 26, 24)');
  assert.equal(await page.evaluate(`getComputedStyle(document.querySelector('thead')).display`), 'table-header-group');
  const printed = await page.pdf({ preferCSSPageSize: true });
  assert.ok(printed.length > 10_000);
  await page.context().close();
});
