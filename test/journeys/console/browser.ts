// A browser before a real server: what every journey through the console starts with.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { createInstallation, freePort, type Installation, type ServerProcess } from '../../faults/server-process.ts';
import { type PrefixProxy, startPrefixProxy } from './prefix-proxy.ts';
import { standOf, watch } from './watch.ts';

const places = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const program = places.find((path) => path !== '' && existsSync(path));
const built = existsSync(join(import.meta.dirname, '../../../packages/console/dist/index.html'));

/**
 * Why journeys cannot run here; false: they can. Where BROWSER_TESTS is `required` they run whatever is missing, and fail.
 */
export const cannotBrowse: string | false =
  process.env.BROWSER_TESTS === 'required' || (program !== undefined && built)
    ? false
    : program === undefined
      ? 'there is no chromium on this machine'
      : 'the console is not built: npm run console:build';

/** Why no browser can be started; false: one can. As above where BROWSER_TESTS is `required`. */
export const noBrowser: string | false =
  process.env.BROWSER_TESTS === 'required' || program !== undefined ? false : 'there is no chromium on this machine';

/** A browser alone; who starts it closes it. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(program === undefined ? {} : { executablePath: program }),
    args: ['--no-sandbox'],
  });
}

/** A server with the demo tenant on a database of its own, and a browser. */
export interface Stage {
  /** Folder of the server. */
  readonly folder: string;
  /** Address of the server, as the browser knows it. */
  readonly url: string;
  /** What stands between browser and server; null: nothing. */
  readonly proxy: PrefixProxy | null;
  /** Key of the demo tenant, with every right. */
  readonly apiKey: string;
  /** Address that signs the demo's admin in, once. */
  readonly firstRun: string;
  /** What the server has printed so far. */
  output(): string;
  /** Opens a page of its own: own cookies, own storage. */
  open(options?: { readonly theme?: 'light' | 'dark'; readonly width?: number }): Promise<Page>;
  /** Calls the API with the key of the demo; throws for every status outside 200 to 299. */
  call(method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Ends the server as an operator does, and waits until it has ended. */
  stop(): Promise<void>;
  /** Starts the server again, with the same data at the same address. */
  start(): Promise<void>;
  /** What went wrong in the pages so far; empty is right. */
  faults(): readonly string[];
  /** Where each page stands: its address, what it says, and the calls that failed, for the report of a test that failed. */
  stands(): Promise<string>;
  close(): Promise<void>;
}

export type Answer = Readonly<Record<string, unknown>>;

export interface StageOptions {
  /** Path of the server's public address, without a slash at its end; with one, a proxy stands before the server. */
  readonly prefix?: string;
  /** Settings of the server besides its address, which are made from that where they depend on it. */
  readonly settings?: (url: string) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Origins besides the server's that pages may go to: an identity provider. */
  readonly elsewhere?: () => readonly string[];
}

/**
 * How many times slower than it is the browser is to compute: `JOURNEY_SLOWDOWN=10 npm test -- test/journeys/console` finds
 * the press that comes before the page is ready.
 */
const slowdown = Number(process.env.JOURNEY_SLOWDOWN ?? 1);

/** Starts a server on an empty folder, as `npm start` does, and a browser. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { prefix = '', settings, elsewhere = () => [] } = options;
  const port = await freePort();
  const publicPort = prefix === '' ? port : await freePort();
  const url = `http://localhost:${publicPort}${prefix}`;
  const environment = { ...(await settings?.(url)), PORT: String(port), NEXTAUTH_URL: url };
  const installation: Installation = await createInstallation(environment, []);
  let browser: Browser | null = null;
  let proxy: PrefixProxy | null = null;
  try {
    if (prefix !== '') proxy = await startPrefixProxy(publicPort, prefix, port);
    const server = await installation.start();
    browser = await launchBrowser();
    return stageOf(installation, server, browser, url, proxy, elsewhere);
  } catch (error) {
    await browser?.close();
    await proxy?.close();
    await installation.stopAll();
    throw error;
  }
}

function stageOf(
  installation: Installation,
  first: ServerProcess,
  browser: Browser,
  url: string,
  proxy: PrefixProxy | null,
  elsewhere: () => readonly string[],
): Stage {
  let server = first;
  const printed = (pattern: RegExp): string => {
    const found = pattern.exec(server.output())?.[1];
    assert.ok(found, `the server printed nothing like ${pattern}:\n${server.output()}`);
    return found;
  };
  const firstRun = printed(/^open\s+(\S+)/m);
  const apiKey = printed(/^API key\s+(\S+)/m);
  const faults: string[] = [];
  const failedCalls: string[] = [];
  const contexts: BrowserContext[] = [];
  return {
    folder: installation.folder,
    url,
    proxy,
    apiKey,
    firstRun,
    output: () => server.output(),
    async open({ theme = 'dark', width = 1440 } = {}) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: theme });
      contexts.push(context);
      context.on('page', (page) => watch(page, () => [url, ...elsewhere()], { faults, failedCalls }));
      const page = await context.newPage();
      if (slowdown > 1) {
        const session = await context.newCDPSession(page);
        await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
      }
      return page;
    },
    async call(method, path, body, headers = {}) {
      const answer = await patiently(() =>
        fetch(`${url}/api/v1/${path}`, {
          method,
          headers: {
            authorization: `Bearer ${apiKey}`,
            'x-requested-with': 'journey',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      const text = await answer.text();
      assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
      return JSON.parse(text || '{}') as Answer;
    },
    async stop() {
      server.kill('SIGTERM');
      await server.ended;
    },
    async start() {
      server = await installation.start();
    },
    faults: () => faults,
    async stands() {
      const pages = await Promise.all(contexts.flatMap((context) => context.pages()).map(standOf));
      return [...pages, 'calls that failed, the last ones:', ...failedCalls.slice(-12)].join('\n');
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await browser.close();
      await proxy?.close();
      await installation.stopAll();
    },
  };
}

/** Calls again while the server says that it has too much to do, as it does on a busy machine, when it says to come again. */
export async function patiently(ask: () => Promise<Response>): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    if (answer.status !== 503 || tries >= 20) return answer;
    await answer.arrayBuffer();
    await new Promise((done) => setTimeout(done, Number(answer.headers.get('retry-after') ?? 1) * 1_000));
  }
}

/**
 * Does something, and waits for what the page says of it in passing: from before, as it is gone after a few seconds, which a busy
 * machine may sleep through.
 */
export async function says(page: Page, text: string, act: () => Promise<void>): Promise<void> {
  await Promise.all([page.getByText(text, { exact: false }).first().waitFor(), act()]);
}

/**
 * After each test of a file: the browser's console stayed empty, whatever the journey did. Of a test that failed, where its
 * pages stood is told.
 */
export function holdEachJourney(stageNow: () => Stage | undefined): void {
  afterEach(async (test) => {
    const stage = stageNow();
    if (stage === undefined) return;
    if ('passed' in test && !test.passed) test.diagnostic(`where it stood\n${await stage.stands()}`);
    assert.deepEqual(stage.faults(), []);
    assert.deepEqual(stage.proxy?.strays ?? [], [], 'every address lies below the path of the server');
  });
}
