import type { VirtualItem } from '@tanstack/react-virtual';
import { useEffect, useState } from 'react';

/** A row and the element that draws it. Elements are reused for other rows. */
export type DrawnRow = Pick<VirtualItem, 'index' | 'start'>;

/** Maximum rows redrawn in one frame. A full window would block the page for too long. */
const rowsPerTurn = 12;

/**
 * Returns which row each element shows next: those of `wanted`, of which at most `most` change. The others keep their row,
 * which is out of the window by now.
 */
export function nextDrawn(
  drawn: ReadonlyMap<number, DrawnRow>,
  wanted: readonly DrawnRow[],
  slots: number,
  most: number,
): ReadonlyMap<number, DrawnRow> {
  const next = new Map<number, DrawnRow>();
  let left = most;
  for (const row of wanted) {
    const slot = row.index % slots;
    const before = drawn.get(slot);
    if (before?.index === row.index) next.set(slot, row);
    else if (left > 0) {
      next.set(slot, row);
      left -= 1;
    } else if (before !== undefined) next.set(slot, before);
  }
  return next;
}

/** Whether all wanted rows are drawn. */
export const isComplete = (drawn: ReadonlyMap<number, DrawnRow>, wanted: readonly DrawnRow[], slots: number): boolean =>
  wanted.every(({ index }) => drawn.get(index % slots)?.index === index);

interface Turns {
  /** The wanted rows, which follow each other, and the turn: what the drawn rows were derived from. */
  readonly from: string;
  readonly slots: number;
  readonly drawn: ReadonlyMap<number, DrawnRow>;
}

/** Draws the first window at once, and the rows of a fast scroll over several frames. */
export function useRowTurns(wanted: readonly DrawnRow[], slots: number): readonly DrawnRow[] {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<Turns>({ from: '', slots: 0, drawn: new Map() });
  let { drawn } = state;
  const [first, last] = [wanted[0], wanted.at(-1)];
  // The library makes a new array in each render.
  const from = [first?.index, first?.start, last?.index, last?.start, slots, turn].join(' ');
  if (state.from !== from) {
    const isFirst = drawn.size === 0 || state.slots !== slots;
    drawn = nextDrawn(isFirst ? new Map() : drawn, wanted, slots, isFirst ? Infinity : rowsPerTurn);
    setState({ from, slots, drawn });
  }
  const isDone = isComplete(drawn, wanted, slots);
  useEffect(() => {
    if (isDone) return undefined;
    const frame = requestAnimationFrame(() => setTurn(turn + 1));
    return () => cancelAnimationFrame(frame);
  }, [isDone, turn]);
  return [...drawn.values()];
}
