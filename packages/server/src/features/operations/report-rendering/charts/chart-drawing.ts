import type { Panel } from './chart-data.ts';

/** Parts of a chart's drawing, from the upper left corner; HTML makes SVG of them and PDF paths. */
export type Shape =
  | {
      readonly kind: 'rule';
      readonly x1: number;
      readonly y1: number;
      readonly x2: number;
      readonly y2: number;
      readonly isAxis: boolean;
    }
  | {
      readonly kind: 'bar';
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly series: number;
    }
  | { readonly kind: 'area'; readonly points: readonly Point[]; readonly series: number }
  | { readonly kind: 'line'; readonly points: readonly Point[]; readonly series: number }
  | { readonly kind: 'dot'; readonly at: Point; readonly series: number }
  | {
      readonly kind: 'text';
      readonly at: Point;
      readonly text: string;
      readonly anchor: TextAnchor;
      readonly tone: 'ink' | 'soft';
    };

export type TextAnchor = 'start' | 'middle' | 'end';
export type Point = readonly [x: number, y: number];

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
}

/** Measures a text at `fontSize`. */
export type MeasureChartText = (text: string) => number;

/** Size of all chart text, and the margin around it. */
export const fontSize = 10.5;
const lineHeight = 15;

interface Canvas {
  readonly width: number;
  readonly measure: MeasureChartText;
  readonly shapes: Shape[];
}

/** The text, with `…` for what does not fit in `width`. */
export function clipped(text: string, width: number, measure: MeasureChartText): string {
  let fitting = '';
  let wide = measure('…');
  for (const letter of text) {
    wide += measure(letter);
    if (wide > width) return measure(text) > width ? `${fitting.trimEnd()}…` : text;
    fitting += letter;
  }
  return text;
}

/**
 * Steps of 1, 2 or 5 times a power of ten, from below the least value to above the greatest, zero among them; of whole numbers
 * where only those are counted.
 */
