import { catalogueTitles as titles } from '../catalogue/catalogue-titles.ts';

const quoted = (name: string): string => `“${name}”`;

/** Texts of decision tests. */
export const decisionTestTexts = {
  lead: 'What your flows must show to fictional customers. Run the tests before you publish.',
  empty: 'No decision tests yet',
  emptyText:
    'A test says what a fictional customer must get: minors get no loan, for example. Create one here, or from a decision.',
  flow: titles.flow,
  allFlows: 'Any flow',
  result: 'Result',
  statuses: { passed: 'passed', failed: 'failed', error: "can't run" },
  running: 'running',
  notRun: 'not run',
  version: 'Version',
  versions: { draft: 'Draft', published: 'Live' },
  run: 'Run all',
  runOne: 'Run again',
  summary: (passed: number, others: number): string =>
    others === 0
      ? `${passed === 1 ? 'The test passes' : `All ${passed} tests pass`}.`
      : `${passed} of ${passed + others} tests pass.`,
  cannotRunFlow: (flow: string) => `The tests of ${flow} didn't run`,
  given: 'Customer and request',
  expected: 'Expected',
  actual: 'Actual answer',
  nothingExpected: 'Nothing is expected.',
  emptyAnswer: 'Nothing is shown.',
  problems: "The test can't run",
  chance: 'Chance',
  met: 'met',
  unmet: 'not met',
  at: 'Decided at',
  customer: titles.customer,
  nothingKnown: 'Nothing',
  attributes: 'Attributes',
  segments: titles.segments,
  contacts: 'Earlier contacts',
  outcomes: 'Outcomes so far',
  request: 'Request',
  seed: 'Seed',
  contact: (offer: string, channel: string | undefined, when: string, outcome: string | undefined): string =>
    `${offer}${channel === undefined ? '' : ` on ${channel}`}, ${when}${outcome === undefined ? '' : `: ${outcome}`}`,
  counts: (name: string, [positive = 0, negative = 0]: readonly number[]): string =>
    `${name}: ${positive} positive, ${negative} negative`,
  total: 'All offers',
} as const;

/** What a test expects, as sentences. */
export const expectationTexts = {
  includes: (offer: string) => `${quoted(offer)} is shown`,
  excludes: (offer: string, by: string | undefined) =>
    `${quoted(offer)} isn't shown${by === undefined ? '' : `, because of ${quoted(by)}`}`,
  first: (offer: string) => `${quoted(offer)} is shown first`,
  orderStart: (offer: string) => `${quoted(offer)} is shown`,
  order: (offer: string, before: string) => `${quoted(offer)} is shown after ${quoted(before)}`,
  count: (count: number) =>
    count === 1 ? 'One offer is shown' : count === 0 ? 'Nothing is shown' : `${count} offers are shown`,
  empty: (reason: string) => `Nothing is shown. Reason: ${reason}`,
  probability: (offer: string, low: string, high: string) =>
    `${quoted(offer)} is selected with a chance of ${low} to ${high}`,
} as const;

/** Texts of the form of a decision test. */
export const decisionTestFormTexts = {
  basics: 'Test',
  customer: titles.customer,
  before: 'Before the decision',
  expected: 'Expected answer',
  more: 'More',
  anyReason: 'Not expected',
  fixedFlow: "The flow can't be changed.",
  fromDecision: (count: number) =>
    count === 0 ? 'Filled in from the decision' : 'Filled in from the decision, without the customer’s values',
  fromDecisionText:
    'Earlier contacts are fictional, but count the same as the customer’s own. Enter fictional values for what the decision read:',
  allCopied: 'Earlier contacts are fictional, but count the same as the customer’s own.',
  labels: {
    '/decisionFlowId': titles.flow,
    '/given/now': 'Decided at',
    '/given/customer': 'Values',
    '/given/attributes': 'Attributes',
    '/given/segments': titles.segments,
    '/given/contacts': 'Earlier contacts',
    '/given/contacts/-/offer': titles.offer,
    '/given/contacts/-/channel': titles.channel,
    '/given/contacts/-/creative': titles.creative,
    '/given/contacts/-/at': 'When',
    '/given/contacts/-/outcome': 'Outcome',
    '/given/evidence': 'Outcomes so far',
    '/given/request/channel': titles.channel,
    '/given/request/placement': titles.placement,
    '/given/request/placements': 'Placements to fill',
    '/given/request/limit': 'Maximum offers',
    '/given/request/context': 'Context',
    '/given/request/excludeOffers': 'Excluded offers',
    '/expect/includes': 'Shown',
    '/expect/excludes': 'Not shown',
    '/expect/excludes/-/offer': titles.offer,
    '/expect/excludes/-/by': 'Because of',
    '/expect/order': 'Shown in this order',
    '/expect/first': 'Shown first',
    '/expect/count': 'Number of offers',
    '/expect/emptyReason': 'Why nothing is shown',
    '/expect/probability': 'Chance of selection',
  },
  help: {
    '/name': '',
    '/description': '',
    '/decisionFlowId': '',
    '/given/now': '',
    '/given/customer': 'Columns of the customer, such as age or tier. Never values of a real customer.',
    '/given/attributes': '',
    '/given/segments': '',
    '/given/contacts': '',
    '/given/contacts/-/offer': '',
    '/given/contacts/-/channel': '',
    '/given/contacts/-/creative': 'Empty: the only creative of the offer on the channel.',
    '/given/contacts/-/at': '',
    '/given/contacts/-/outcome': '',
    '/given/evidence': 'Positive and negative outcomes of all customers, as JSON: { "offers": { "Loan": [3, 40] } }.',
    '/given/request/channel': 'Empty: all channels.',
    '/given/request/placement': '',
    '/given/request/placements': '',
    '/given/request/limit': "Empty: the flow's limit.",
    '/given/request/context': '',
    '/given/request/locale': '',
    '/given/request/currency': '',
    '/given/request/excludeOffers': '',
    '/given/seed': 'A different seed draws differently. 0 to 999,999.',
    '/expect/includes': '',
    '/expect/excludes': '',
    '/expect/excludes/-/offer': '',
    '/expect/excludes/-/by': 'Name of the rule, policy or node. Empty: any reason.',
    '/expect/order': 'Other offers may be shown between them.',
    '/expect/first': '',
    '/expect/count': '',
    '/expect/emptyReason': '',
    '/expect/probability': 'Lowest and highest chance by offer, as JSON: { "Loan": [0.2, 0.4] }.',
  },
} as const;
