/** Texts of the proof file, which people open outside the console. */
export const proofFileTexts = {
  title: 'Proof of a decision',
  checking: 'Checking the decision',
  cannotHash:
    "This browser can't compute SHA-256 for local files. Open the file in a current version of Chrome, Edge, Firefox or Safari.",
  verdicts: {
    identical: 'Verified: the same decision, byte for byte',
    different: 'Not verified: the decision differs',
    withheld: "Not replayed: some inputs aren't stored",
  },
  identicalAbout:
    'The plan and the inputs match their hashes. This browser repeated the decision with the same engine, time and seed, and got the recorded result.',
  differentAbout:
    "The file was changed after it was created, or the engine in it doesn't reproduce the recorded decision. See what differs below.",
  withheldAbout: (names: string) =>
    `The plan and the inputs match their hashes. The decision can't be repeated without these fields, which are never stored: ${names}.`,
  alsoWithheld: (names: string) => `Never stored and not in this file: ${names}.`,
  failure: (message: string) => `The content can't be read: ${message}`,
  offline: 'This page checks everything on your device. It makes no network requests.',
  decision: 'Decision',
  facts: {
    customer: 'Customer',
    decidedAt: 'Decided',
    flow: 'Flow',
    recommendationId: 'Decision ID',
    requestId: 'Request ID',
    engine: 'Engine',
  },
  flow: (key: string, version: number | null) => (version === null ? `${key}, draft` : `${key}, version ${version}`),
  offers: 'Offers, in the order shown',
  noOffers: 'No offer was shown.',
  columns: {
    rank: 'Rank',
    offer: 'Offer',
    creative: 'Creative',
    channel: 'Channel',
    placement: 'Placement',
    score: 'Score',
    probability: 'Chance of this pick',
  },
  none: '–',
  hashes: 'Hashes',
  hashesAbout:
    'To check that this file belongs to the decision, compare the recorded hashes of plan, inputs and result with those in Arbiter.',
  hashColumns: { what: 'Content', recorded: 'Recorded SHA-256', computed: 'Computed here', verdict: 'Check' },
  contents: { plan: 'Plan', inputs: 'Inputs', result: 'Result', model: 'Model state' },
  same: 'Matches',
  other: 'Differs',
  notComputed: 'Not computed',
  differences: 'Differences',
  differenceColumns: { path: 'Path', recorded: 'Recorded', replayed: 'Computed here' },
} as const;
