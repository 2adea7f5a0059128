import type { CallSignalMemory } from '../../features/deciding/decisions/index.ts';
import { createModelFileThread } from './model-file-threads.ts';
import { createReportThread } from './report-threads.ts';
import { createStudyThreads, type StudyThreadsOptions } from './study-threads.ts';
import { createTrainingThread } from './training-threads.ts';
import { createSearchThreads } from './why-not-threads.ts';
import { createYamlThread } from './yaml-threads.ts';

/** Why-not searches at a time; the other processors are for decisions. */
const searchThreads = 1;

/** Threads of one process, for work that would block decisions. */
export interface Threads {
  readonly searches: ReturnType<typeof createSearchThreads>;
  readonly reports: ReturnType<typeof createReportThread>;
  readonly policyFiles: ReturnType<typeof createYamlThread>;
  readonly trainings: ReturnType<typeof createTrainingThread>;
  readonly modelFiles: ReturnType<typeof createModelFileThread>;
  readonly studies: ReturnType<typeof createStudyThreads>;
  close(): Promise<void>;
}

/** Creates the threads. Each starts at first use. */
export function createThreads(
  onError: (error: unknown) => void,
  callMemory: CallSignalMemory,
  studyOptions: Omit<StudyThreadsOptions, 'callMemory' | 'onError'>,
): Threads {
  const searches = createSearchThreads(searchThreads, onError);
  const reports = createReportThread(onError);
  const policyFiles = createYamlThread(onError);
  const trainings = createTrainingThread(onError, callMemory);
  const modelFiles = createModelFileThread(onError);
  const studies = createStudyThreads({ ...studyOptions, callMemory, onError });
  return {
    searches,
    reports,
    policyFiles,
    trainings,
    modelFiles,
    studies,
    async close() {
      await searches.close();
      await reports.close();
      await policyFiles.close();
      await trainings.close();
      await modelFiles.close();
      await studies.close();
    },
  };
}
