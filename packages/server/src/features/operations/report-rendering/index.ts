export { textCell as csvText } from './csv.ts';
export { showColumn } from './display.ts';
export { type RenderReport, renderReport } from './render.ts';
export type {
  Artifact,
  Narrative,
  ReportChart,
  ReportDocument,
  ReportFilter,
  ReportFormat,
  ReportPeriod,
  ReportSection,
} from './report-document.ts';
export { oneLine } from './safe-text.ts';
export { summarise } from './summary.ts';
export { composeNarrative, sentencesOf, templateNarrative } from './template-narrative.ts';
