import { counted } from '../counted.ts';
import { studyTitles } from './study-titles.ts';

/** Texts of studies: what a draft would have changed, and what it would earn. */
export const studyTexts = {
  ...studyTitles,
  lead: 'What a draft would have changed in past decisions, and what it would have earned. Studies are deleted after 90 days.',
  empty: 'No studies yet',
  emptyText: 'A study repeats past decisions with a draft. Start one before you publish.',
  noneMatch: 'No study matches these filters',
  kind: 'Kind',
  anyKind: 'Any kind',
  kinds: { backtest: 'Backtest', evaluate: 'Evaluation', check: 'Check' },
  kindTexts: {
    backtest: 'Which decisions would have been different.',
    evaluate: 'What the draft would have earned.',
    check: 'What never works or has no effect.',
  },
  flow: 'Flow',
  anyFlow: 'Any flow',
  status: 'Status',
  statuses: {
    queued: 'waiting',
    running: 'running',
    completed: 'completed',
    failed: 'failed',
    cancelled: 'stopped',
  },
  errors: {
    internal: 'The study failed several times. Start a new one, or check the Health page.',
    plan_missing: 'The plan of this study is damaged or missing. Start a new study.',
    timed_out: 'Finding its decisions took longer than five minutes. Choose a shorter range.',
  },
  failedTitle: 'The study failed',
  cancelledTitle: 'The study was stopped',
  cancelledText: 'It has no result. Start a new one.',
  started: 'Started',
  by: 'Started by',
  completed: 'Completed',
  progressTitle: 'Progress',
  progress: (done: string, total: string) => `${done} of ${counted(total, 'decision')} judged`,
  waiting: 'It starts when another study of this tenant ends.',
  selecting: 'Finding the decisions to judge',
  question: 'Question',
  version: 'Version',
  versionText: (version: 'draft' | number) => (version === 'draft' ? 'Draft' : `Version ${version}`),
  range: 'Decisions',
  rangeText: (from: string, to: string) => `${from} to ${to}`,
  mode: 'Contacts',
  modes: { independent: 'As they actually happened', chained: 'As the draft would have made them' },
  reward: 'Reward',
  rewards: {
    positive: 'Positive response',
    convert: 'Conversion',
    value: 'Conversion value',
    weighted: 'Weighted outcomes',
  },
  cancel: 'Stop study',
  cancelTitle: 'Stop this study?',
  cancelText: 'What it has judged so far is lost. Nothing else changes.',
  cancelled: 'Study stopped',
  deletedFlow: 'Deleted flow',
  few: 'fewer than 10 customers',
} as const;

/** Texts of backtests. */
export const backtestTexts = {
  result: 'Result',
  verdicts: { ok: 'within limits', failed: 'limit exceeded', refused: 'no result' },
  headline: (share: string, decisions: string) =>
    decisions === '1' ? 'The decision changes.' : `${share} of ${decisions} decisions change.`,
  headlineNone: (decisions: string) =>
    decisions === '1' ? "The decision doesn't change." : `None of ${decisions} decisions changes.`,
  refused: "The records can't show what the draft would change.",
  reasons: {
    selection: "Too many of the recorded decisions can't be judged.",
    engine_drift: 'This server no longer reproduces the recorded decisions.',
    no_decisions: 'No decisions were recorded in this range.',
    limit_failed: "A limit is exceeded or couldn't be measured.",
  },
  changes: 'What changes',
  change: 'Change',
  decisions: 'Decisions',
  kinds: {
    same: 'Same answer',
    reordered: 'Same offers in a different order',
    creative_only: 'Same offers with other creatives',
    gained: 'Offers added',
    lost: 'Offers removed',
    replaced: 'Offers replaced',
    newly_empty: 'Nothing shown anymore',
    newly_served: 'Offers shown where there were none',
  },
  offers: 'Offers',
  gained: 'Shown more often',
  lost: 'Shown less often',
  times: (count: string, customers: string) =>
    `${count === '1' ? 'once' : `${count} times`}, for ${counted(customers, 'customer')}`,
  noOffers: 'Every offer is shown as often as before.',
  limits: 'Limits',
  limit: 'Limit',
  measured: 'Measured',
  bound: 'Allowed',
  passed: 'within limit',
  exceeded: 'exceeded',
  notMeasured: 'not measured',
  notJudged: 'not judged',
  limitNames: {
    maxChangedShare: 'Decisions that change',
    maxNewlyEmptyShare: 'Decisions that lose all offers',
    maxLostShare: 'Largest drop of a single offer',
    maxItemsDrop: 'Drop in shown offers',
    mustKeep: 'Offers that must stay',
    maxEngineUsP99: 'Time in the engine, 99th percentile, µs',
  } as Readonly<Record<string, string>>,
  samples: 'Examples',
  samplesText: 'Recorded decisions that would have been different.',
  openDecision: 'Open decision',
  left: 'Left out',
  leftText: (count: string) => `${counted(count, 'recorded decision')} can't be judged:`,
  leftReasons: {
    erased: 'the customer was erased',
    withheld: 'inputs are never stored',
    input_not_recorded: "the draft reads values that weren't recorded",
    external_missing: "a webhook's answer is missing",
    state_missing: 'the history before them is missing',
    plan_missing: 'their plan is missing',
    record_corrupt: 'the record is damaged',
    arm_absent: 'their variant no longer exists',
    engine_drift: 'the server no longer reproduces them',
    chance_unknown: 'their probabilities are unknown',
  },
  notRecorded: (names: string) =>
    `The draft reads values that aren't recorded: ${names}. Add them to the recorded values in the settings.`,
} as const;

