import type { JobKind, JobState } from '../route/job.ts';

/** Words for long work. */
export const jobKindTexts: Readonly<Record<JobKind, string>> = {
  campaignRun: 'Campaign run',
  pipelineRun: 'Pipeline run',
  modelTraining: 'Training',
  packLoad: 'Sample data',
  segmentSimulation: 'Simulation of a segment',
  backtest: 'Backtest',
  reportRun: 'Report',
  csvImport: 'Import',
  bulkAct: 'Change of many records',
};

export const jobStateTexts: Readonly<Record<JobState, string>> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

export const jobTexts = {
  title: 'Jobs',
  none: 'Nothing is under way. Work that takes longer than a second is shown here, and goes on while you do something else.',
  running: (count: number) => (count === 1 ? '1 job is running' : `${count} jobs are running`),
  open: 'Open',
  cancel: 'Cancel',
  clear: 'Clear those that have ended',
  left: (seconds: number) => `about ${seconds} s left`,
  lasts: (seconds: number) => (seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`),
} as const;
