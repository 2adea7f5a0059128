/** Job types that the tray watches; messages/jobs.ts has their labels. */
export const jobKinds = [
  'campaignRun',
  'pipelineRun',
  'modelTraining',
  'packLoad',
  'segmentSimulation',
  'backtest',
  'reportRun',
  'csvImport',
  'bulkAct',
] as const;
export type JobKind = (typeof jobKinds)[number];

export type JobState = 'running' | 'done' | 'failed' | 'cancelled';

/** Status of a job. */
export interface JobStanding {
  readonly state: JobState;
  /** 0 to 1; undefined if unknown. */
  readonly progress?: number;
  /** Estimated seconds left, if the server provides them. */
  readonly etaSeconds?: number;
  /** The result or error, in one sentence. */
  readonly note?: string;
}

/** How to poll and cancel jobs of a type. Loads as a separate chunk when such a job starts. */
export interface JobWatch {
  readonly ask: (id: string, signal: AbortSignal) => Promise<JobStanding>;
  readonly cancel?: (id: string) => Promise<void>;
}
export type JobWatches = Readonly<Partial<Record<JobKind, () => Promise<JobWatch>>>>;
