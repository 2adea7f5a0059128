// `npm run console:shots [folder]`: every screen in both themes, wide and narrow, as pictures to look at.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotBrowse, openStage } from './browser.ts';
import { placesOf, settled, wear } from './places.ts';

if (cannotBrowse !== false) {
  console.error(`console:shots: ${cannotBrowse}`);
  process.exit(1);
}
const folder = process.argv[2] ?? join(import.meta.dirname, '../../../packages/console/dist/shots');
await mkdir(folder, { recursive: true });
const stage = await openStage();
try {
  const page = await stage.open();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const places = await placesOf(stage);
  // The screens of somebody who is not signed in come first, as the browser has no session yet.
  for (const { name, address, open } of places.toSorted((a, b) => Number(b.open) - Number(a.open))) {
    if (!open && (await page.context().cookies()).length === 0) await page.goto(stage.firstRun);
    await page.goto(`${stage.url}${address}`);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await settled(page);
      for (const theme of ['dark', 'light'] as const) {
        await wear(page, theme);
        await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`) });
      }
    }
  }
  console.log(`${places.length} screens in ${folder}`);
} finally {
  await stage.close();
}
