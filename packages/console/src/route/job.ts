/** Kinds of work that the tray can watch; the words for them stand in messages/jobs.ts. */
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

/** How work stands. */
export interface JobStanding {
  readonly state: JobState;
  /** Of 0 to 1; absent when it is not known how much there is. */
  readonly progress?: number;
  /** Seconds that it will still take, where the server says so. */
  readonly etaSeconds?: number;
  /** What came of it, or why it failed, in a sentence. */
  readonly note?: string;
}

/** How a kind of work is asked after, and stopped. It comes as a chunk of its own when work of that kind begins. */
export interface JobWatch {
  readonly ask: (id: string, signal: AbortSignal) => Promise<JobStanding>;
  readonly cancel?: (id: string) => Promise<void>;
}
export type JobWatches = Readonly<Partial<Record<JobKind, () => Promise<JobWatch>>>>;
