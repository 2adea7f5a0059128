import type { Tx } from '../db/index.ts';
import type { JobPortsOf, OperationPortsOf } from '../feature.ts';
import type { RouteColumn } from '../features/catalogue/catalogue-records/index.ts';
import { policiesNamingSegment, policiesReadingMetric } from '../features/catalogue/contact-policies/index.ts';
import { contentHandlersInside } from '../features/catalogue/content/index.ts';
import { deleteCreativesOfOffer } from '../features/catalogue/creatives/index.ts';
import { lockTests } from '../features/catalogue/decision-tests/index.ts';
import { experimentsWithModel } from '../features/catalogue/experiments/index.ts';
import { lockRoutes } from '../features/catalogue/flow-routes/index.ts';
import {
  flowsNamingPolicy,
  flowsScoringBy,
  noteForAssembly,
  selectFlowsContaining,
} from '../features/catalogue/flows/index.ts';
import { hasOffers, offersNamingSegment } from '../features/catalogue/offers/index.ts';
import { rulesNamingSegment, rulesReadingMetric } from '../features/catalogue/qualification/index.ts';
import { keepsProfile } from '../features/catalogue/ranking-profiles/index.ts';
import {
  type FindFieldUses,
  fieldHandlersInside,
  hasSchemas,
  readCustomerProfile,
  recordableColumns,
} from '../features/catalogue/schemas/index.ts';
import {
  recordableSegments,
  segmentsAmong,
  segmentsAsking,
  segmentsOfCustomers,
  segmentsReadingMetric,
} from '../features/catalogue/segments/index.ts';
import { rebuildRealtime } from '../features/data/behavioral-metrics/index.ts';
import { pipelinesNamingConnector, pipelinesNamingField, startDuePipelines } from '../features/data/pipelines/index.ts';
import { customerNumbers } from '../features/deciding/customer-states/index.ts';
import { readCreativeTotals } from '../features/deciding/interactions/index.ts';
import { metricEvents } from '../features/deciding/plans/index.ts';
import { plansOfStudies } from '../features/deciding/studies/index.ts';
import { readSettings } from '../features/identity/settings/index.ts';
import { noteAlertDelivery } from '../features/operations/alerts/index.ts';
import { failedTestsOfFlow } from '../features/operations/checks/index.ts';
import { noteReportDelivery, reportFiles, startReports } from '../features/operations/reports/index.ts';
import { appendEvents } from '../features/operations/stream/index.ts';
import { campaignsNamingSegment, startDueCampaigns } from '../features/outreach/campaigns/index.ts';
import { noteCaused } from '../features/outreach/customer-events/index.ts';
import { queueDelivery } from '../features/outreach/deliveries/index.ts';
import {
  journeysNaming,
  resumeJourneys,
  selectWatchedSegments,
  setAttributes,
} from '../features/outreach/journeys/index.ts';
import { segmentsWatched, triggersNaming } from '../features/outreach/triggers/index.ts';
import type { features } from './features.ts';

/** What the operations of all features need from the process and from features that theirs may not import. */
export type OperationPorts = OperationPortsOf<typeof features>;

/** What the jobs of all features need. */
export type JobPorts = JobPortsOf<typeof features>;

/** Like `featurePorts`, for jobs. */
export const jobFeaturePorts = {
  journeyEffects: {
    deliver: async (tx, { journeyId, item, depth, ...message }) => {
      const id = await queueDelivery(tx, {
        ...message,
        origin: { source: 'journey', journeyId },
        offerId: item.offerId,
        creativeId: item.creativeId,
      });
      await noteCaused(tx, [id], depth);
      return id;
    },
    setAttributes,
  },
  findModelUses: flowsScoringBy,
  metricEvents,
  plansInUse: plansOfStudies,
  settlementNumbers: customerNumbers,
  alsoDue: [startReports, resumeJourneys, startDueCampaigns, startDuePipelines],
  filesOf: reportFiles,
  tellDelivery: async (tx, result) => {
    await noteAlertDelivery(tx, result);
    await noteReportDelivery(tx, result);
  },
  watchedSegments,
  publishEvents: (tx, events) => appendEvents(tx, events, []),
} satisfies Partial<JobPorts>;

/** Segments whose members start something when they enter or leave. */
async function watchedSegments(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set([...(await selectWatchedSegments(tx)), ...(await segmentsWatched(tx, ids))]);
}

/** Triggers that name a record in their action or condition. */
async function triggerUses(tx: Tx, id: string) {
  return (await triggersNaming(tx, id)).map((trigger) => ({ noun: 'trigger', ...trigger }));
}

