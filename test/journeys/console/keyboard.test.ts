// Every screen by keyboard alone: Tab reaches everything that can be used, the focus is visible and never trapped, and overlays
// keep it and give it back. The short form visits a third of the screens and overlays.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { screens } from '../../../packages/console/src/app/manifest.ts';
import { isInTurn } from '../../form.ts';
import { cannotBrowse, holdEachJourney, openStage, type Stage } from './browser.ts';
import { overlays } from './overlays/overlays.ts';
import { frames, type Place, placesOf, settled } from './places.ts';

const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
const shares = 5;

let stage: Stage;
let page: Page;
let places: readonly Place[] = [];

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open({ width: 1280 });
  page.setDefaultTimeout(120_000);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  places = await placesOf(stage);
  await page.goto(stage.firstRun);
  await settled(page);
});
holdEachJourney(() => stage);
after(() => stage?.close());

/** Numbers what Tab must reach. Returns how many there are. Runs in the page. */
function numberUsable(): number {
  const usable = [
    ...document.querySelectorAll<HTMLElement | SVGElement>(
      'a[href], button, input, select, textarea, summary, [tabindex="0"]',
    ),
  ].filter(
    (each) =>
      each.tabIndex >= 0 &&
      // Groups hand the focus on to the one of their items that is chosen.
      !each.matches(':disabled, [type="hidden"], [role="tablist"], [role="radiogroup"], [role="group"]') &&
      each.closest('[inert], [aria-hidden="true"]') === null &&
      each.checkVisibility({ visibilityProperty: true }) &&
      each.getClientRects().length > 0,
  );
  for (const [at, each] of usable.entries()) each.dataset.stop = String(at);
  return usable.length;
}

interface Stop {
  /** Number of the focused element; null: nothing has the focus, or something without a number. */
  readonly stop: string | null;
  readonly what: string;
  readonly isVisible: boolean;
  /** Tab visits the parts of a date one after the other. */
  readonly hasParts: boolean;
}

/** Describes the focused element. Runs in the page. */
function stopNow(): Stop {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement || focused instanceof SVGElement) || focused === document.body)
    return { stop: null, what: '', isVisible: true, hasParts: false };
  const what = `${focused.tagName.toLowerCase()} ${focused.ariaLabel ?? focused.textContent?.trim().slice(0, 40) ?? ''}`;
  // The ring is the element's own, or that of a box around it: a grid outlines its active cell.
  const hasRing = (each: Element): boolean => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
    return (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2) || boxShadow !== 'none';
  };
  const isRinged = hasRing(focused) || [...focused.querySelectorAll('[data-active], [role]')].some(hasRing);
  const isInView = [...focused.getClientRects()].some(({ left, right, top, bottom }) =>
    [0.1, 0.5, 0.9].some((share) => {
      const hit = document.elementFromPoint(left + (right - left) * share, top + (bottom - top) * share);
      return hit !== null && (focused.contains(hit) || hit.contains(focused));
    }),
  );
  const hasParts = focused.matches('[type="date"], [type="datetime-local"], [type="time"]');
  return { stop: focused.dataset.stop ?? null, what, isVisible: isRinged && isInView, hasParts };
}

/** Presses Tab until the focus is back where it began. Returns what's wrong, a line for each element. */
async function walk(name: string): Promise<string[]> {
  const count = await page.evaluate(numberUsable);
  const reached = new Set<string>();
  const wrong: string[] = [];
  let last = '';
  // Browsers visit the page's scroll areas, too, and their own bar between the last element and the first.
  for (let presses = 0; presses < count + 30 && reached.size < count; presses += 1) {
    await page.keyboard.press('Tab');
    const { stop, what, isVisible, hasParts } = await page.evaluate(stopNow);
    if (stop === null) continue;
    if (hasParts && stop === last) {
      presses -= 1;
      continue;
    }
    if (stop === last) wrong.push(`${name}: the focus stays at ${what}`);
    if (!isVisible) wrong.push(`${name}: the focus can't be seen at ${what}`);
    reached.add(stop);
    last = stop;
  }
  const missed = await page.evaluate(
    (known) =>
      [...document.querySelectorAll<HTMLElement | SVGElement>('[data-stop]')]
        .filter(({ dataset }) => !known.includes(dataset.stop ?? ''))
        .map((each) => each.outerHTML.slice(0, 160)),
    [...reached],
  );
  return [...wrong, ...missed.map((html) => `${name}: Tab doesn't reach ${html}`)];
}

for (const { path, access } of screens.filter((each) => isInTurn(each.path, shares))) {
  // The page of signed-out people has its own journey (ways-in.test.ts).
  if (access === 'public') continue;
  test(`reaches everything on ${path} by Tab`, skip, async () => {
    const found: string[] = [];
    for (const { name, address } of places.filter((each) => each.path === path && !each.open)) {
      await page.goto(`${stage.url}${address}`);
      await settled(page);
      found.push(...(await walk(name)));
    }
    assert.equal(found.join('\n'), '');
  });
}

/** Whether the focus is in the topmost overlay, or on something else than the whole page. */
const focusIsIn = (selector: string): Promise<boolean> =>
  page.evaluate((within) => document.activeElement?.closest(within) !== null, selector);

const layer = '[role="dialog"], [role="alertdialog"], [role="menu"]';

for (const { name, address, only, open } of overlays.filter((each) => isInTurn(each.name, shares))) {
  if (open === undefined || only === 'narrow') continue;
  test(`keeps the focus in what opens, and returns it: ${name}`, skip, async () => {
    await page.goto(`${stage.url}${address}`);
    await settled(page);
    // What a person of the keyboard comes from; a page that was just loaded has no focus.
    await page.locator('[data-page-title]').first().focus();
    await open(page);
    await frames(page);
    const opened = page.locator(layer).last();
    if ((await page.locator(layer).count()) === 0) return;
    const isModal =
      (await opened.getAttribute('role')) !== 'menu' && (await opened.getAttribute('aria-modal')) !== 'false';
    for (const key of ['Tab', 'Tab', 'Shift+Tab', 'Tab']) {
      if (!isModal) break;
      await page.keyboard.press(key);
      assert.ok(await focusIsIn(layer), `${key} leaves it`);
    }
    const before = await page.locator(layer).count();
    await page.keyboard.press('Escape');
    await frames(page);
    // Secrets stay until they are acknowledged.
    if ((await page.locator(layer).count()) === before) {
      await opened.getByRole('button').last().press('Enter');
      await frames(page);
    }
    await page.waitForFunction(() => document.activeElement !== document.body);
    assert.ok(await focusIsIn('main, header, nav, aside, [role="dialog"]'), 'the focus is lost');
  });
}
