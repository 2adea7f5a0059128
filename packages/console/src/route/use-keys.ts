import { useEffect, useRef } from 'react';
import { bindKeys, type KeyBinding } from './keys.ts';

/** Keys of a page for as long as it is shown. They work where nothing is being typed and no dialog is open. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  const names = bindings.map(({ keys }) => keys).join('|');
  // biome-ignore lint/correctness/useExhaustiveDependencies: bound anew only when the keys differ; what they do is read when one is pressed.
  useEffect(
    () => bindKeys(latest.current.map((binding, index) => ({ ...binding, run: () => latest.current[index]?.run() }))),
    [names],
  );
}
