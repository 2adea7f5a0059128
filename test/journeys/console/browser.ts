// A browser and a real server, for the journeys through the console.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { createTestDatabase, type TestDatabase } from '../../../packages/server/src/db/test-database.ts';
import { createInstallation, freePort, type Installation, type ServerProcess } from '../../faults/server-process.ts';
import { createDemoDatabase, demoSecrets } from './demo-database.ts';
import { type PrefixProxy, startPrefixProxy } from './prefix-proxy.ts';
import { standOf, watch } from './watch.ts';

// The shell is the same engine without a window, and takes a quarter less processor time.
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const places = [process.env.CHROMIUM ?? '', ...programs.map((name) => `/usr/bin/${name}`)];
const program = places.find((path) => path !== '' && existsSync(path));
const built = existsSync(join(import.meta.dirname, '../../../packages/console/dist/index.html'));

/** Why journeys can't run here; false if they can. With BROWSER_TESTS=required, they run anyway and fail. */
export const cannotBrowse: string | false =
  process.env.BROWSER_TESTS === 'required' || (program !== undefined && built)
    ? false
    : program === undefined
      ? 'there is no chromium on this machine'
      : 'the console is not built: npm run build';

/** Why no browser can be started; false if one can, or with BROWSER_TESTS=required. */
export const noBrowser: string | false =
  process.env.BROWSER_TESTS === 'required' || program !== undefined ? false : 'there is no chromium on this machine';

