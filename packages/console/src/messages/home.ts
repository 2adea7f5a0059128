import { titles } from './titles.ts';

/** Texts of the start page. */
export const homeTexts = {
  title: titles.home,
  welcome: (tenant: string) => `${tenant}: decide, see why, prove it`,
  lead: 'Ask for a decision, open it, and see why its first offer won and what would have made another one win.',
  steps: (done: number, all: number) => `${done} of ${all} steps done`,
  stepsDone: 'All steps done',
  done: 'Done',
  step: (number: number) => `Step ${number}`,
  decideNow: 'Decide now',
  customer: 'Customer',
  channel: 'Channel',
  anyChannel: 'Any channel',
  decide: 'Decide',
  recorded: 'For real: it is recorded and counts against limits',
  recordedHelp: 'Off: decided for show, nothing is stored or counted.',
  forShow: 'Decided for show. Nothing was stored or counted.',
  unknown: 'This customer is not known: the decision was made without data.',
  why: 'Why this?',
  whyWait: 'Decide first; the reasons then appear here.',
  whyFirst: (first: string, score: string, second: string, other: string) =>
    `${first} scored ${score}; the next, ${second}, ${other}.`,
  whyAlone: (first: string) => `${first} was left alone.`,
  whyParts:
    'All parts are computed; the flow says which of them count and how much. The decision shows that, and every offer that lost.',
  whyEmpty: 'No offer was left. The explorer shows each gate and what it asked for.',
  openDecision: 'Open the decision',
  openShow: 'Open it in the simulator',
  factors: {
    propensity: 'Propensity',
    relevance: 'Relevance',
    impact: 'Impact',
    emphasis: 'Emphasis',
    fitMultiplier: 'Fit',
  },
  factorHelps: {
    propensity: 'how likely',
    relevance: 'how fitting now',
    impact: 'what it is worth',
    emphasis: 'your priority',
    fitMultiplier: 'match rules',
  },
  score: 'Score',
  again: 'Ask again: the limits answer',
  againText: 'The same customer, the same channel, a moment later: caps and pauses count what was shown just now.',
  askAgain: 'Ask again',
  againSame: 'Another answer was possible: no limit stands in its way yet.',
  code: 'Call it from your code',
  codeText: 'A key is needed; the address is that of this server.',
  makeKey: 'API keys',
  snippet: 'call',
  recent: 'Newest decisions',
  all: 'All decisions',
  none: 'No decision was made here yet.',
  nothing: 'no offer',
  erased: 'erased customer',
  health: 'Server',
  healthReady: 'Ready',
  healthNotReady: 'Not ready',
  healthOpen: 'Health',
  lastDay: (written: string, count: number) =>
    `${count === 1 ? '1 decision' : `${written} decisions`} in the last 24 hours`,
  schedulerOff: 'No scheduler runs here.',
  lastDayP95: (within: string) => `95 of 100 within ${within}`,
  lastDayFailed: (count: string) => `${count} failed`,
  emptyTitle: 'There is nothing to decide about yet',
  emptyText:
    'Load a small invented company to look around: customers with a past, offers, rules, limits and flows. You can remove it again in the settings.',
  emptyForAdmins: 'An admin can load sample data here, or offers and customers come over the API.',
  load: (name: string) => `Load ${name}`,
  loadOf: (name: string) => `Sample data: ${name}`,
  choose: 'Which company',
  datasetSize: (offers: number, creatives: number, channels: number) =>
    `${offers} offers, ${creatives} creatives, ${channels} channels`,
  loading: 'Loading',
  own: 'Bring your own data',
  seedSteps: {
    '': 'beginning',
    validating: 'looking whether it can be loaded',
    schemas: 'schemas',
    catalogue: 'offers, creatives, rules and flows',
    rows: 'customers',
    interactions: 'history',
    summaries: 'summaries',
    models: 'models',
    done: 'done',
  },
} as const;

/** Texts of what waits for somebody. */
export const needsTexts = {
  title: 'Needs you',
  nothing: 'Nothing waits for you.',
  waiting: 'Asking what waits for you',
  approval: 'Approval',
  actions: { create: 'make', update: 'change', delete: 'delete' },
  asks: (who: string, action: string, what: string) => `${who} asks to ${action} ${what}`,
  decidedByApi: (at: string) => `Asked ${at}. Decide it with POST /api/v1/approvals/{id}.`,
  alert: 'Alert',
  alertUndelivered: 'Alert, not delivered',
  draft: 'Draft',
  draftAhead: (version: number) => `Saved after version ${version} went live: what is drafted does not decide yet.`,
  letters: 'Dead letters',
  lettersCount: (count: string) => `${count} jobs gave up after their last try`,
  more: (count: number, kind: string) => `${count} more: ${kind.toLowerCase()}`,
} as const;

/** Texts of what happened since the last visit. */
export const sinceTexts = {
  title: 'Since you were here',
  since: (at: string) => `since ${at}`,
  decisions: (written: string, count: number) => (count === 1 ? '1 decision' : `${written} decisions`),
  nothing: 'Nobody else changed anything.',
  change: (who: string, action: string) => `${who} · ${action}`,
  times: (count: number) => `${count} times`,
  all: 'All changes in the audit log',
} as const;

/** Texts of the charts of the last days. */
export const monthTexts = {
  section: 'Last 30 days',
  responses: 'Impressions and conversions by day',
  impressions: 'Impressions',
  conversions: 'Conversions',
  responsesSummary: (impressions: string, conversions: string, best: string) =>
    `${impressions} impressions and ${conversions} conversions in 30 days. Best day: ${best}.`,
  noResponses: 'No impressions or conversions in the last 30 days.',
  totals: 'daily totals, kept without the decisions behind them',
  title: 'Decisions by day',
  decisions: 'Decisions',
  summary: (all: string, most: string, day: string, today: string) =>
    `${all} decisions in 30 days. Busiest day: ${day} (${most}). Today so far: ${today}.`,
  none: 'No decisions in the last 30 days.',
} as const;
