import { useLayoutEffect, useRef } from 'react';
import { bindKeys, type KeyBinding } from './keys.ts';

/** Registers shortcuts while a page is shown. They don't fire while typing or with a dialog open. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings);
  // Layout effects: a key pressed as soon as the page is visible must work, with the action of that render.
  useLayoutEffect(() => {
    latest.current = bindings;
  });
  const names = bindings.map(({ keys }) => keys).join('|');
  // biome-ignore lint/correctness/useExhaustiveDependencies: registered again only when the keys differ; actions are read when a key is pressed.
  useLayoutEffect(
    () => bindKeys(latest.current.map((binding, index) => ({ ...binding, run: () => latest.current[index]?.run() }))),
    [names],
  );
}
