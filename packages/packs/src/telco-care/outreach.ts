import type { GeofenceCreate, JourneyCreate, TriggerCreate } from '@arbiter/contract';
import { reference } from '../pack.ts';

/** What the operator does automatically when something happens. */
export const telcoJourneys: readonly JourneyCreate[] = [
  {
    name: 'Churn Save',
    description: 'A day after an abandoned cart, subscribers at risk get the offer most likely to keep them.',
    status: 'active',
    maxDurationDays: 14,
    definition: {
      nodes: [
        { id: 'cart', type: 'entry_trigger', config: {}, position: { x: 0, y: 0 } },
        {
          id: 'a-day',
          type: 'wait',
          config: { delayMinutes: 1_440, untilEvent: 'purchase' },
          position: { x: 1, y: 0 },
        },
        {
          id: 'at-risk',
          type: 'condition_split',
          config: { condition: { field: 'customer.churn_risk', operator: 'gte', value: 0.5 } },
          position: { x: 2, y: 0 },
        },
        {
          id: 'save',
          type: 'nba_decision',
          config: {
            decisionFlowKey: reference('decisionFlow', 'telco-save'),
            channelId: reference('channel', 'Mobile Push'),
            resultKey: 'save',
          },
          position: { x: 3, y: 0 },
        },
        { id: 'saved', type: 'exit', config: { reason: 'offer decided' }, position: { x: 4, y: 0 } },
        { id: 'loyal', type: 'exit', config: { reason: 'not at risk' }, position: { x: 3, y: 1 } },
      ],
      edges: [
        { from: 'cart', to: 'a-day' },
        { from: 'a-day', to: 'at-risk' },
        { from: 'at-risk', to: 'save', when: true },
        { from: 'at-risk', to: 'loyal', when: false },
        { from: 'save', to: 'saved' },
      ],
    },
  },
];

export const telcoTriggers: readonly TriggerCreate[] = [
  {
    name: 'Save after a support call',
    description: 'Whoever calls support gets the offer most likely to keep them, once a day.',
    eventType: 'support_call',
    actionType: 'recommend',
    actionConfig: {
      decisionFlowKey: reference('decisionFlow', 'telco-save'),
      channelId: reference('channel', 'Mobile Push'),
      limit: 1,
    },
    cooldownMs: 86_400_000,
  },
  {
    name: 'Churn Save after an abandoned cart',
    description: 'Starts the journey.',
    eventType: 'cart_abandon',
    actionType: 'journey_enroll',
    actionConfig: { journeyId: reference('journey', 'Churn Save') },
  },
];

export const telcoGeofences: readonly GeofenceCreate[] = [
  {
    name: 'Airport',
    description: 'The terminal: time for a roaming pass.',
    latitude: 50.0379,
    longitude: 8.5622,
    radiusMeters: 3_000,
    triggerOn: 'enter',
    cooldownMs: 604_800_000,
    action: {
      type: 'recommend',
      decisionFlowKey: reference('decisionFlow', 'telco-next-best-action'),
      channelId: reference('channel', 'Mobile Push'),
      limit: 1,
    },
  },
  {
    name: 'Flagship Store',
    description: 'Ten minutes in the store: someone is considering a new phone.',
    latitude: 52.5219,
    longitude: 13.4132,
    radiusMeters: 120,
    triggerOn: 'dwell',
    dwellMinutes: 10,
    action: { type: 'journey_enroll', journeyId: reference('journey', 'Churn Save') },
  },
];
