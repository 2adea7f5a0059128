import { isNumeric, nothing, type ShownSection } from '../display.ts';
import { oneLine } from '../safe-text.ts';
import { type ColumnNeed, groupsOf, widthsOf } from '../table-widths.ts';
import { linesOf } from '../text-lines.ts';
import { type Flow, textColors } from './pdf-flow.ts';
import type { TextStyle } from './pdf-pen.ts';

const gap = 12;
/** Sizes of the text, tried in this order, first on a standing page and then on a lying one. */
const sizes = [8.5, 7.5, 6.5] as const;
const smallest = 6.5;
/** No column of text asks for more than this, in widths of its letters' size; nor less than that, where it wraps. */
const maxText = 32;
const minText = 9;
const maxLabel = 8;
/** Lines of a label: more would leave the rows no room. */
const maxHead = 6;
/** A row of more lines than this may break across pages. */
const wholeLines = 12;

interface TableColumn {
  readonly label: string;
  readonly isRight: boolean;
  /** Widths in size 1. */
  readonly need: ColumnNeed;
}

/** The layout of a table: columns by their numbers and widths, in points. */
interface Layout {
  readonly size: number;
  readonly columns: readonly { readonly number: number; readonly width: number }[];
}

/** A table that is ready to be drawn; on lying pages where it `isWide`. */
export interface TablePlan {
  readonly isWide: boolean;
  readonly columns: readonly TableColumn[];
  readonly cells: readonly (readonly string[])[];
  /** Several where not all columns fit on a page. */
  readonly layouts: readonly Layout[];
}

/** Finds how the section's table fits; yields between rows. */
export function* planTable(flow: Flow, section: ShownSection): Generator<void, TablePlan> {
  const { regular, bold } = flow.fonts;
  const { cells } = section;
  const widest = section.columns.map(() => 0);
  for (const texts of cells) {
    texts.forEach((text, at) => {
      if ((widest[at] ?? 0) < maxText) widest[at] = Math.max(widest[at] ?? 0, regular.width(text));
    });
    yield;
  }
  const columns = section.columns.map((column, at): TableColumn => {
    const label = oneLine(column.label);
    const word = Math.min(minText, Math.max(0, ...label.split(' ').map((part) => bold.width(part))));
    const cell = Math.min(maxText, widest[at] ?? 0);
    // Figures, days and instants stay whole; text wraps.
    const least = Math.max(word, column.type === 'text' ? Math.min(minText, cell) : cell);
    return {
      label,
      isRight: isNumeric(column),
      need: { least, natural: Math.max(cell, Math.min(bold.width(label), maxLabel), word) },
    };
  });
  return { columns, cells, ...layoutFor(flow, columns) };
}

/** The way of setting the table, best first: in one piece, smaller, on lying pages, and at last in several tables. */
function layoutFor(flow: Flow, columns: readonly TableColumn[]): Pick<TablePlan, 'isWide' | 'layouts'> {
  const needsIn = (size: number): ColumnNeed[] =>
    columns.map(({ need: { least, natural } }) => ({ least: least * size, natural: natural * size }));
  for (const isWide of [false, true]) {
    for (const size of sizes) {
      const widths = widthsOf(needsIn(size), flow.widthOf(isWide), gap);
      if (widths !== null)
        return { isWide, layouts: [{ size, columns: widths.map((width, number) => ({ number, width })) }] };
    }
  }
  const room = flow.widthOf(true);
  const needs = needsIn(smallest);
  const layouts = groupsOf(needs, room, gap).map((group) => {
    const own = group.map((number) => needs[number] ?? { least: 0, natural: 0 });
    // A column that is wider than the page gets the page.
    const even = (room - gap * (own.length - 1)) / own.length;
    const widths = widthsOf(own, room, gap) ?? own.map(() => even);
    return { size: smallest, columns: group.map((number, at) => ({ number, width: widths[at] ?? even })) };
  });
  return { isWide: true, layouts };
}

/**
 * Draws the table, its head on every page; yields between rows. `below`: room that what follows needs on the page of the last
 * rows.
 */
export function* drawTable(flow: Flow, plan: TablePlan, below: number): Generator<void> {
  for (const [at, layout] of plan.layouts.entries()) {
    if (at > 0) flow.y += 16;
    yield* drawLayout(flow, plan, layout, at === plan.layouts.length - 1 ? below : 0);
  }
}

/** The lines of a row, or of the head, by column. */
type CellLines = readonly (readonly string[])[];

/** Draws the rows of one layout of a table. */
interface LayoutPen {
  readonly heightOf: (lines: number) => number;
  readonly linesIn: (texts: readonly string[], style: TextStyle) => string[][];
  /** Draws the lines from `from` on, before `to`, of all cells next to each other. */
  readonly drawLines: (lines: CellLines, from: number, to: number, style: TextStyle) => void;
  readonly rule: (color: string, width: number) => void;
  /** Number of lines that fit the rest of the page. */
  readonly fits: () => number;
  readonly body: TextStyle;
}