export function ticksFor(values: readonly number[], about: number, isWhole = false): number[] {
  const least = Math.min(0, ...values);
  const greatest = Math.max(0, ...values);
  const range = greatest - least || 1;
  const rough = range / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const fine = power * ([1, 2, 5, 10].find((times) => times * power >= rough * 0.999) ?? 10);
  const step = isWhole ? Math.max(1, fine) : fine;
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(greatest / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
}

/** Draws vertical panels: lines over time and histograms. Several panels are stacked. */
export function drawStanding(
  panels: readonly Panel[],
  labels: readonly string[],
  isHistogram: boolean,
  canvas: Canvas,
): Drawing {
  const { width, shapes } = canvas;
  const panelHeight = panels.length > 1 ? 110 : width < 500 ? 170 : 200;
  let top = 0;
  for (const panel of panels) {
    if (panels.length > 1 || panel.series.length > 1) top = drawLegend(panel, top, canvas);
    top = drawStandingPanel(panel, labels, isHistogram, { top: top + 12, height: panelHeight }, canvas);
  }
  return { width, height: Math.ceil(top), shapes };
}

function drawLegend({ series }: Panel, top: number, { width, measure, shapes }: Canvas): number {
  let x = 0;
  let y = top;
  for (const { label, color } of series) {
    const text = clipped(label, width - 16, measure);
    const needs = 16 + measure(text) + 18;
    if (x > 0 && x + needs > width) {
      x = 0;
      y += lineHeight;
    }
    shapes.push({ kind: 'bar', x, y: y + 3, width: 10, height: 10, series: color });
    shapes.push({ kind: 'text', at: [x + 16, y + 11.5], text, anchor: 'start', tone: 'ink' });
    x += needs;
  }
  return y + lineHeight;
}

function drawStandingPanel(
  panel: Panel,
  labels: readonly string[],
  isHistogram: boolean,
  { top, height }: { readonly top: number; readonly height: number },
  { width, measure, shapes }: Canvas,
): number {
  const { series, write, isWhole } = panel;
  const stacks = labels.map((_, at) => series.reduce((sum, { values }) => sum + Math.max(0, values[at] ?? 0), 0));
  const shown = isHistogram ? stacks : series.flatMap(({ values }) => values.filter((value) => value !== null));
  const ticks = ticksFor(shown, 4, isWhole);
  const [lowest = 0, highest = 1] = [ticks[0], ticks.at(-1)];
  const left = Math.max(...ticks.map((tick) => measure(write(tick)))) + 8;
  const right = width - 8;
  const bottom = top + height;
  const y = (value: number): number => bottom - ((value - lowest) / (highest - lowest)) * height;
  for (const tick of ticks) {
    shapes.push({ kind: 'rule', x1: left, x2: right, y1: y(tick), y2: y(tick), isAxis: tick === 0 });
    shapes.push({ kind: 'text', at: [left - 8, y(tick) + 3.5], text: write(tick), anchor: 'end', tone: 'soft' });
  }
  const pitch = (right - left) / (isHistogram ? labels.length : Math.max(1, labels.length - 1));
  const x = (at: number): number =>
    labels.length === 1 ? (left + right) / 2 : left + pitch * (isHistogram ? at + 0.5 : at);
  if (isHistogram) {
    const base = labels.map(() => 0);
    for (const { values, color } of series) {
      values.forEach((value, at) => {
        if (value === null || value <= 0) return;
        const from = base[at] ?? 0;
        base[at] = from + value;
        const barTop = y(from + value);
        shapes.push({
          kind: 'bar',
          x: x(at) - pitch * 0.44,
          y: barTop,
          width: pitch * 0.88,
          height: y(from) - barTop,
          series: color,
        });
      });
    }
  } else {
    for (const { values, color } of series) {
      for (const points of piecesOf(values, x, y)) {
        const [first, last] = [points[0], points.at(-1)];
        if (first === undefined || last === undefined) continue;
        if (points.length === 1) shapes.push({ kind: 'dot', at: first, series: color });
        else {
          if (series.length === 1) {
            shapes.push({ kind: 'area', points: [[first[0], y(0)], ...points, [last[0], y(0)]], series: color });
          }
          shapes.push({ kind: 'line', points, series: color });
        }
      }
    }
  }
  drawLabelsBelow(labels, x, { left: 0, right: width, y: bottom + 16, pitch }, { width, measure, shapes });
  return bottom + 26;
}

/** The line of a series, broken where a value is missing. */
function piecesOf(
  values: readonly (number | null)[],
  x: (at: number) => number,
  y: (value: number) => number,
): Point[][] {
  const pieces: Point[][] = [];
  let open: Point[] | null = null;
  values.forEach((value, at) => {
    if (value === null) {
      open = null;
      return;
    }
    if (open === null) {
      open = [];
      pieces.push(open);
    }
    open.push([x(at), y(value)]);
  });
  return pieces;
}

/** Draws as many labels as fit without touching, always including the first. */
function drawLabelsBelow(
  labels: readonly string[],
  x: (at: number) => number,
  {
    left,
    right,
    y,
    pitch,
  }: { readonly left: number; readonly right: number; readonly y: number; readonly pitch: number },
  { measure, shapes }: Canvas,
): void {
  const widest = Math.max(0, ...labels.map((label) => Math.min(90, measure(label))));
  const every = Math.max(1, Math.ceil((widest + 14) / pitch));
  for (let at = 0; at < labels.length; at += every) {
    const text = clipped(labels[at] ?? '', Math.max(90, widest), measure);
    const half = measure(text) / 2;
    const middle = Math.min(Math.max(x(at), left + half), right - half);
    shapes.push({ kind: 'text', at: [middle, y], text, anchor: 'middle', tone: 'soft' });
  }
}

/** Draws horizontal bars with names on the left and values on the right. Several panels are stacked. */
export function drawLying(
  panels: readonly Panel[],
  labels: readonly string[],
  canvas: Canvas,
  isFunnel: boolean,
): Drawing {
  const { width, measure, shapes } = canvas;
  const names = Math.min(width * 0.36, Math.max(0, ...labels.map(measure)) + 12);
  let top = 0;
  for (const panel of panels) {
    if (panels.length > 1 || panel.series.length > 1) top = drawLegend(panel, top, canvas) + 4;
    const { series, writeWhole } = panel;
    const written = (value: number | null, first: number | null): string => {
      if (value === null) return '–';
      const share =
        isFunnel && first !== null && first > 0 && value >= 0 && value <= first
          ? ` · ${Math.round((value / first) * 100)} %`
          : '';
      return writeWhole(value) + share;
    };
    const all = series.flatMap(({ values }) => values.filter((value) => value !== null));
    const figures =
      Math.max(
        0,
        ...series.flatMap(({ values }) => values.map((value) => measure(written(value, values[0] ?? null)))),
      ) + 8;
    const [least, greatest] = [Math.min(0, ...all), Math.max(0, ...all)];
    const range = greatest - least || 1;
    const room = Math.max(20, width - names - figures);
    const x = (value: number): number => names + ((value - least) / range) * room;
    const thickness = series.length > 1 ? 9 : 16;
    const rowHeight = series.length * (thickness + 2) + 8;
    labels.forEach((label, at) => {
      const y = top + at * rowHeight;
      const text = clipped(label, names - 10, measure);
      shapes.push({ kind: 'text', at: [names - 10, y + rowHeight / 2 + 3.5], text, anchor: 'end', tone: 'ink' });
      series.forEach(({ values, color }, place) => {
        const value = values[at] ?? null;
        const barY = y + 4 + place * (thickness + 2) + 1;
        const end = value === null ? x(0) : x(Math.max(0, value));
        if (value !== null && value !== 0) {
          const from = x(Math.min(0, value));
          shapes.push({
            kind: 'bar',
            x: from,
            y: barY,
            width: Math.max(1.5, end - from),
            height: thickness,
            series: color,
          });
        }
        const valueText = written(value, values[0] ?? null);
        const place2: Point = [end + 6, barY + thickness / 2 + 3.5];
        shapes.push({ kind: 'text', at: place2, text: valueText, anchor: 'start', tone: 'soft' });
      });
    });
    const bottom = top + labels.length * rowHeight;
    shapes.push({ kind: 'rule', x1: x(0), x2: x(0), y1: top, y2: bottom, isAxis: true });
    top = bottom + 12;
  }
  return { width, height: Math.ceil(top), shapes };
}
