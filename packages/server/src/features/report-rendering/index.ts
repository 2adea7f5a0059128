export { type RenderReport, renderReport } from './render.ts';
export type {
  Artifact,
  Narrative,
  NarrativeWriter,
  ReportChart,
  ReportColumn,
  ReportColumnType,
  ReportDocument,
  ReportFilter,
  ReportFormat,
  ReportPeriod,
  ReportRow,
  ReportSection,
  ReportValue,
} from './report-document.ts';
export { summarise } from './summary.ts';
export { templateNarrativeWriter } from './template-narrative.ts';
