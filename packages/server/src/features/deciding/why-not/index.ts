import { whyNotOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { whyNotRoutes } from './why-not.routes.ts';
import type { WhyNotPorts } from './why-not.service.ts';

export type { PackedCounts, PackedEvidence, SearchJob } from './search-job.ts';
export type { RunSearch, SearchTask, WhyNotPorts } from './why-not.service.ts';

export const whyNotFeature = feature({
  name: 'why-not',
  operations: ({ whyNot }: { readonly whyNot: WhyNotPorts }) => handlerEntries(whyNotOperations, whyNotRoutes(whyNot)),
});
