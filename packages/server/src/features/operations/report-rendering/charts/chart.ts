import type { ReportChart } from '../report-document.ts';
import type { ChartData } from './chart-data.ts';
import { type Drawing, drawLying, drawStanding, type MeasureChartText } from './chart-drawing.ts';

/** The chart as shapes, `width` wide and as high as it needs. */
export function drawChart({ kind }: ReportChart, data: ChartData, width: number, measure: MeasureChartText): Drawing {
  const canvas = { width, measure, shapes: [] };
  const { panels, labels } = data;
  return kind === 'bar' || kind === 'funnel'
    ? drawLying(panels, labels, canvas, kind === 'funnel')
    : drawStanding(panels, labels, kind === 'histogram', canvas);
}
