// Steps that several overlays share.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { settled } from '../places.ts';

/** An overlay of a screen, or its replacement. */
export interface Overlay {
  /** Unique; used as a file name. */
  readonly name: string;
  readonly address: string;
  /** Shown on wide or narrow screens only; on both if undefined. */
  readonly only?: 'wide' | 'narrow';
  /** Opens it on the screen; undefined if the address shows it. */
  readonly open?: (page: Page) => Promise<void>;
}

export const press = async (page: Page, name: string | RegExp): Promise<void> => {
  await page.getByRole('button', { name, exact: true }).first().click();
};
export const dialog = (page: Page) => page.getByRole('dialog').waitFor();

/** Opens an address of the console. */
export const go = async (page: Page, address: string): Promise<void> => {
  await page.goto(new URL(address, page.url()).href);
  await settled(page);
};

/** Opens the editor of the first flow, without unsaved changes. */
export const editFlow = async (page: Page, search = ''): Promise<void> => {
  const flow = page.locator('main a[href*="/flows/"]:not([href$="/new"])').first();
  await flow.waitFor({ state: 'attached' });
  const address = (await flow.getAttribute('href')) ?? '';
  await page.goto(new URL(`${address.split('?')[0]}/edit?node=none${search}`, page.url()).href);
  await page.getByRole('button', { name: 'Insert node' }).waitFor();
  const discard = page.getByRole('button', { name: 'Discard changes' });
  if ((await discard.count()) > 0) await discard.first().click();
  await settled(page);
};

export type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly name: string };

/** Calls the API as the user of the page, like another tab of theirs. */
export async function ask(page: Page, method: string, path: string, data?: object): Promise<Row> {
  const { origin } = new URL(page.url());
  const answer = await page.request.fetch(`${origin}/api/v1/${path}`, {
    method,
    headers: { 'x-requested-with': 'journey', origin },
    ...(data === undefined ? {} : { data }),
  });
  assert.ok(answer.ok(), `${method} ${path}: ${answer.status()} ${await answer.text()}`);
  return answer.status() === 204 ? { id: '', name: '' } : answer.json();
}

/** Returns the first rows of a list. */
export async function rowsOf(page: Page, path: string): Promise<readonly Row[]> {
  return (await ask(page, 'GET', path)).data as readonly Row[];
}

let count = 0;
/** Returns a name that no record has. */
export const unused = (name: string): string => {
  count += 1;
  return `${name} ${count}`;
};
