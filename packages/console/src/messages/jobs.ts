import type { JobKind, JobState } from '../route/job.ts';

/** Labels of background jobs. */
export const jobKindTexts: Readonly<Record<JobKind, string>> = {
  campaignRun: 'Campaign run',
  pipelineRun: 'Pipeline run',
  modelTraining: 'Model training',
  packLoad: 'Sample data',
  segmentSimulation: 'Segment simulation',
  backtest: 'Backtest',
  reportRun: 'Report',
  csvImport: 'Import',
  bulkAct: 'Bulk change',
};

export const jobStateTexts: Readonly<Record<JobState, string>> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

export const jobTexts = {
  title: 'Jobs',
  none: 'No jobs running. Anything that takes longer than a second appears here and keeps running while you work.',
  running: (count: number) => (count === 1 ? '1 job is running' : `${count} jobs are running`),
  open: 'Open',
  cancel: 'Cancel',
  clear: 'Clear finished jobs',
  left: (seconds: number) => `about ${seconds} s left`,
  lasts: (seconds: number) => (seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`),
} as const;