/** Locks what is deleted with a channel, placement or flow: routes, and the tests of a flow. */
async function lockDependants(tx: Tx, column: RouteColumn, ids: readonly string[]): Promise<() => Promise<number>> {
  const deleteRoutes = await lockRoutes(tx, column, ids);
  if (column !== 'decisionFlowId') return deleteRoutes;
  const deleteTests = await lockTests(tx, ids);
  return async () => (await deleteRoutes()) + (await deleteTests());
}

/** Here, and nowhere else, features are plugged into features that may not import them. */
export const featurePorts = {
  alsoDue: jobFeaturePorts.alsoDue,
  creativeCounts: readCreativeTotals,
  readTimezone: async (tx) => (await readSettings(tx)).timezone,
  // Any offer or schema (docs/design/api-access.md 5.3).
  hasData: async (tx) => (await hasOffers(tx)) || (await hasSchemas(tx)),
  failedTestsOfFlow,
  findModelUses: flowsScoringBy,
  findExperimentUses: experimentsWithModel,
  readCustomer: readCustomerProfile,
  readProfile: readCustomerProfile,
  recordableColumns,
  lockRoutes: lockDependants,
  recordableSegments,
  rebuildRealtime,
  policyReferrers: { flowsNaming: flowsNamingPolicy },
  tellChange: noteForAssembly,
  offerDependants: { deleteWithOffer: deleteCreativesOfOffer },
  appendEvents: (tx, events) => appendEvents(tx, events, []),
  findConnectorUses: async (tx, id) =>
    (await pipelinesNamingConnector(tx, id)).map((pipeline) => ({ noun: 'pipeline', ...pipeline })),
  findFieldUses,
  handlersInside: new Map([...contentHandlersInside(), ...fieldHandlersInside(findFieldUses)]),
  estimates: { segmentsAmong, segmentsOfCustomers },
  findSchemaUses: async (tx, schema) => [
    ...(await flowsUsingSchema(tx, schema)),
    ...(await segmentsAsking(tx, { id: schema.id })),
    ...(await journeysNaming(tx, schema.id)).map((journey) => ({ noun: 'journey', ...journey })),
    ...(await triggerUses(tx, schema.id)),
  ],
  watchedSegments,
  findSegmentUses: async (tx, segment, kind) => [
    ...(await policiesNamingSegment(tx, segment)).map((policy) => ({ noun: 'contact policy', ...policy })),
    ...(await rulesNamingSegment(tx, segment, kind)).map((rule) => ({ noun: 'qualification rule', ...rule })),
    ...(await offersNamingSegment(tx, segment, kind)).map((offer) => ({ noun: 'offer', ...offer })),
    ...(kind === 'any' ? await campaignsNamingSegment(tx, segment.id) : []).map((campaign) => ({
      noun: 'campaign',
      ...campaign,
    })),
    ...(kind === 'any' ? await journeysNaming(tx, segment.id) : []).map((journey) => ({ noun: 'journey', ...journey })),
    ...(kind === 'any' ? await triggerUses(tx, segment.id) : []),
  ],
  metricEvents,
  findMetricUses: async (tx, { id, key }, kind) => [
    ...(kind === 'any' ? await policiesReadingMetric(tx, id) : []).map((policy) => ({
      noun: 'contact policy',
      ...policy,
    })),
    ...(kind === 'any' ? await rulesReadingMetric(tx, id) : []).map((rule) => ({
      noun: 'qualification rule',
      ...rule,
    })),
    ...(await segmentsReadingMetric(tx, key)),
  ],
  keepsProfile,
  findProfileUses: async (tx, id) => [
    ...(await selectFlowsContaining(tx, id)).map((flow) => ({ noun: 'decision flow', ...flow })),
    ...((await readSettings(tx)).defaultArbitrationProfileId === id
      ? [{ noun: 'tenant setting', name: 'defaultArbitrationProfileId', id: tx.tenantId }]
      : []),
  ],
} satisfies Partial<OperationPorts>;

/** Joins belong to the schemas themselves. */
async function findFieldUses(tx: Tx, { schemaId, name }: Parameters<FindFieldUses>[1]) {
  return [
    ...(await segmentsAsking(tx, { id: schemaId, column: name })),
    ...(await pipelinesNamingField(tx, { schemaId, name })).map((pipeline) => ({ noun: 'pipeline', ...pipeline })),
  ];
}

/** Flows name a schema by its id or by its name. */
async function flowsUsingSchema(tx: Tx, schema: { readonly id: string; readonly name: string }) {
  const byId = await selectFlowsContaining(tx, schema.id);
  const byName = await selectFlowsContaining(tx, JSON.stringify(schema.name));
  const flows = new Map([...byId, ...byName].map((flow) => [flow.id, flow]));
  return [...flows.values()].map((flow) => ({ noun: 'decision flow', ...flow }));
}
