import { drawChart } from '../charts/chart.ts';
import type { ChartData } from '../charts/chart-data.ts';
import { type Drawing, fontSize, type Shape } from '../charts/chart-drawing.ts';
import type { ReportChart } from '../report-document.ts';
import { type Flow, textColors } from './pdf-flow.ts';
import { type TextStyle, tint } from './pdf-pen.ts';

/** Points of a unit of the drawing, where it fits. */
const usual = 0.78;

/** A chart that is ready to be drawn. */
export interface ChartPlan {
  readonly drawing: Drawing;
  /** Points of a unit of the drawing. */
  readonly scale: number;
  /** In points. */
  readonly height: number;
}

/** Lays out a chart at the page's text width, smaller if it is higher than a page. */
export function planChart(flow: Flow, chart: ReportChart, data: ChartData): ChartPlan {
  const drawing = drawChart(chart, data, flow.width / usual, (text) => flow.fonts.regular.width(text) * fontSize);
  const scale = Math.min(usual, flow.height / drawing.height);
  return { drawing, scale, height: drawing.height * scale };
}

/** Draws the chart at the current position, or on a new page if it doesn't fit. */
export function drawPdfChart(flow: Flow, { drawing, scale, height }: ChartPlan): void {
  flow.need(height);
  const top = flow.y;
  for (const shape of drawing.shapes) drawShape(flow, shape, flow.left, top, scale);
  flow.y = top + height;
}

function drawShape({ pen, fonts }: Flow, shape: Shape, left: number, top: number, size: number): void {
  const at = ([x, y]: readonly [number, number]): readonly [number, number] => [left + x * size, top + y * size];
  const colorOf = (series: number): string => textColors.series[series % textColors.series.length] ?? textColors.ink;
  switch (shape.kind) {
    case 'rule':
      pen.rule(
        at([shape.x1, shape.y1]),
        at([shape.x2, shape.y2]),
        shape.isAxis ? textColors.axis : textColors.line,
        0.6,
      );
      break;
    case 'bar':
      pen.box(...at([shape.x, shape.y]), shape.width * size, shape.height * size, colorOf(shape.series));
      break;
    case 'area':
      pen.shape(shape.points.map(at), tint(colorOf(shape.series), 0.12), true);
      break;
    case 'line':
      pen.shape(shape.points.map(at), colorOf(shape.series), false);
      break;
    case 'dot':
      pen.dot(at(shape.at), 2.2, colorOf(shape.series));
      break;
    case 'text': {
      const style: TextStyle = { font: 'regular', size: fontSize * size, color: textColors[shape.tone] };
      const width = fonts.regular.width(shape.text) * style.size;
      const [x, y] = at(shape.at);
      pen.text(x - (shape.anchor === 'end' ? width : shape.anchor === 'middle' ? width / 2 : 0), y, shape.text, style);
    }
  }
}