function createLayoutPen(flow: Flow, { columns }: TablePlan, layout: Layout): LayoutPen {
  const { size } = layout;
  const leading = size * 1.34;
  const padding = size * 0.42;
  const wide = layout.columns.reduce((sum, { width }) => sum + width, gap * (layout.columns.length - 1));
  const body: TextStyle = { font: 'regular', size, color: textColors.ink };
  const soft: TextStyle = { ...body, color: textColors.soft };
  return {
    body,
    heightOf: (lines) => lines * leading + 2 * padding,
    fits: () => Math.floor((flow.room - 2 * padding) / leading),
    linesIn: (texts, { font, size: textSize }) =>
      layout.columns.map(({ number, width }) =>
        linesOf(texts[number] ?? '', width / textSize, (part) => flow.fonts[font].width(part)),
      ),
    drawLines(lines, from, to, style) {
      let x = flow.left;
      layout.columns.forEach(({ number, width }, at) => {
        const isRight = columns[number]?.isRight ?? false;
        for (let line = from; line < to; line++) {
          const text = lines[at]?.[line] ?? '';
          const shift = isRight ? width - flow.fonts[style.font].width(text) * style.size : 0;
          const y = flow.y + padding + (line - from) * leading + size;
          flow.pen.text(x + shift, y, text, text === nothing ? soft : style);
        }
        x += width + gap;
      });
      flow.y += (to - from) * leading + 2 * padding;
    },
    rule: (color, width) => flow.pen.rule([flow.left, flow.y], [flow.left + wide, flow.y], color, width),
  };
}

function* drawLayout(flow: Flow, plan: TablePlan, layout: Layout, below: number): Generator<void> {
  const { cells } = plan;
  const pen = createLayoutPen(flow, plan, layout);
  const head = headOf(pen, plan, layout);
  const linesOfRow = (at: number): number =>
    Math.max(0, ...pen.linesIn(cells[at] ?? [], pen.body).map(({ length }) => length));
  const last = cells.length - 1;
  /** The room that a row and the next one need, or half a page. */
  const rowsFrom = (at: number): number =>
    Math.min(
      flow.height / 2,
      [at, at + 1].reduce((sum, row) => sum + (row > last ? 0 : pen.heightOf(linesOfRow(row))), 0),
    );
  function newPage(): void {
    flow.newPage();
    head.draw();
  }
  // No page begins or ends with a single row of the table.
  flow.need(pen.heightOf(head.lines) + rowsFrom(0) + (last <= 1 ? below : 0));
  head.draw();
  for (const [at, row] of cells.entries()) {
    if (at > 1 && at === last - 1 && flow.room < rowsFrom(at) + below) newPage();
    drawRow(pen, row, newPage);
    pen.rule(textColors.line, 0.5);
    yield;
  }
}

/** Returns the table's head: the number of its lines, and how to draw it. */
function headOf(
  pen: LayoutPen,
  { columns }: TablePlan,
  { size }: Layout,
): { readonly lines: number; readonly draw: () => void } {
  const style: TextStyle = { font: 'bold', size: size * 0.94, color: textColors.soft };
  const labels = columns.map(({ label }) => label);
  const cut = pen
    .linesIn(labels, style)
    .map((lines) => (lines.length <= maxHead ? lines : [...lines.slice(0, maxHead - 1), '…']));
  const height = Math.max(...cut.map((lines) => lines.length));
  // Labels of several lines end at the rule, however many lines their neighbors need.
  const lines = cut.map((each) => [...Array<string>(height - each.length).fill(''), ...each]);
  return {
    lines: height,
    draw() {
      pen.drawLines(lines, 0, height, style);
      pen.rule(textColors.axis, 0.8);
    },
  };
}

/** Draws a row, on several pages if it must. */
function drawRow(pen: LayoutPen, row: readonly string[], newPage: () => void): void {
  const lines = pen.linesIn(row, pen.body);
  const most = Math.max(...lines.map((cell) => cell.length));
  // On a fresh page there is as much room as there will ever be.
  let isFresh = false;
  for (let from = 0; from < most; ) {
    const fits = pen.fits();
    const left = most - from;
    // A row stays in one piece, unless it is so high that much of a page would stay empty.
    if (fits < Math.min(left, wholeLines) && !isFresh) {
      newPage();
      isFresh = true;
      continue;
    }
    const to = from + Math.max(1, Math.min(left, fits));
    pen.drawLines(lines, from, to, pen.body);
    from = to;
    isFresh = false;
  }
}
