import type { backtestOperations, evaluationOperations, studyOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { showBacktest, startBacktest } from './backtest/backtest.service.ts';
import { startEvaluation } from './evaluate/evaluate.service.ts';
import { cancelStudy, getStudy, listStudies, readRows, type StudyPorts } from './studies.service.ts';

export const studyRoutes = (ports: StudyPorts): Handlers<typeof studyOperations> => ({
  list: async (tx, { query }) => reply(200, await listStudies(tx, query)),
  get: async (tx, { params }) => reply(200, await getStudy(tx, params.id)),
  rows: async (request) => reply(200, await readRows(ports, request, request.params.id)),
  cancel: async (tx, { params }) => reply(200, await cancelStudy(tx, params.id)),
});

export const backtestRoutes = (ports: StudyPorts): Handlers<typeof backtestOperations> => ({
  start: async (request) => reply(202, await startBacktest(ports, request, request.params.id, request.body)),
  get: async (tx, { params }) => reply(200, await showBacktest(tx, params.id, params.jobId)),
});

export const evaluationRoutes = (ports: StudyPorts): Handlers<typeof evaluationOperations> => ({
  start: async (request) => reply(202, await startEvaluation(ports, request, request.params.id, request.body)),
});
