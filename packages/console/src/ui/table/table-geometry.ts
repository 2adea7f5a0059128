import { type UIEvent, useMemo, useState } from 'react';
import type { Density } from '../density.tsx';
import { cardHeight } from './table-cards.tsx';
import type { Column } from './table-column.ts';
import { type CardLayout, type ColumnPlace, layOutCard, placeColumns, visibleColumns } from './table-layout.ts';
import { selectWidth } from './table-parts.tsx';

/** Sizes of a table in px. */
export interface TableGeometry {
  readonly density: Density;
  /** Width of the window that the rows scroll in; 0 until it's measured. */
  readonly width: number;
  /** Width of all columns. */
  readonly totalWidth: number;
  /** Width of the column of checkboxes, 0 without. */
  readonly leading: number;
  readonly placed: readonly ColumnPlace[];
  /** Layout of rows as cards; null: the columns fit side by side, or scroll. */
  readonly card: CardLayout | null;
  readonly headHeight: number;
  /** Height of a row; of a card until it's measured. */
  readonly rowHeight: number;
  /** Height of a row that isn't a card. */
  readonly lineHeight: number;
}

/** Windows narrower than this show rows as cards if their columns don't fit, in px. */
const maxCardWidth = 600;

/** Lays out the columns for the width of the window: side by side, scrolling, or as cards. */
export function useGeometry<Row>(
  columns: readonly Column<Row>[],
  width: number,
  density: Density,
  hasSelection: boolean,
): TableGeometry {
  const leading = hasSelection ? selectWidth : 0;
  const placed = useMemo(() => placeColumns(widthsOf(columns, width), width - leading), [columns, width, leading]);
  const neededWidth = leading + placed.reduce((sum, one) => sum + one.width, 0);
  const card = useMemo(
    () => (width > 0 && width < maxCardWidth && neededWidth > width ? cardOf(columns) : null),
    [columns, width, neededWidth],
  );
  const lineHeight = density === 'comfortable' ? 40 : 32;
  return {
    density,
    width,
    totalWidth: card ? width : neededWidth,
    leading,
    placed,
    card,
    headHeight: card ? 0 : 36,
    rowHeight: card ? cardHeight(card, density) : lineHeight,
    lineHeight,
  };
}

/** Returns the wanted column widths. On narrow screens the first column, which stays in place, leaves room for the others. */
function widthsOf<Row>(columns: readonly Column<Row>[], width: number) {
  return columns.map(({ width: own = 140, grow = 1 }, index) => ({
    width: index === 0 && width > 0 ? Math.min(own, Math.max(120, width * 0.58)) : own,
    grow,
  }));
}

function cardOf<Row>(columns: readonly Column<Row>[]): CardLayout {
  return layOutCard(
    columns.map(({ width = 140, grow = 1, corner = false, halfCard = false }) => ({
      width,
      grow,
      corner,
      half: halfCard,
    })),
  );
}

/** Returns the columns to draw and the scroll handler that updates them. */
export function useVisibleColumns({ placed, width }: TableGeometry) {
  const [scrolled, setScrolled] = useState(0);
  const visible = useMemo(() => visibleColumns(placed, scrolled, width || 1), [placed, scrolled, width]);
  const onScroll = ({ currentTarget: { scrollLeft: at } }: UIEvent<HTMLElement>) => {
    // Only a longer move can bring new columns into the window.
    if (Math.abs(at - scrolled) > 64 || (at === 0 && scrolled !== 0)) setScrolled(at);
  };
  return { visible, onScroll };
}
