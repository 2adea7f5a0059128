export { textCell as csvText } from './csv.ts';
export { type RenderReport, renderReport } from './render.ts';
export type {
  Artifact,
  NarrativeWriter,
  ReportChart,
  ReportDocument,
  ReportFilter,
  ReportFormat,
  ReportPeriod,
  ReportSection,
} from './report-document.ts';
export { summarise } from './summary.ts';
export { templateNarrativeWriter } from './template-narrative.ts';
