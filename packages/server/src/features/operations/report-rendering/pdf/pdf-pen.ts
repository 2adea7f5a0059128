import { pdfNumber as n } from './pdf-file.ts';
import type { PdfFont } from './pdf-font.ts';

export interface Fonts {
  readonly regular: PdfFont;
  readonly bold: PdfFont;
}

/** How text is set: `size` in points, `color` as #rrggbb. */
export interface TextStyle {
  readonly font: keyof Fonts;
  readonly size: number;
  readonly color: string;
}

/** Draws on one page, in points from its upper left corner. */
export interface Pen {
  /** `y` is the baseline. */
  text(x: number, y: number, text: string, style: TextStyle): void;
  rule(from: PdfPoint, to: PdfPoint, color: string, width: number): void;
  box(x: number, y: number, width: number, height: number, color: string): void;
  /** Draws a line through the points or, if `filled`, the area within. */
  shape(points: readonly PdfPoint[], color: string, filled: boolean): void;
  dot(at: PdfPoint, radius: number, color: string): void;
  content(): string;
}

type PdfPoint = readonly [x: number, y: number];

/** Distance of the control points of a circle's four curves from their ends, as a share of the radius. */
const arc = 0.5523;

const rgb = (color: string): string =>
  [1, 3, 5].map((at) => n(Number.parseInt(color.slice(at, at + 2), 16) / 255)).join(' ');

/** Returns the color at `share` opacity on white paper. */
export function tint(color: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16);
    return Math.round(255 - (255 - value) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}

/** @param height of the page: PDF counts from its foot */
export function createPen(height: number, fonts: Fonts): Pen {
  const operators: string[] = [];
  let fill = '';
  const filled = (color: string): void => {
    if (color !== fill) operators.push(`${rgb(color)} rg`);
    fill = color;
  };
  const at = ([x, y]: PdfPoint): string => `${n(x)} ${n(height - y)}`;
  const path = (points: readonly PdfPoint[]): string =>
    points.map((point, place) => `${at(point)} ${place === 0 ? 'm' : 'l'}`).join(' ');
  return {
    text(x, y, text, { font, size, color }) {
      if (text === '') return;
      filled(color);
      const name = font === 'bold' ? 'B' : 'R';
      operators.push(`BT/${name} ${n(size)} Tf ${at([x, y])} Td${fonts[font].encode(text)}Tj ET`);
    },
    rule(from, to, color, width) {
      operators.push(`${rgb(color)} RG ${n(width)} w ${path([from, to])} S`);
    },
    box(x, y, width, boxHeight, color) {
      filled(color);
      operators.push(`${at([x, y + boxHeight])} ${n(width)} ${n(boxHeight)} re f`);
    },
    shape(points, color, isFilled) {
      if (isFilled) filled(color);
      operators.push(isFilled ? `${path(points)} h f` : `${rgb(color)} RG 1.5 w 1 j 1 J ${path(points)} S 0 J`);
    },
    dot([x, y], radius, color) {
      filled(color);
      const bow = radius * arc;
      const curve = (...points: readonly PdfPoint[]): string => `${points.map(at).join(' ')} c`;
      operators.push(
        [
          `${at([x + radius, y])} m`,
          curve([x + radius, y + bow], [x + bow, y + radius], [x, y + radius]),
          curve([x - bow, y + radius], [x - radius, y + bow], [x - radius, y]),
          curve([x - radius, y - bow], [x - bow, y - radius], [x, y - radius]),
          curve([x + bow, y - radius], [x + radius, y - bow], [x + radius, y]),
          'f',
        ].join(' '),
      );
    },
    content: () => operators.join('\n'),
  };
}
