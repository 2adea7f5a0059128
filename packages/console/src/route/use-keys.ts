import { useEffect, useRef } from 'react';
import { bindKeys, type KeyBinding } from './keys.ts';

/** Registers shortcuts while a page is shown. They don't fire while typing or with a dialog open. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  const names = bindings.map(({ keys }) => keys).join('|');
  // biome-ignore lint/correctness/useExhaustiveDependencies: registered again only when the keys differ; actions are read when a key is pressed.
  useEffect(
    () => bindKeys(latest.current.map((binding, index) => ({ ...binding, run: () => latest.current[index]?.run() }))),
    [names],
  );
}
