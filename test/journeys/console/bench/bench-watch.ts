// Speed as the page measures it: paints, input delays, long tasks.
import type { Page } from 'playwright-core';

declare global {
  /** Globals of the script that runs before the page. */
  var benchWatch: { paintedAt: number; inputs: { name: string; ms: number }[]; tasks: number[] };
}

export interface Painted {
  /** From the last response of the screen to the next paint, in milliseconds. */
  readonly afterDataMs: number;
  /** From the start of the navigation to that paint, in milliseconds. */
  readonly allMs: number;
}

/** Records, from the next page on, when changes of its content are painted, the time from inputs to the next paint, and tasks of more than 50 ms. */
export async function watchPage(page: Page): Promise<void> {
  await page.addInitScript(`globalThis.benchWatch = { paintedAt: 0, inputs: [], tasks: [] };
    new MutationObserver((changes) => {
      if (!changes.some(({ target }) => (target instanceof Element ? target : target.parentElement)?.closest('#page'))) return;
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => { benchWatch.paintedAt = performance.now(); };
        port2.postMessage(0);
      });
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    new PerformanceObserver((list) => {
      for (const { name, duration, interactionId } of list.getEntries())
        if (interactionId > 0) benchWatch.inputs.push({ name: String(interactionId), ms: duration });
    }).observe({ type: 'event', durationThreshold: 16 });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) benchWatch.tasks.push(duration);
    }).observe({ type: 'longtask' });`);
}

/** Calls that repeat while a page is open, or don't change it. */
const beside = '/(events\\/stream|\\/ready|\\/health|preferences)$/';

/** When the current page was painted. */
export async function painted(page: Page): Promise<Painted> {
  return page.evaluate(`(() => {
    const calls = performance.getEntriesByType('resource').filter(({ name }) => {
      const { pathname } = new URL(name);
      return pathname.includes('/api/v1/') && !${beside}.test(pathname);
    });
    const at = benchWatch.paintedAt;
    const last = Math.max(0, ...calls.map(({ responseEnd }) => responseEnd).filter((end) => end <= at));
    return { afterDataMs: at - last, allMs: at };
  })()`);
}

/** Runs actions one by one, and returns the milliseconds of each to the next paint, at least 16. */
export async function inputTimes(page: Page, acts: readonly (() => Promise<unknown>)[]): Promise<readonly number[]> {
  await page.evaluate('benchWatch.inputs.length = 0');
  for (const act of acts) {
    await act();
    await rest(page);
  }
  const inputs: readonly { readonly name: string; readonly ms: number }[] = await page.evaluate('benchWatch.inputs');
  const longest = new Map<string, number>();
  for (const { name, ms } of inputs) longest.set(name, Math.max(longest.get(name) ?? 0, ms));
  return [...longest.values(), ...Array<number>(Math.max(0, acts.length - longest.size)).fill(16)];
}

/** Scrolls in steps, and returns the tasks over 50 ms, in milliseconds. */
export async function scrollTasks(page: Page, steps: number, pixels: number): Promise<readonly number[]> {
  await page.evaluate('benchWatch.tasks.length = 0');
  for (let step = 0; step < steps; step += 1) {
    await page.mouse.wheel(0, step < steps / 2 ? pixels : -pixels);
    await rest(page);
  }
  return page.evaluate('benchWatch.tasks');
}

/** Waits two frames, until the change is painted and recorded. */
async function rest(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))))',
  );
}
