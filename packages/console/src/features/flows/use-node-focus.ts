import { useEffect, useRef } from 'react';

/**
 * Moves the focus when the node replaces the list on narrow screens: to the back button, and back to the node in the list.
 * `selected` is its ID, empty without one, null if both fit. Returns the ref of the element around them.
 */
export function useNodeFocus(selected: string | null) {
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(selected);
  useEffect(() => {
    const previous = before.current;
    before.current = selected;
    if (previous === selected || previous === null || selected === null) return;
    const target = selected === '' ? `[data-node="${CSS.escape(previous)}"]` : '[data-back]';
    place.current?.querySelector<HTMLElement>(target)?.focus();
  }, [selected]);
  return place;
}