/** Texts of evaluations. */
export const evaluationTexts = {
  result: 'Result',
  verdicts: { ok: 'reliable', bounded: 'bounds only', refused: 'no answer' },
  earnsMore: (delta: string, low: string, high: string) =>
    `The draft earns ${delta} more per decision (${low} to ${high}).`,
  earnsLess: (delta: string, low: string, high: string) =>
    `The draft earns ${delta} less per decision (${low} to ${high} less).`,
  uncertain: (low: string, high: string) =>
    `It's not clear whether the draft earns more or less per decision (${low} to ${high}).`,
  same: 'The draft earns exactly as much.',
  bounded: (low: string, high: string) =>
    `The draft earns between ${low} and ${high} more per decision. The records don't allow a more precise answer.`,
  refused: "The records can't show what the draft would earn.",
  reasons: {
    no_decisions: 'No decision in this range is old enough to have all its responses.',
    unsupported: 'The draft shows offers that were never shown before.',
    few_effective: 'Too few decisions resemble those of the draft.',
    few_rewards: 'Fewer than 50 customers earned a reward.',
    skewed: 'A few customers dominate the result.',
    weights_off: 'Recorded probabilities are wrong.',
    probabilities_wrong: 'Recorded probabilities are wrong.',
    selection: "Too many of the recorded decisions can't be judged.",
    state_shift: "The draft's own contacts would change too many of its answers.",
    trained_on_window: 'The draft uses a model that was trained on these outcomes.',
  },
  needed: 'What would help',
  neededExplore: (share: string) => `Explore in ${share} of decisions for the same number of days.`,
  neededDays: (days: string) => `Collect decisions for ${counted(days, 'day')}.`,
  neededFrom: (day: string) => `Choose a range that starts on ${day} or later.`,
  neededNothing: 'Explore more, and wait for more responses.',
  now: 'Earned per decision now',
  draft: 'With the draft',
  difference: 'Difference',
  lift: 'Change',
  interval: (low: string, high: string) => `${low} to ${high}`,
  confidence: (share: string) => `Ranges are ${share} confidence intervals.`,
  basis: 'Basis',
  decisions: 'Decisions',
  customers: 'Customers',
  support: 'Results that were possible before',
  effective: 'Effective sample size',
  rewarded: 'Customers with a reward',
} as const;

/** Texts of checks. */
export const checkTexts = {
  result: 'Findings',
  none: 'Nothing found',
  noneText: (proved: string, offers: string) =>
    `${proved} of ${counted(offers, 'offer')} ${proved === '1' ? 'is' : 'are'} proven to reach a customer.`,
  severities: { error: 'never works', warning: 'no effect', info: 'note' },
  coverage: (proved: string, offers: string) => `Proven for ${proved} of ${counted(offers, 'offer')}.`,
} as const;

/** Texts of the form that starts a study. */
export const newStudyTexts = {
  kind: 'Question',
  questions: {
    backtest: 'What would the draft change?',
    evaluate: 'What would the draft earn?',
  },
  flow: 'Flow',
  chooseFlow: 'Choose a flow',
  from: 'From',
  to: 'To (not included)',
  tooYoung: 'Decisions of the last 7 days are left out, because responses are still coming in.',
  badRange: 'Choose a day after the first one.',
  reward: 'Reward',
  start: 'Start study',
  cancel: 'Cancel',
} as const;
