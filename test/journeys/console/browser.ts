// A browser before a real server: what every journey through the console starts with.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { createInstallation, freePort, type Installation, type ServerProcess } from '../../faults/server-process.ts';
import { type PrefixProxy, startPrefixProxy } from './prefix-proxy.ts';

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
  close(): Promise<void>;
}

export type Answer = Readonly<Record<string, unknown>>;

/**
 * Starts a server on an empty folder, as `npm start` does, and a browser.
 *
 * @param prefix path of the server's public address, without a slash at its end; with one, a proxy stands before the server
 */
export async function openStage(prefix = ''): Promise<Stage> {
  const port = await freePort();
  const publicPort = prefix === '' ? port : await freePort();
  const url = `http://localhost:${publicPort}${prefix}`;
  const environment = { PORT: String(port), NEXTAUTH_URL: url };
  const installation: Installation = await createInstallation(environment, []);
  let browser: Browser | null = null;
  let proxy: PrefixProxy | null = null;
  try {
    if (prefix !== '') proxy = await startPrefixProxy(publicPort, prefix, port);
    const server = await installation.start();
    browser = await launchBrowser();
    return stageOf(installation, server, browser, url, proxy);
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
      const page = await context.newPage();
      watch(page, url, faults);
      return page;
    },
    async call(method, path, body, headers = {}) {
      const ask = () =>
        fetch(`${url}/api/v1/${path}`, {
          method,
          headers: {
            authorization: `Bearer ${apiKey}`,
            'x-requested-with': 'journey',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      let answer = await ask();
      // On a busy machine the server says that it has too much to do, and when to come again.
      for (let tries = 1; answer.status === 503 && tries < 20; tries += 1) {
        await answer.arrayBuffer();
        await new Promise((done) => setTimeout(done, Number(answer.headers.get('retry-after') ?? 1) * 1_000));
        answer = await ask();
      }
      const text = await answer.text();
      assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
      return JSON.parse(text) as Answer;
    },
    async stop() {
      server.kill('SIGTERM');
      await server.ended;
    },
    async start() {
      server = await installation.start();
    },
    faults: () => faults,
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await browser.close();
      await proxy?.close();
      await installation.stopAll();
    },
  };
}

/** Notes everything that no page of the console may do: errors in its console, refusals of its policy, calls elsewhere. */
function watch(page: Page, url: string, faults: string[]): void {
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // The browser itself writes a line for each answer from 400 on; what the page makes of it is what counts.
    if (/^Failed to load resource/.test(message.text())) return;
    faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const address = request.url();
    if (address !== url && !address.startsWith(`${url}/`) && !/^(data|blob|about):/.test(address))
      faults.push(`foreign request: ${address}`);
  });
}
