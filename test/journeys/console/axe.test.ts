// WCAG 2.2 AA as axe-core sees it: no violation on any screen, in both themes, wide and narrow, and on what opens over them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { screens } from '../../../packages/console/src/app/manifest.ts';
import { sized } from '../../form.ts';
import { cannotBrowse, holdEachJourney, openStage, type Stage } from './browser.ts';
import { overlays } from './overlays.ts';
import { frames, type Place, placesOf, settled, speakAtLength, wear } from './places.ts';

declare global {
  /** What the library leaves in the page. */
  var axe: { run(options: RunOptions): Promise<AxeResults> };
}

const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const standard: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  resultTypes: ['violations'],
};
/** A theme changes colours and nothing else, so the second one is asked for them only. */
const colours: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast'] }, resultTypes: ['violations'] };
const wide = { width: 1280, height: 900 };
const narrow = { width: 390, height: 844 };
/** The least width at which everything must be readable without moving the page sideways (WCAG 1.4.10). */
const least = { width: 320, height: 700 };

let stage: Stage;
let page: Page;
let places: readonly Place[] = [];

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open({ width: wide.width });
  page.setDefaultTimeout(120_000);
  // What is half faded in has the contrast of neither its beginning nor its end.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  places = await placesOf(stage);
});
holdEachJourney(() => stage);
after(() => stage?.close());

/** What axe finds on the page as it stands, a line for each element. */
async function look(what: string, options: RunOptions): Promise<string[]> {
  const known = await page.evaluate(() => 'axe' in globalThis);
  if (!known) await page.evaluate(axeSource);
  const found = await page.evaluate((asked) => globalThis.axe.run(asked), options);
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary, html }) =>
        `${what}: ${id} at ${target.join(' ')}: ${failureSummary?.split('\n').slice(1).join(' ').trim()} ${html.slice(0, 160)}`,
    ),
  );
}

const isLong = sized('AXE_ALL', { short: 0, long: 1 }) === 1;
const inDark = ['dark', standard] as const;
const inLight = ['light', colours] as const;

/** Runs axe in the given themes, at the current width. */
async function lookIn(themes: readonly (typeof inDark | typeof inLight)[], what: string): Promise<string[]> {
  const found: string[] = [];
  for (const [theme, options] of themes) {
    await wear(page, theme);
    found.push(...(await look(`${what}, ${theme}`, options)));
  }
  return found;
}

/**
 * Runs axe at both widths, and checks that the page fits the least width. The short form looks at the dark theme when wide and
 * at the light theme's colors when narrow; the long form looks at both themes at both widths.
 */
async function lookAround(what: string): Promise<string[]> {
  const found: string[] = [];
  for (const [size, theme] of [
    [wide, inDark],
    [narrow, inLight],
  ] as const) {
    await page.setViewportSize(size);
    await settled(page);
    found.push(...(await lookIn(isLong ? [inDark, inLight] : [theme], `${what} at ${size.width}`)));
  }
  await page.setViewportSize(least);
  await settled(page);
  found.push(...(await tooWide(what)));
  await speakAtLength(page);
  found.push(...(await tooWide(`${what} in longer words`)));
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl';
  });
  found.push(...(await tooWide(`${what} in longer words, from right to left`)));
  await page.setViewportSize(wide);
  return found;
}

/** What needs more than the least width, a line for each. */
async function tooWide(what: string): Promise<string[]> {
  const wider = await page.evaluate(
    (width) =>
      [document.documentElement, ...document.querySelectorAll('main')]
        .map((element) => element.scrollWidth)
        .filter((needed) => needed > width),
    least.width,
  );
  return wider.map((needed) => `${what} at ${least.width}: needs ${needed} px`);
}

/** Opens an address of the console. */
async function go(address: string): Promise<void> {
  await page.goto(`${stage.url}${address}`);
  await settled(page);
}

const none = (found: readonly string[]) => assert.equal(found.join('\n'), '');

let isSignedIn = false;
async function signIn(): Promise<void> {
  if (isSignedIn) return;
  await page.goto(stage.firstRun);
  isSignedIn = true;
}

// What is seen without a session comes first.
for (const { path, access } of screens.toSorted(
  (a, b) => Number(b.access === 'public') - Number(a.access === 'public'),
)) {
  test(`the screen ${path}`, skip, async () => {
    if (access !== 'public') await signIn();
    const found: string[] = [];
    for (const place of places.filter((each) => each.path === path)) {
      await go(place.address);
      found.push(...(await lookAround(place.name)));
    }
    none(found);
  });
}

for (const { name, address, only, open } of overlays) {
  test(`what opens over screens, or stands in their place: ${name}`, skip, async () => {
    await signIn();
    const found: string[] = [];
    for (const [how, size] of Object.entries({ wide, narrow })) {
      if (only !== undefined && only !== how) continue;
      await page.setViewportSize(size);
      await go(address);
      await open?.(page);
      await frames(page);
      const where = `${name} at ${size.width}`;
      // The light theme's colors don't depend on the width.
      const isBoth = how === 'wide' || only === 'narrow';
      found.push(...(await lookIn(isBoth ? [inDark, inLight] : [inDark], where)));
    }
    none(found);
  });
}
