import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef } from 'react';
import { useRowTurns } from './row-turns.ts';
import type { TableGeometry } from './table-geometry.ts';

/** Rows drawn above and below the window. */
const overscan = 4;

/** Virtualizes the rows: only those near the window are drawn. */
export function useRowWindow(
  box: RefObject<HTMLDivElement | null>,
  keys: readonly string[],
  { rowHeight, headHeight, card }: TableGeometry,
  scope: string | undefined,
) {
  const virtualizer = useVirtualizer({
    count: keys.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan,
    scrollPaddingStart: headHeight,
    getItemKey: (index) => keys[index] ?? index,
    // Draw rows in a task of their own, not inside the scroll event.
    useFlushSync: false,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another row height moves all rows.
  useEffect(() => virtualizer.measure(), [rowHeight]);
  const shownScope = useRef(scope);
  useEffect(() => {
    if (shownScope.current === scope) return;
    shownScope.current = scope;
    box.current?.scrollTo({ top: 0 });
  }, [scope, box]);
  // Rows that leave the window hand their elements to those that enter it. Never more than this many are drawn.
  const slots = Math.ceil((virtualizer.scrollRect?.height ?? 0) / rowHeight) + 2 * overscan + 2;
  const wanted = virtualizer.getVirtualItems();
  const inTurns = useRowTurns(wanted, slots);
  // Cards measure themselves, so each has an element of its own.
  return { virtualizer, slots, drawn: card ? wanted : inTurns };
}

export type RowWindow = ReturnType<typeof useRowWindow>;

/** Number of rows before the end at which the next page loads; few for a short list, so that opening it loads one page. */
const rowsAhead = (loaded: number): number => Math.min(60, Math.ceil(loaded / 4));

/** Loads the next page before the reader reaches the end, and again if the last attempt ended without it. */
export function useNextPage(
  { virtualizer }: RowWindow,
  loaded: number,
  canLoad: boolean,
  onMore: (() => void) | undefined,
): void {
  const isNearEnd = (virtualizer.getVirtualItems().at(-1)?.index ?? -1) >= loaded - rowsAhead(loaded);
  const wantsMore = isNearEnd && loaded > 0 && canLoad;
  useEffect(() => {
    if (wantsMore) onMore?.();
  }, [wantsMore, onMore]);
}
