// WCAG 2.2 AA by axe-core: no violation on any screen and overlay, in both themes, wide and narrow. The short form looks at
// a third of them in each run, each in one theme and width (test/form.ts).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { screens } from '../../../packages/console/src/app/manifest.ts';
import { isInTurn, isLong } from '../../form.ts';
import { cannotBrowse, holdEachJourney, openStage, type Stage } from './browser.ts';
import { overlays } from './overlays/overlays.ts';
import { frames, type Place, placesOf, settled, speakAtLength, wear } from './places.ts';

declare global {
  /** The library's global in the page. */
  var axe: { run(options: RunOptions): Promise<AxeResults> };
}

const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const standard: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  resultTypes: ['violations'],
};
/** A theme changes only colors, so the second one is checked for contrast only. */
const colors: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast'] }, resultTypes: ['violations'] };
const wide = { width: 1280, height: 900 };
const narrow = { width: 390, height: 844 };
/** The minimum width at which everything must be readable without horizontal scrolling (WCAG 1.4.10). */
const least = { width: 320, height: 700 };

let stage: Stage;
let page: Page;
let places: readonly Place[] = [];

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open({ width: wide.width });
  page.setDefaultTimeout(120_000);
  // A half faded element has neither its initial nor its final contrast.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  places = await placesOf(stage);
});
holdEachJourney(() => stage);
after(() => stage?.close());

/** Returns axe's findings on the page, a line for each element. */
async function look(what: string, options: RunOptions): Promise<string[]> {
  const known = await page.evaluate(() => 'axe' in globalThis);
  if (!known) await page.evaluate(axeSource);
  // Content behind a bar at the bottom until it's scrolled would count as a target that is cut off.
  await page.evaluate(() => {
    for (const bar of document.querySelectorAll<HTMLElement>('.sticky.bottom-0, .sticky.bottom-3'))
      bar.style.position = 'static';
  });
  const found = await page.evaluate((runOptions) => globalThis.axe.run(runOptions), options);
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary, html }) =>
        `${what}: ${id} at ${target.join(' ')}: ${failureSummary?.split('\n').slice(1).join(' ').trim()} ${html.slice(0, 160)}`,
    ),
  );
}

const shares = 5;
const inDark = ['dark', standard] as const;
const inLight = ['light', colors] as const;

/** Runs axe in the given themes, at the current width. */
async function lookIn(themes: readonly (readonly ['dark' | 'light', RunOptions])[], what: string): Promise<string[]> {
  const found: string[] = [];
  for (const [theme, options] of themes) {
    await wear(page, theme);
    found.push(...(await look(`${what}, ${theme}`, options)));
  }
  return found;
}

type Look = readonly [size: typeof wide, themes: Parameters<typeof lookIn>[0]];
/** How the long form looks at every place. */
const everyLook: readonly Look[] = [
  [wide, [inDark, inLight]],
  [narrow, [inDark, inLight]],
];
/** The short form alternates: a wide window in the dark theme, then a narrow one in the light theme. */
const looksOf = (name: string): readonly Look[] =>
  isLong() ? everyLook : isInTurn(name, 2) ? [[wide, [inDark]]] : [[narrow, [['light', standard]]]];

/** Runs axe on what the page shows, and checks that it fits the least width. */
async function lookAround(what: string): Promise<string[]> {
  const found: string[] = [];
  for (const [size, themes] of looksOf(what)) {
    await page.setViewportSize(size);
    await settled(page);
    found.push(...(await lookIn(themes, `${what} at ${size.width}`)));
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

/** Returns elements wider than the minimum width, a line for each. */
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

// Screens without a session come first.
const screensInTurn = screens
  .filter(({ path }) => isInTurn(path, shares))
  .toSorted((a, b) => Number(b.access === 'public') - Number(a.access === 'public'));
for (const { path, access } of screensInTurn) {
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

for (const { name, address, only, open } of overlays.filter((each) => isInTurn(each.name, shares))) {
  test(`overlays and replacements of screens: ${name}`, skip, async () => {
    await signIn();
    const found: string[] = [];
    const onlyLooks = everyLook.filter(([size]) => only !== undefined && size === { wide, narrow }[only]);
    for (const [size, themes] of only === undefined ? looksOf(name) : onlyLooks) {
      await page.setViewportSize(size);
      await go(address);
      await open?.(page);
      await frames(page);
      found.push(...(await lookIn(themes, `${name} at ${size.width}`)));
    }
    none(found);
  });
}
