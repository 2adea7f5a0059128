// Records the state of a journey's pages, and reports it after a failure.
import type { Page } from 'playwright-core';

/** Parts of a page that explain a failure, with their selectors. */
const telling = {
  heading: 'h1',
  dialog: 'dialog, [role="dialog"], [role="alertdialog"], [role="menu"]',
  alert: '[role="alert"]',
  status: '[role="status"]',
  focus: ':focus',
  page: 'main',
} as const;
/** Maximum number of characters of each. */
const most = 1_200;

/** Returns the state of a page: its address and texts, a line for each. */
export async function standOf(page: Page): Promise<string> {
  const lines = await Promise.all(
    Object.entries(telling).map(async ([kind, selector]) => {
      const texts = await page
        .locator(selector)
        .allInnerTexts()
        .catch((error: Error) => [error.message]);
      const said = texts.map((text) => text.replace(/\s+/g, ' ').trim().slice(0, most));
      return said.filter((text) => text !== '').map((text) => `  ${kind}: ${text}`);
    }),
  );
  return [page.url(), ...lines.flat()].join('\n');
}

/** Records of watched pages. */
export interface Notes {
  /** Errors that no page may have. */
  readonly faults: string[];
  /** Failed and aborted calls: some are part of a journey. */
  readonly failedCalls: string[];
}

/**
 * Records what no page may do: errors in its console, content security policy violations, calls to other origins than
 * `allowed`; and failed calls.
 */
export function watch(page: Page, allowed: () => readonly string[], { faults, failedCalls }: Notes): void {
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // The browser logs each response from 400 on; only the page's reaction counts.
    if (/^Failed to load resource/.test(message.text())) return;
    faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const address = request.url();
    const isOwn = allowed().some((url) => address === url || address.startsWith(`${url}/`));
    if (!isOwn && !/^(data|blob|about):/.test(address)) faults.push(`foreign request: ${address}`);
  });
  page.on('response', (answer) => {
    if (answer.status() >= 400) failedCalls.push(`${answer.request().method()} ${answer.url()}: ${answer.status()}`);
  });
  page.on('requestfailed', (request) =>
    failedCalls.push(`${request.method()} ${request.url()}: ${request.failure()?.errorText ?? 'failed'}`),
  );
}
