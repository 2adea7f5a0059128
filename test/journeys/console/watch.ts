// What is noted of the pages of a journey while it runs, and told when it fails.
import type { Page } from 'playwright-core';

/** What of a page tells why a journey does not go on, and how it is found. */
const telling = {
  heading: 'h1',
  dialog: 'dialog, [role="dialog"], [role="alertdialog"], [role="menu"]',
  alert: '[role="alert"]',
  status: '[role="status"]',
  focus: ':focus',
  page: 'main',
} as const;
/** Characters of each that are told. */
const most = 1_200;

/** Where a page stands: its address and what it says, a line for each. */
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

/** What is written down while pages are watched. */
export interface Notes {
  /** What no page of the console may do. */
  readonly faults: string[];
  /** Calls that were refused, failed or broke off: some are part of a journey. */
  readonly failedCalls: string[];
}

/**
 * Notes everything that no page of the console may do: errors in its console, refusals of its policy, calls elsewhere; and the
 * calls that failed. `allowed`: where it may call.
 */
export function watch(page: Page, allowed: () => readonly string[], { faults, failedCalls }: Notes): void {
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // The browser itself writes a line for each answer from 400 on; what the page makes of it is what counts.
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
