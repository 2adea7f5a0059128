/** Types of events that callers report. */
export const ingestEventTypes = ['purchase', 'cart_abandon', 'page_view', 'app_open', 'support_call'] as const;
export type IngestEventType = (typeof ingestEventTypes)[number];

/** Types of events that triggers and journeys react to (docs/design/api-access.md 12.2). */
export const customerEventTypes = [
  ...ingestEventTypes,
  'outcome.recorded',
  'customer.created',
  'customer.updated',
  'decision.made',
  'delivery.updated',
  'segment.entered',
  'segment.left',
] as const;
export type CustomerEventType = (typeof customerEventTypes)[number];

/** The types that an ingested event stands for besides its own. */
export const alsoEvaluatedAs: Readonly<Record<IngestEventType, readonly CustomerEventType[]>> = {
  purchase: ['outcome.recorded'],
  cart_abandon: ['customer.updated'],
  support_call: ['customer.updated'],
  page_view: [],
  app_open: [],
};

/** A chain of triggers, each caused by the one before, ends after this many. */
export const deepestChain = 5;
