// Development only: a stage that runs snippets. Never committed.
import { createServer } from 'node:http';
import { openStage } from './browser.ts';
import { overlays } from './overlays.ts';
import { placesOf, settled, wear } from './places.ts';
import { mailedToken } from './mail.ts';
const stage = await openStage();
const page = await stage.open();
page.setDefaultTimeout(60_000);
await page.emulateMedia({ reducedMotion: 'reduce' });
await page.goto(stage.firstRun);
await settled(page);
const places = await placesOf(stage);
const state: Record<string, unknown> = {};
const shot = async (name: string, width: number, theme: 'light' | 'dark', height = 1300, on = page) => {
  await on.setViewportSize({ width, height });
  await settled(on).catch(() => undefined);
  await wear(on, theme);
  await on.screenshot({ path: `/tmp/console-live/${name}-${width}-${theme}.png` });
};
const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
createServer(async (request, response) => {
  let code = '';
  for await (const chunk of request) code += chunk;
  try {
    const run = new AsyncFunction('page', 'stage', 'shot', 'settled', 'places', 'overlays', 'wear', 'mailedToken', 'state', code);
    const result = await run(page, stage, shot, settled, places, overlays, wear, mailedToken, state);
    response.end(JSON.stringify(result ?? null, null, 1));
  } catch (error) {
    response.end(`ERROR ${error instanceof Error ? error.stack : error}`);
  }
}).listen(4977, '127.0.0.1', () => console.log('ready', stage.url, process.pid));
process.on('SIGTERM', () => void stage.close().then(() => process.exit(0)));
