import { escapeHtml } from '../../../../http/answers/page.ts';
import { type Drawing, fontSize, type MeasureChartText, type Point, type Shape } from './chart-drawing.ts';

/** Width of a text in the reader's font, which is not known: a little more than most fonts need. */
export const measureRoughly: MeasureChartText = (text) => {
  let width = 0;
  for (const letter of text) {
    if (/[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uff60\u{1f000}-\u{3ffff}]/u.test(letter)) width += 1;
    else width += /[iljft.,:;'|! ]/.test(letter) ? 0.36 : /[A-ZMWmw%@]/.test(letter) ? 0.82 : 0.63;
  }
  return width * fontSize;
};

const n = (value: number): string => String(Math.round(value * 10) / 10);
const path = (points: readonly Point[]): string =>
  points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${n(x)} ${n(y)}`).join('');

function svgOf(shape: Shape): string {
  switch (shape.kind) {
    case 'rule':
      return `<path class="${shape.isAxis ? 'axis' : 'grid'}" d="M${n(shape.x1)} ${n(shape.y1)}L${n(shape.x2)} ${n(shape.y2)}"/>`;
    case 'bar':
      return `<rect class="f${shape.series}" x="${n(shape.x)}" y="${n(shape.y)}" width="${n(shape.width)}" height="${n(shape.height)}" rx="2"/>`;
    case 'area':
      return `<path class="a f${shape.series}" d="${path(shape.points)}Z"/>`;
    case 'line':
      return `<path class="l s${shape.series}" d="${path(shape.points)}"/>`;
    case 'dot':
      return `<circle class="f${shape.series}" cx="${n(shape.at[0])}" cy="${n(shape.at[1])}" r="3"/>`;
    case 'text': {
      const { at, anchor, tone, text } = shape;
      const side = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
      return `<text${tone === 'soft' ? ' class="soft"' : ''} x="${n(at[0])}" y="${n(at[1])}"${side}>${escapeHtml(text)}</text>`;
    }
  }
}

/** Inline SVG; its colors come from the page's style, so that they follow the reader's theme. */
export function svgChart({ width, height, shapes }: Drawing, name: string, className: string): string {
  const size = `viewBox="0 0 ${n(width)} ${n(height)}" width="${n(width)}" height="${n(height)}"`;
  return `<svg class="${className}" role="img" aria-label="${escapeHtml(name)}" ${size}>${shapes.map(svgOf).join('')}</svg>`;
}
