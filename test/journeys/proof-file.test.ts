// Runs in one of 3 turns: what it calls has tests of its own.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { RecommendAnswer } from '@arbiter/contract';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { bundleProofPage } from '../../tools/bundle-proof.ts';
import { launchBrowser, noBrowser } from './console/browser.ts';

/** The proof of a decision, from the server to a browser without a network. */

const hostile = '</script><script>alert(1)</script><img src=x onerror=alert(2)> & $& "quoted" ‮';
let server: TestServer;
let browser: Browser | null = null;
let folder: string;
let page = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arbiter-proof-'));
  server = await startTestServer({ consoleFolder: folder });
  if (noBrowser === false) browser = await launchBrowser();
  await server.create('offers', { name: hostile, status: 'active', priority: 80 });
  await server.create('offers', { name: 'Plain offer', status: 'active', priority: 40 });
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 's', type: 'score', config: { method: 'propensity' } },
  ];
  const draftConfig = { version: 2, nodes, flowConfig: { explore: { rate: 0.2 } } };
  await server.publishFlow(await server.create('decision-flows', { key: 'proven', name: 'Proven', draftConfig }));
});
after(async () => {
  await browser?.close();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

async function decide(customerId: string, attributes: object = {}): Promise<string> {
  const call = { customerId, decisionFlowKey: 'proven', attributes };
  const { status, body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body: call });
  assert.equal(status, 200, text);
  return body.requestId;
}
interface AuditPage {
  readonly data: readonly { readonly entityType: string; readonly entityName: string }[];
}
const proofPath = (id: string): string => `/api/v1/decisions/${id}/proof`;

/** Opens a file without a network. `requests`: everything the page loads besides itself; `faults`: errors and dialogs. */
async function open(html: string, look: { readonly width?: number; readonly theme?: 'light' | 'dark' } = {}) {
  assert.ok(browser);
  const { width = 1440, theme = 'light' } = look;
  const file = join(folder, `opened-${Math.random()}.html`);
  await writeFile(file, html);
  const context = await browser.newContext({ offline: true, colorScheme: theme, viewport: { width, height: 900 } });
  const opened = await context.newPage();
  const requests: string[] = [];
  const faults: string[] = [];
  const address = pathToFileURL(file).href;
  opened.on('request', (request) => request.url() !== address && requests.push(request.url()));
  opened.on('console', (message) => faults.push(message.text()));
  opened.on('pageerror', (error) => faults.push(error.message));
  opened.on('dialog', (dialog) => {
    faults.push(dialog.message());
    void dialog.dismiss();
  });
  await opened.goto(address);
  await opened.locator('.verdict').waitFor();
  return { page: opened, requests, faults };
}
const textOf = async (opened: Page, selector: string) => (await opened.locator(selector).textContent()) ?? '';
const verdictOf = (opened: Page) => opened.locator('.verdict').getAttribute('class');

test('requires the console build', async () => {
  const { status, body } = await server.call('GET', proofPath(await decide('C0')));
  assert.deepEqual([status, body.code], [503, 'not_configured']);
  await writeFile(join(folder, 'index.html'), '<html><head></head></html>');
  page = await bundleProofPage(join(import.meta.dirname, '../../packages/console'));
  await writeFile(join(folder, 'proof.html'), page);
});

test('verifies in a browser without a network, and shows tenants’ texts as text', { skip: noBrowser }, async () => {
  const answer = await server.call('GET', proofPath(await decide('C <1>', { page: hostile })));
  assert.equal(answer.status, 200, answer.text);
  assert.match(String(answer.headers['content-type']), /^text\/html/);
  assert.match(String(answer.headers['content-disposition']), /^attachment; filename="proof-[0-9a-f-]{36}\.html"$/);
  for (const look of [{}, { width: 390, theme: 'dark' }] as const) {
    const opened = await open(answer.text, look);
    assert.equal(await verdictOf(opened.page), 'verdict identical', await textOf(opened.page, 'main'));
    await opened.page.getByText('alert(1)', { exact: false }).first().waitFor();
    assert.deepEqual([opened.requests, opened.faults], [[], []]);
    const wide = await opened.page.evaluate('document.documentElement.scrollWidth > innerWidth');
    assert.equal(wide, false, 'scrolls sideways');
    await opened.page.context().close();
  }
});

test('has no accessibility violations', { skip: noBrowser }, async () => {
  const { text } = await server.call('GET', proofPath(await decide('C2')));
  assert.ok(browser);
  const context = await browser.newContext({ bypassCSP: true, viewport: { width: 390, height: 900 } });
  const opened = await context.newPage();
  await opened.setContent(text);
  await opened.locator('.verdict').waitFor();
  await opened.evaluate(axe.source);
  const violations = await opened.evaluate(async () => {
    const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`);
  });
  assert.deepEqual(violations, []);
  await context.close();
});

test('shows a changed file as not verified, with what differs', { skip: noBrowser }, async () => {
  const { text } = await server.call('GET', proofPath(await decide('C3')));
  const start = text.indexOf('id="proof">') + 'id="proof">'.length;
  const end = text.indexOf('</script>', start);
  const proof = JSON.parse(text.slice(start, end));
  const other = async (change: object) => {
    const json = JSON.stringify({ ...proof, ...change }).replaceAll('<', '\\u003c');
    const opened = await open(text.slice(0, start) + json + text.slice(end));
    assert.equal(await verdictOf(opened.page), 'verdict different');
    const shown = await textOf(opened.page, 'main');
    await opened.page.context().close();
    return shown;
  };
  assert.match(await other({ inputs: proof.inputs.replace('C3', 'C4') }), /Differs/);
  assert.match(await other({ plan: { ...proof.plan, head: proof.plan.head.replace('proven', 'Proven') } }), /Differs/);
  const result = JSON.parse(proof.result);
  result.i[0][7] += 0.5;
  assert.match(await other({ result: JSON.stringify(result) }), /\/items\/0\/score/);
});

test('requires an editor, and is audited', async () => {
  const id = await decide('C5');
  const viewer = await server.call('GET', proofPath(id), { key: server.tenants[0].keys.viewer });
  assert.deepEqual([viewer.status, viewer.body.code], [403, 'forbidden']);
  assert.equal((await server.call('GET', proofPath('00000000-0000-7000-8000-000000000000'))).status, 404);
  assert.equal((await server.call('GET', proofPath(id))).status, 200);
  const { body } = await server.call<AuditPage>('GET', '/api/v1/audit-logs?action=download_proof&limit=1');
  assert.deepEqual([body.data[0]?.entityType, body.data[0]?.entityName], ['decision', 'proven']);
});

test('leaves withheld fields out and names them', { skip: noBrowser }, async () => {
  await server.call('PUT', '/api/v1/tenant-settings', { body: { neverStore: ['diagnosis'] } });
  const { text } = await server.call('GET', proofPath(await decide('C6', { diagnosis: 'a secret illness' })));
  assert.ok(!text.includes('a secret illness'));
  const opened = await open(text);
  assert.match(await textOf(opened.page, '.verdict'), /diagnosis/);
  assert.doesNotMatch(String(await verdictOf(opened.page)), /different/);
  await opened.page.context().close();
});

test('is rejected after erasure, like a replay', async () => {
  const id = await decide('C7');
  const erased = await server.call('DELETE', '/api/v1/customers/C7/data?scope=all', {
    headers: { 'x-confirm-delete': 'C7' },
  });
  assert.ok(erased.status < 300, erased.text);
  const { status, body } = await server.call('GET', proofPath(id));
  assert.deepEqual([status, body.code], [409, 'inputs_unavailable']);
});
