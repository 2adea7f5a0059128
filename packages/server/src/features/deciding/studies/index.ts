import { backtestOperations, evaluationOperations, studyOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type StudyJobPorts, studyJobs } from './studies.jobs.ts';
import { backtestRoutes, evaluationRoutes, studyRoutes } from './studies.routes.ts';
import type { StudyPorts } from './studies.service.ts';

export { startCheckStudy } from './check/check-study.service.ts';
export { readEmptySegments, readKnownTexts } from './check/customer-facts.ts';
export { maxFindings, showFinding, showWitness } from './check/shown-findings.ts';
export { busySeconds, type StudyThreads } from './run-study.ts';
export type { StudyPorts } from './studies.service.ts';
export { plansOfStudies } from './studies.store.ts';
export type { StudyLane, StudyStep, StudyStepResult } from './study-kind.ts';
export { createSteps } from './study-steps.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['studies', 'study_chunks'];

export const studiesFeature = feature({
  name: 'studies',
  tables,
  // Chunks go with their studies.
  resets: { empties: tables },
  operations: (ports: StudyPorts) => [
    ...handlerEntries(studyOperations, studyRoutes(ports)),
    ...handlerEntries(backtestOperations, backtestRoutes(ports)),
    ...handlerEntries(evaluationOperations, evaluationRoutes(ports)),
  ],
  jobs: (ports: StudyJobPorts) => studyJobs(ports),
});