/** Starts a browser. The caller closes it. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(program === undefined ? {} : { executablePath: program }),
    args: ['--no-sandbox'],
  });
}

/** A server with its own database, and a browser. */
export interface Stage {
  /** The server's database; null if the server started its own. */
  readonly database: TestDatabase | null;
  /** Folder of the server. */
  readonly folder: string;
  /** Address of the server for the browser. */
  readonly url: string;
  /** The proxy between browser and server; null without one. */
  readonly proxy: PrefixProxy | null;
  /** API key of the demo tenant with every permission. */
  readonly apiKey: string;
  /** One-time address that signs in the demo's admin. */
  readonly firstRun: string;
  /** Output of the server: when it created the demo, and since its last start. */
  output(): string;
  /** Opens a page with its own cookies and storage. */
  open(options?: { readonly theme?: 'light' | 'dark'; readonly width?: number }): Promise<Page>;
  /** Calls the API with the demo's key. Throws for a status outside 200 to 299. */
  call(method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Stops the server like an operator, and waits for its end. */
  stop(): Promise<void>;
  /** Restarts the server with the same data at the same address. */
  start(): Promise<void>;
  /** Errors of the pages so far; must be empty. */
  faults(): readonly string[];
  /** State of each page for the report of a failed test: address, texts, failed calls. */
  stands(): Promise<string>;
  close(): Promise<void>;
}

export type Answer = Readonly<Record<string, unknown>>;

export interface StageOptions {
  /**
   * What the server finds: a copy of the demo's database (default), a database without tenants, or nothing. With nothing, it
   * starts its own database and loads the demo, like `npm start`, which takes ten seconds of processor time.
   */
  readonly finds?: 'demo' | 'empty' | 'nothing';
  /** Path of the server's public address, without a trailing slash. If set, a proxy is in front of the server. */
  readonly prefix?: string;
  /** Settings of the server, from its address. */
  readonly settings?: (url: string) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Other origins that pages may open: an identity provider. */
  readonly elsewhere?: () => readonly string[];
}

/**
 * Slows the browser's CPU down: `JOURNEY_SLOWDOWN=10 npm test -- test/journeys/console` finds clicks that come before
 * the page is ready.
 */
const slowdown = Number(process.env.JOURNEY_SLOWDOWN ?? 1);

/** Starts a server and a browser. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { prefix = '', settings, finds = 'demo', elsewhere = () => [] } = options;
  const port = await freePort();
  const publicPort = prefix === '' ? port : await freePort();
  const url = `http://localhost:${publicPort}${prefix}`;
  const source = await openSource(finds, url);
  const own = { ...(await settings?.(url)), PORT: String(port), NEXTAUTH_URL: url };
  const installation = await createInstallation({ ...source.environment, ...own }, []);
  let browser: Browser | null = null;
  let proxy: PrefixProxy | null = null;
  const close = async () => {
    await browser?.close();
    await proxy?.close();
    await installation.stopAll();
    await source.database?.close();
  };
  try {
    if (prefix !== '') proxy = await startPrefixProxy(publicPort, prefix, port);
    const server = await installation.start();
    browser = await launchBrowser();
    return stageOf({ source, installation, server, browser, url, proxy, elsewhere, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** The starting point of a stage's server. */
interface Source {
  readonly database: TestDatabase | null;
  readonly environment: Readonly<Record<string, string>>;
  /** What the server printed when it created the demo; empty if this server does so itself. */
  readonly printed: string;
}

async function openSource(finds: 'demo' | 'empty' | 'nothing', url: string): Promise<Source> {
  if (finds === 'nothing') return { database: null, environment: {}, printed: '' };
  if (finds === 'empty') {
    const database = await createTestDatabase();
    return { database, environment: { DATABASE_URL: database.url, DEMO_DATA: 'off' }, printed: '' };
  }
  const { database, printed } = await createDemoDatabase();
  return { database, environment: { ...demoSecrets, DATABASE_URL: database.url }, printed: printed(url) };
}

function stageOf(parts: {
  readonly source: Source;
  readonly installation: Installation;
  readonly server: ServerProcess;
  readonly browser: Browser;
  readonly url: string;
  readonly proxy: PrefixProxy | null;
  readonly elsewhere: () => readonly string[];
  readonly close: () => Promise<void>;
}): Stage {
  const { source, installation, browser, url, proxy, elsewhere, close } = parts;
  let { server } = parts;
  const output = () => source.printed + server.output();
  const printed = (pattern: RegExp): string => {
    const found = pattern.exec(output())?.[1];
    assert.ok(found, `the server printed nothing like ${pattern}:\n${output()}`);
    return found;
  };
  const firstRun = printed(/^open\s+(\S+)/m);
  const apiKey = printed(/^API key\s+(\S+)/m);
  const faults: string[] = [];
  const failedCalls: string[] = [];
  const contexts: BrowserContext[] = [];
  return {
    database: source.database,
    folder: installation.folder,
    url,
    proxy,
    apiKey,
    firstRun,
    output,
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
    call: callerOf(url, apiKey),
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
      await close();
    },
  };
}

/** Calls the API of a stage. */
const callerOf =
  (url: string, apiKey: string): Stage['call'] =>
  async (method, path, body, headers = {}) => {
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
  };

/** Retries while the server responds that it's overloaded, as on a busy machine, after the time it asks for. */
export async function patiently(ask: () => Promise<Response>): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    if (answer.status !== 503 || tries >= 20) return answer;
    await answer.arrayBuffer();
    await new Promise((done) => setTimeout(done, Number(answer.headers.get('retry-after') ?? 1) * 1_000));
  }
}

/**
 * Runs an action and waits for its toast. Starts to wait before the action, because a toast disappears after a few
 * seconds.
 */
export async function says(page: Page, text: string, act: () => Promise<void>): Promise<void> {
  await Promise.all([page.getByText(text, { exact: false }).first().waitFor(), act()]);
}

/** After each test, checks that the browser's console is empty, and reports the state of the pages after a failure. */
export function holdEachJourney(stageNow: () => Stage | undefined): void {
  afterEach(async (test) => {
    const stage = stageNow();
    if (stage === undefined) return;
    if ('passed' in test && !test.passed) test.diagnostic(`where it stood\n${await stage.stands()}`);
    assert.deepEqual(stage.faults(), []);
    assert.deepEqual(stage.proxy?.strays ?? [], [], 'every address lies below the path of the server');
  });
}
