import { counted } from './counted.ts';
import { titles } from './titles.ts';

/** Texts of the home page. */
export const homeTexts = {
  title: titles.home,
  welcome: (tenant: string) => `${tenant}: decide, see why, prove it`,
  lead: 'Make a decision, open it, and see why the first offer won and what would have made another one win.',
  steps: (done: number, all: number) => `${done} of ${all} steps done`,
  stepsDone: 'All steps done',
  done: 'Done',
  step: (number: number) => `Step ${number}`,
  decideNow: 'Decide now',
  customer: 'Customer',
  channel: 'Channel',
  anyChannel: 'Any channel',
  decide: 'Decide',
  recorded: 'Record this decision and count it against limits',
  recordedHelp: 'When off, the decision is simulated: nothing is stored or counted.',
  forShow: 'Simulated. Nothing was stored or counted.',
  unknown: 'Unknown customer: the decision was made without profile data.',
  why: 'Why this offer?',
  whyWait: 'Make a decision to see the reasons here.',
  whyFirst: (first: string, score: string, second: string, other: string) =>
    `${first} scored ${score}. The runner-up, ${second}, scored ${other}.`,
  whyAlone: (first: string) => `${first} was the only offer left.`,
  whyParts:
    'The flow sets how much each factor counts. Open the decision to see the weights and every offer that lost.',
  whyEmpty: 'No offers were left. Open the decision to see which gates blocked them.',
  openDecision: 'Open decision',
  openShow: 'Open in Simulate',
  factors: {
    propensity: 'Propensity',
    relevance: 'Relevance',
    impact: 'Impact',
    emphasis: 'Emphasis',
    fitMultiplier: 'Fit',
  },
  factorHelps: {
    propensity: 'how likely',
    relevance: 'how well it fits now',
    impact: 'what it is worth',
    emphasis: 'your priority',
    fitMultiplier: 'match rules',
  },
  score: 'Score',
  again: 'Decide again and see limits at work',
  againText: 'Same customer, same channel, a moment later: caps and cooldowns count what was just shown.',
  askAgain: 'Repeat decision',
  againSame: 'The same offer won again: no limit blocks it yet.',
  code: 'Call it from your code',
  codeText: "You need an API key. The URL is this server's.",
  codeTextAsk: "You need an API key. Ask an admin for one. The URL is this server's.",
  makeKey: 'API keys',
  snippet: 'call',
  recent: 'Latest decisions',
  live: 'Live',
  paused: 'Paused',
  pause: 'Pause',
  resume: 'Resume',
  arrived: (written: string, count: number, shown: string) =>
    `${count === 1 ? '1 decision' : `${written} decisions`} since you opened this page, ${shown} with an offer.`,
  noneArrived: 'New decisions appear here as they are made.',
  all: 'All decisions',
  none: 'No decisions yet.',
  nothing: 'no offer',
  erased: 'erased customer',
  health: 'Server',
  healthReady: 'Ready',
  healthNotReady: 'Not ready',
  healthOpen: 'Health',
  lastDay: (written: string, count: number) =>
    `${count === 1 ? '1 decision' : `${written} decisions`} in the last 24 hours`,
  schedulerOff: 'The scheduler is off.',
  lastDayP95: (within: string) => `p95 ${within}`,
  lastDayFailed: (count: string) => `${count} failed`,
  sampleTitle: 'Or explore a sample company',
  emptyText: 'Customers with history, offers, rules, limits and flows. You can remove it later in the settings.',
  load: (name: string) => `Load ${name}`,
  loadOf: (name: string) => `Sample data: ${name}`,
  choose: 'Company',
  datasetSize: (offers: number, creatives: number, channels: number) =>
    `${offers} offers, ${creatives} creatives, ${channels} channels`,
  loading: 'Loading',
  seedSteps: {
    '': 'starting',
    validating: 'validating',
    schemas: 'schemas',
    catalogue: 'offers, creatives, rules and flows',
    rows: 'customers',
    interactions: 'history',
    summaries: 'summaries',
    models: 'models',
    done: 'done',
  },
} as const;

/** Texts of the list of things that need attention. */
export const needsTexts = {
  title: 'Needs your attention',
  nothing: "You're all caught up.",
  waiting: 'Loading',
  approval: 'Approval',
  actions: { create: 'create', update: 'change', delete: 'delete' },
  publish: 'publish',
  asks: (who: string, action: string, what: string) => `${who} wants to ${action} ${what}`,
  requestedAt: (at: string) => `Requested ${at}.`,
  alert: 'Alert',
  alertUndelivered: 'Alert, not delivered',
  draft: 'Draft',
  draftAhead: (version: number) =>
    `Changed since version ${version} went live. Publish the draft to use the changes in decisions.`,
  letters: 'Dead letters',
  lettersCount: (count: string) =>
    `${counted(count, 'job')} failed after ${count === '1' ? 'its' : 'their'} last retry`,
  more: (count: number, kind: string) => `${count} more: ${kind.toLowerCase()}`,
} as const;

/** Texts of the changes since the last visit. */
export const sinceTexts = {
  title: 'Since your last visit',
  since: (at: string) => `since ${at}`,
  decisions: (written: string, count: number) => (count === 1 ? '1 decision' : `${written} decisions`),
  nothing: 'No one else changed anything.',
  change: (who: string, action: string) => `${who} · ${action}`,
  times: (count: number) => `${count} times`,
  all: 'View all changes in the audit log',
} as const;

/** Texts of the 30-day charts. */
export const monthTexts = {
  section: 'Last 30 days',
  responses: 'Impressions and conversions by day',
  impressions: 'Impressions',
  conversions: 'Conversions',
  responsesSummary: (impressions: string, conversions: string, best: string) =>
    `${counted(impressions, 'impression')} and ${counted(conversions, 'conversion')} in 30 days. Best day: ${best}.`,
  noResponses: 'No impressions or conversions in the last 30 days.',
  totals: 'only daily totals are stored',
  title: 'Decisions by day',
  decisions: 'Decisions',
  summary: (all: string, most: string, day: string, today: string) =>
    `Decisions in 30 days: ${all}. Busiest day: ${day} (${most}). Today so far: ${today}.`,
  none: 'No decisions in the last 30 days.',
} as const;
